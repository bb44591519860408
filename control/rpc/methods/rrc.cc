#include <array>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "config/json.h"
#include "control/rpc/answer.h"
#include "control/rpc/audit.h"
#include "control/rpc/bearer_params.h"
#include "control/rpc/methods/keeping.h"
#include "control/rpc/rrc_change.h"

namespace control::rpc {
namespace {

// A bearer that a program keeps is the operator's afterwards.
Want want_of(const RrcChange& change, const dp::UeAddress& ue, const Record& record, const std::string& where,
             const BearerRegistry& registry, SettingsReader& reader) {
  const Json& asked = change.legs(record.part<dp::AmKind>() != nullptr);
  Json opened = Json::object();
  if (open_gates_of_program(registry, ue, record, opened)) opened.update(asked, true);
  const SharedSettings settings = reader.read(opened.empty() ? asked : opened, where, record.settings);
  return {ue, settings, record.origin, record.cell, std::nullopt, overridden(registry, ue)};
}

// Reads the bearers of a list: a UE alone changes by the settings common to all, an object by those and its
// own.
class ListReader {
 public:
  ListReader(const Json& common, const DataPlane& plane, SettingsReader& reader)
      : common_(common), plane_(plane), reader_(reader) {}

  Want read(const Json& listed, const std::string& where) {
    const bool selects = common_.contains(kQfi.name) || common_.contains(kTeid.name);
    if (!listed.is_object() && !selects) {
      const dp::UeAddress ue = to_ue(listed, where, plane_.config().networks);
      if (!for_all_) for_all_.emplace(common_, where);
      return want_of(*for_all_, ue, need_bearer(plane_.registry(), ue, where), where, plane_.registry(),
                     reader_);
    }
    Json all = common_;
    listed.is_object() ? all.update(listed) : all.update({{"bearer", listed}});
    const RrcChange change(all, where);
    const dp::UeAddress ue = Params(all, kRrcOfOne, where).need_ue("bearer", plane_.config().networks);
    return want_of(change, ue, need_bearer(plane_.registry(), ue, where), where, plane_.registry(), reader_);
  }

 private:
  const Json& common_;
  const DataPlane& plane_;
  SettingsReader& reader_;
  std::optional<RrcChange> for_all_;
};

// Bearers may be learnt between two slices, so the walk resumes in the registry by address.
Slices read_class(dp::ClassId cls, const Json& common, const BearerRegistry& registry, SettingsReader& reader,
                  Wish& wish) {
  const RrcChange change(common, "");
  for (auto at = registry.all().begin(); at != registry.all().end();) {
    const dp::UeAddress ue = at->first;
    if (at->second.settings->cls == cls)
      wish.set.push_back(want_of(change, ue, at->second, "", registry, reader));
    co_await Slices::Pause{};
    at = registry.after(ue);
  }
}

using Rates = std::array<std::uint64_t, 2>;  // by direction

Rates rates_of(const Record& record) {
  return {dp::rate_of(record.settings->downlink), dp::rate_of(record.settings->uplink)};
}

// The state of one bearer before the change, for the answer.
struct Before {
  SharedSettings settings{};
  Rates rates{};
  std::string direction{};  // the direction that a rate is for
};

Want read_one(const Json& json, const dp::UeAddress& ue, const BearerRegistry& registry,
              SettingsReader& reader, Before& before) {
  const RrcChange change(json, "");
  const Record& record = need_bearer(registry, ue);
  before = {record.settings, rates_of(record), change.direction(record.part<dp::AmKind>() != nullptr)};
  return want_of(change, ue, record, "", registry, reader);
}

Slices read_wish(std::shared_ptr<const Json> json, const DataPlane& plane, std::shared_ptr<Before> before,
                 Wish& wish) {
  const Params params(*json, kRrc);
  if (params.has("bearer") + params.has("bearers") + params.has("class") != 1) {
    throw Fault(kInvalidParams, "expected one of \"bearer\", \"bearers\" and \"class\": whose rate changes");
  }
  SettingsReader reader(plane.config().profiles, plane.traces());
  Json common = Json::object();
  for (const auto& [key, value] : json->items()) {
    if (key != "bearers" && key != "class") common[key] = value;
  }
  if (const Json* list = params.array("bearers")) {
    ListReader listed(common, plane, reader);
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string where = fmt::format("bearers[{}]", i);
      wish.set.push_back(listed.read((*list)[i], where));
      co_await Slices::Pause{};
    }
  } else if (const auto name = params.text("class")) {
    for (const std::string_view selector : {kQfi.name, kTeid.name}) {
      if (params.has(selector)) params.refuse(selector, "given beside \"class\"; it is for \"bearer\"");
    }
    const dp::ClassId cls = class_named(*name, "class", plane.config().classes);
    Slices all = read_class(cls, common, plane.registry(), reader, wish);
    co_await all;
  } else {
    const dp::UeAddress ue = params.need_ue("bearer", plane.config().networks);
    wish.set.push_back(read_one(common, ue, plane.registry(), reader, *before));
  }
}

// Adds the rates to the answer, if one was requested.
void tell_rates(Json& answer, const Before& before, const Rates& now) {
  const std::size_t leg = before.direction == dp::name(dp::Direction::uplink) ? 1 : 0;
  answer["direction"] = before.direction;
  answer["rate"] = now[leg];
  answer["was"] = before.rates[leg];
  if (before.direction != RrcChange::kBoth) return;
  answer["uplink_was"] = before.rates[1];
  if (now[1] != now[0]) answer["uplink_rate"] = now[1];
}

Json told_of_one(const DataPlane& plane, const Json& params, const Before& before, const Applied& applied) {
  const dp::UeAddress ue = Params(params, kRrc).need_ue("bearer", plane.config().networks);
  const Record& record = need_bearer(plane.registry(), ue);
  Json answer = {{"changed", difference(*before.settings, *record.settings)}, {"lost", applied.lost}};
  add_name(answer, "bearer", ue, plane.config().networks);
  if (params.contains("rate") || params.contains("uplink_rate")) {
    tell_rates(answer, before, rates_of(record));
  }
  return answer;
}

Json told_of_many(const Applied& applied, Connection::Clock::time_point asked) {
  std::chrono::duration<double> took{};
  if (!applied.changed_at.empty()) took = applied.changed_at.back() - asked;
  return {{"changed", applied.changed},
          {"unchanged", applied.unchanged},
          {"lost", applied.lost},
          {"seconds", took.count()}};
}

std::string whom(const Json& params) {
  if (!params.is_object() || !params.contains("class"))
    return named_in(params, "bearer", "bearers", "bearer");
  return "class " + named_in(params, "class", "classes", "class");
}

}  // namespace

void rrc_reconfigure(const Request& request) {
  const DataPlane& plane = request.services.plane;
  const auto before = std::make_shared<Before>();
  const auto changes = std::make_shared<std::string>();
  const auto wish = [params = request.kept, &plane, before](Wish& made) {
    return read_wish(params, plane, before, made);
  };
  const auto answer = [params = request.kept, &plane, &view = request.services.view,
                       asked = request.peer.asked, before, changes](const Applied& applied) {
    count_changes(view, applied, asked);
    *changes = describe(applied, plane.config());
    return params->contains("bearer") ? told_of_one(plane, *params, *before, applied)
                                      : told_of_many(applied, asked);
  };
  Done done = logged(request, "rrc.reconfigure", whom(request.params), changes);
  request.services.plane.bearers().apply(wish, answer_with<Applied>(std::move(done), answer), request.client);
}

void rrc_relocate(const Request& request) {
  const Params params(request.params, kRelocate);
  DataPlane& plane = request.services.plane;
  const dp::UeAddress ue = params.need_ue("ue", plane.config().networks);
  const std::string to = params.need_text("cell");
  const auto was = std::make_shared<std::string>();
  const auto wish = [&plane, ue, to, was] {
    const Record& record = need_bearer(plane.registry(), ue);
    CellRecord& cell = cell_named(plane.cells().records(), to, "cell");
    if (record.cell == nullptr) {
      throw Fault(kInvalidParams,
                  fmt::format("ue: {} is in no cell: its link is not `cell`", plane.registry().text_of(ue)));
    }
    *was = record.cell->name;
    Wish made;
    made.set.push_back({ue, record.settings, record.origin, &cell});
    return made;
  };
  const auto changes = std::make_shared<std::string>();
  const auto answer = [&plane, ue, to, was, changes](const Applied& applied) {
    *changes = describe(applied, plane.config());
    Json json{{"was", *was}, {"cell", to}};
    add_name(json, "ue", ue, plane.config().networks);
    return json;
  };
  Done done = logged(request, "rrc.relocate", plane.registry().text_of(ue), changes);
  plane.bearers().apply(wish, answer_with<Applied>(std::move(done), answer), request.client);
}

}  // namespace control::rpc
