#include <array>
#include <memory>
#include <utility>

#include "config/json.h"
#include "config/notation/words.h"
#include "control/rpc/answer.h"
#include "control/rpc/audit.h"
#include "control/rpc/bearer_params.h"

namespace control::rpc {
namespace {

constexpr std::string_view kBoth = "both";

struct Change {
  std::string direction;
  Json legs = Json::object();  // what replaces what the bearer has
};

// An air has one rate unless told otherwise: both of its directions change.
std::string direction_of(const Params& params, const Record& record) {
  const bool down_only = record.air == nullptr || params.has("uplink_rate");
  const auto given = params.text("direction");
  const std::string direction = given.value_or(
      std::string(down_only || !params.has("rate") ? dp::name(dp::Direction::downlink) : kBoth));
  if (direction == kBoth || direction == "downlink" || direction == "uplink") return direction;
  params.refuse("direction", "expected \"downlink\", \"uplink\" or \"both\", found \"" +
                                 config::shorten(direction) + "\"");
}

Change read_change(const Params& params, const Record& record) {
  Change change{direction_of(params, record)};
  const Json* const rate = params.find("rate");
  for (const dp::Direction d : dp::kDirections) {
    const bool named = change.direction == kBoth || change.direction == dp::name(d);
    if (rate != nullptr && named) change.legs[std::string(dp::name(d))]["rate"] = *rate;
  }
  if (const Json* up = params.find("uplink_rate")) {
    if (change.legs.contains("uplink")) {
      params.refuse("uplink_rate", "given beside a \"rate\" of the uplink; give one of the two");
    }
    change.legs["uplink"]["rate"] = *up;
    change.direction = change.legs.contains("downlink") ? kBoth : dp::name(dp::Direction::uplink);
  }
  if (const Json* aqm = params.find("aqm")) change.legs["downlink"]["aqm"] = *aqm;
  if (const Json* aqm = params.find("uplink_aqm")) change.legs["uplink"]["aqm"] = *aqm;
  if (const Json* ack = params.find("ack")) change.legs["uplink"]["ack"] = *ack;
  if (!change.legs.empty()) return change;
  throw Fault(kInvalidParams,
              "parameter \"" + params.path("rate") +
                  "\" is missing, and so are \"uplink_rate\", \"aqm\", \"uplink_aqm\" and \"ack\": "
                  "give at least one");
}

Params change_params(const Json& json, const std::string& where) {
  return {json, {"bearer", "rate", "uplink_rate", "direction", "aqm", "uplink_aqm", "ack"}, where};
}

Want read_want(const Json& json, const dp::UeAddress& ue, const std::string& where, const Plane& plane,
               SettingsReader& reader) {
  const Params params = change_params(json, where);
  const Record& record = need_bearer(plane, ue, where);
  return {ue, reader.read(read_change(params, record).legs, where, record.settings), record.origin};
}

// Each with what is said for all, unless it says otherwise; a UE alone says nothing.
Want read_listed(const Json& listed, Json common, const std::string& where, const Plane& plane,
                 SettingsReader& reader) {
  if (listed.is_object()) {
    common.update(listed);
  } else {
    common["bearer"] = listed;
  }
  return read_want(common, change_params(common, where).need_ue("bearer"), where, plane, reader);
}

// Bearers may be learnt between two slices, so the walk takes up the registry by address.
Slices read_class(dp::ClassId cls, const Json& common, const Plane& plane, SettingsReader& reader,
                  Wish& wish) {
  const Registry& registry = plane.registry();
  for (auto at = registry.all().begin(); at != registry.all().end();) {
    const dp::UeAddress ue = at->first;
    if (at->second.settings.cls == cls) wish.set.push_back(read_want(common, ue, "", plane, reader));
    co_await Slices::Pause{};
    at = registry.after(ue);
  }
}

using Rates = std::array<std::uint64_t, 2>;  // by direction

Rates rates_of(const Record& record) {
  return {record.bearer->downlink.rate(), record.bearer->uplink.rate()};
}

// What an answer about one bearer needs to know of it before.
struct Before {
  dp::BearerSettings settings{};
  Rates rates{};
  std::string direction{};  // that a rate is for
};

void remember(const Json& json, const dp::UeAddress& ue, const Plane& plane, Before& before) {
  const Record& record = need_bearer(plane, ue);
  before.settings = record.settings;
  before.rates = rates_of(record);
  before.direction = read_change(change_params(json, ""), record).direction;
}

Slices read_wish(std::shared_ptr<const Json> json, const Plane& plane, std::shared_ptr<Before> before,
                 Wish& wish) {
  const Params params(
      *json, {"bearer", "bearers", "class", "rate", "uplink_rate", "direction", "aqm", "uplink_aqm", "ack"});
  if (params.has("bearer") + params.has("bearers") + params.has("class") != 1) {
    throw Fault(kInvalidParams, "expected one of \"bearer\", \"bearers\" and \"class\": whose rate changes");
  }
  SettingsReader reader(plane.config().profiles, plane.traces());
  Json common = Json::object();
  for (const auto& [key, value] : json->items()) {
    if (key != "bearers" && key != "class") common[key] = value;
  }
  if (const Json* list = params.array("bearers")) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string where = "bearers[" + std::to_string(i) + "]";
      wish.set.push_back(read_listed((*list)[i], common, where, plane, reader));
      co_await Slices::Pause{};
    }
  } else if (const auto name = params.text("class")) {
    const dp::ClassId cls = class_named(*name, "class", plane.config().classes);
    Slices all = read_class(cls, common, plane, reader, wish);
    co_await all;
  } else {
    const dp::UeAddress ue = params.need_ue("bearer");
    wish.set.push_back(read_want(common, ue, "", plane, reader));
    remember(common, ue, plane, *before);
  }
}

// The rates, where one was asked for.
void tell_rates(Json& answer, const Before& before, const Rates& now) {
  const std::size_t leg = before.direction == dp::name(dp::Direction::uplink) ? 1 : 0;
  answer["direction"] = before.direction;
  answer["rate"] = now[leg];
  answer["was"] = before.rates[leg];
  if (before.direction != kBoth) return;
  answer["uplink_was"] = before.rates[1];
  if (now[1] != now[0]) answer["uplink_rate"] = now[1];
}

Json told_of_one(const Plane& plane, const Json& params, const Before& before, const Applied& applied) {
  const dp::UeAddress ue = to_ue(params["bearer"], "bearer");
  const Record& record = need_bearer(plane, ue);
  Json answer = {{"bearer", dp::to_string(ue)},
                 {"changed", difference(before.settings, record.settings)},
                 {"lost", applied.lost}};
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
  const Plane& plane = request.services.plane;
  const auto before = std::make_shared<Before>();
  const auto changes = std::make_shared<std::string>();
  const auto wish = [params = request.kept, &plane, before](Wish& made) {
    return read_wish(params, plane, before, made);
  };
  const auto answer = [params = request.kept, &plane, &view = request.services.view,
                       asked = request.peer.asked, before, changes](const Applied& applied) {
    count_changes(view, applied, asked);
    *changes = describe(applied, plane.config().classes);
    return params->contains("bearer") ? told_of_one(plane, *params, *before, applied)
                                      : told_of_many(applied, asked);
  };
  Done done = logged(request, "rrc.reconfigure", whom(request.params), changes);
  request.services.plane.apply(wish, answer_with<Applied>(std::move(done), answer), request.client);
}

}  // namespace control::rpc
