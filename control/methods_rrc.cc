#include <array>
#include <memory>

#include "config/json.h"
#include "config/words.h"
#include "control/audit.h"
#include "control/bearer_params.h"

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

Want read_want(const Json& json, const dp::UeAddress& ue, const std::string& where, const Plane& plane) {
  const Params params = change_params(json, where);
  const Record& record = need_bearer(plane, ue, where);
  const auto settings = config::read_settings(read_change(params, record).legs, where, record.settings,
                                              plane.config().profiles);
  if (!settings) refuse(settings.problems);
  return {ue, *settings, record.origin};
}

// Each with what is said for all, unless it says otherwise; a UE alone says nothing.
void add_listed(Wish& wish, const Json& list, const Json& common, const Plane& plane) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string where = "bearers[" + std::to_string(i) + "]";
    Json one = common;
    if (list[i].is_object()) {
      one.update(list[i]);
    } else {
      one["bearer"] = list[i];
    }
    wish.set.push_back(read_want(one, change_params(one, where).need_ue("bearer"), where, plane));
  }
}

Wish read_wish(const Json& json, const Plane& plane) {
  Json common = json.is_object() ? json : Json::object();
  const Params params(
      json, {"bearer", "bearers", "class", "rate", "uplink_rate", "direction", "aqm", "uplink_aqm", "ack"});
  if (params.has("bearer") + params.has("bearers") + params.has("class") != 1) {
    throw Fault(kInvalidParams, "expected one of \"bearer\", \"bearers\" and \"class\": whose rate changes");
  }
  Wish wish;
  common.erase("bearers");
  common.erase("class");
  if (const Json* list = params.array("bearers")) {
    add_listed(wish, *list, common, plane);
  } else if (const auto name = params.text("class")) {
    const dp::ClassId cls = class_named(*name, "class", plane.config().classes);
    for (const auto& [ue, record] : plane.registry().all()) {
      if (record.settings.cls == cls) wish.set.push_back(read_want(common, ue, "", plane));
    }
  } else {
    wish.set.push_back(read_want(common, params.need_ue("bearer"), "", plane));
  }
  return wish;
}

using Rates = std::array<std::uint64_t, 2>;

Rates rates_of(const Record& record) {
  return {record.bearer->downlink.rate(), record.bearer->uplink.rate()};
}

Json told_of_one(const Plane& plane, const dp::UeAddress& ue, const std::string& direction, const Rates& was,
                 const Applied& applied) {
  const Rates now = rates_of(*plane.registry().find(ue));
  const std::size_t leg = direction == dp::name(dp::Direction::uplink) ? 1 : 0;
  Json answer = {{"bearer", dp::to_string(ue)},
                 {"direction", direction},
                 {"rate", now[leg]},
                 {"was", was[leg]},
                 {"lost", applied.lost}};
  if (direction != kBoth) return answer;
  answer["uplink_was"] = was[1];
  if (now[1] != now[0]) answer["uplink_rate"] = now[1];
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
  if (params.contains("bearers")) return std::to_string(params["bearers"].size()) + " bearers";
  return params.contains("class") ? "class " + params["class"].get<std::string>()
                                  : params["bearer"].get<std::string>();
}

}  // namespace

void rrc_reconfigure(const Request& request) {
  const Plane& plane = request.services.plane;
  const auto params = std::make_shared<const Json>(request.params);
  const Wish first = read_wish(*params, plane);  // refuses at once what is wrong anyhow
  const auto was = std::make_shared<Rates>();
  const bool one = params->contains("bearer");
  const dp::UeAddress ue = one ? first.set.front().ue : dp::UeAddress{};
  const auto wish = [&plane, params, one, ue, was] {
    Wish made = read_wish(*params, plane);
    if (one) *was = rates_of(*plane.registry().find(ue));
    return made;
  };
  const std::string direction =
      one ? read_change(change_params(*params, ""), *plane.registry().find(ue)).direction : "";
  const auto answer = [&plane, &view = request.services.view, asked = request.peer.asked, one, ue, direction,
                       was](const Applied& applied) {
    count_changes(view, applied, asked);
    return one ? told_of_one(plane, ue, direction, *was, applied) : told_of_many(applied, asked);
  };
  request.services.plane.apply(wish, answer, logged(request, "rrc.reconfigure", whom(*params)));
}

}  // namespace control::rpc
