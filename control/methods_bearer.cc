#include <algorithm>
#include <array>
#include <memory>

#include "config/json.h"
#include "config/words.h"
#include "control/audit.h"
#include "control/bearer_json.h"
#include "control/params.h"

namespace control::rpc {
namespace {

dp::ClassId class_named(const std::string& name, const std::string& path,
                        const std::vector<config::Class>& classes) {
  const auto at =
      std::find_if(classes.begin(), classes.end(), [&](const config::Class& c) { return c.name == name; });
  if (at != classes.end()) return static_cast<dp::ClassId>(at - classes.begin());
  std::vector<std::string_view> names;
  for (const config::Class& c : classes) names.push_back(c.name);
  throw Fault(kInvalidParams, path + ": no class \"" + config::shorten(name) + "\"" +
                                  config::did_you_mean(name, names) + "; classes are " +
                                  config::one_of(names));
}

// What is wrong with many bearers comes in one answer: the first in words, all in data.
[[noreturn]] void refuse(const std::vector<config::Problem>& problems) {
  Json all = Json::array();
  for (const config::Problem& problem : problems) all.push_back(config::to_string(problem));
  throw Fault(kInvalidParams, all.front().get<std::string>(), Json{{"problems", all}});
}

// One bearer as asked for, upon what it is now.
Want read_want(const Json& json, const std::string& where, const Plane& plane) {
  const Params params(json, {"ue", "class", "downlink", "uplink"}, where);
  const std::vector<config::Class>& classes = plane.config().classes;
  Want want;
  want.ue = params.need_ue("ue");
  if (const auto name = params.text("class")) {
    want.settings = config::settings_of(classes, class_named(*name, params.path("class"), classes));
  } else if (const Record* record = plane.registry().find(want.ue)) {
    want.settings = record->settings;
  } else {
    throw Fault(kInvalidParams, params.path("class") + ": missing, and " + dp::to_string(want.ue) +
                                    " has no bearer whose class it could keep");
  }
  Json legs = Json::object();
  for (const char* leg : {"downlink", "uplink"}) {
    if (const Json* given = params.object(leg)) legs[leg] = *given;
  }
  const auto settings = config::read_settings(legs, where, want.settings);
  if (!settings) refuse(settings.problems);
  want.settings = *settings;
  return want;
}

Wish read_set(const Json& json, const Plane& plane) {
  Wish wish;
  if (!json.is_object() || !json.contains("bearers")) {
    wish.set.push_back(read_want(json, "", plane));
    return wish;
  }
  const Params params(json, {"bearers"});
  const Json& bearers = *params.array("bearers");
  for (std::size_t i = 0; i < bearers.size(); ++i) {
    wish.set.push_back(read_want(bearers[i], "bearers[" + std::to_string(i) + "]", plane));
  }
  return wish;
}

const Record& need_bearer(const Request& request, const dp::UeAddress& ue) {
  const Record* record = request.services.plane.registry().find(ue);
  if (record == nullptr) throw Fault(kNoSuchBearer, "no bearer " + dp::to_string(ue));
  return *record;
}

constexpr std::string_view kBoth = "both";

struct RateChange {
  std::string direction;
  Json legs;
};

// An air has one rate unless told otherwise: both of its directions change.
RateChange read_rate_change(const Params& params, const Record& record) {
  const bool air = record.air != nullptr;
  RateChange change{
      params.text("direction").value_or(std::string(air ? kBoth : dp::name(dp::Direction::downlink))),
      Json::object()};
  const Json rate{{"rate", params.need("rate")}};
  for (const dp::Direction d : dp::kDirections) {
    if (change.direction == kBoth || change.direction == dp::name(d))
      change.legs[std::string(dp::name(d))] = rate;
  }
  if (!change.legs.empty()) return change;
  params.refuse("direction", "expected \"downlink\", \"uplink\" or \"both\", found \"" +
                                 config::shorten(change.direction) + "\"");
}

std::array<std::uint64_t, 2> rates_of(const Record& record) {
  return {record.bearer->downlink.rate(), record.bearer->uplink.rate()};
}

std::string summary(const Json& params, const char* one, const char* many) {
  if (params.contains(many) && params[many].is_array())
    return std::to_string(params[many].size()) + " bearers";
  return params.value(one, std::string());
}

}  // namespace

void bearer_set(const Request& request) {
  const Plane& plane = request.services.plane;
  const auto params = std::make_shared<const Json>(request.params);
  read_set(*params, plane);  // refuses at once what is wrong anyhow
  const std::string what = summary(*params, "ue", "bearers");
  request.services.plane.apply([params, &plane] { return read_set(*params, plane); },
                               [](const Applied& applied) {
                                 return Json{{"created", applied.created},
                                             {"changed", applied.changed},
                                             {"unchanged", applied.unchanged}};
                               },
                               logged(request, "bearer.set", what));
}

void bearer_get(const Request& request) {
  const dp::UeAddress ue = Params(request.params, {"ue"}).need_ue("ue");
  const std::vector<config::Class>& classes = request.services.plane.config().classes;
  request.done(to_json(ue, need_bearer(request, ue), classes, Detail::full));
}

void bearer_list(const Request& request) {
  const Params params(request.params, {"class", "cursor", "limit"});
  const Plane& plane = request.services.plane;
  const std::vector<config::Class>& classes = plane.config().classes;
  const std::uint64_t limit = params.number("limit", 1, 1000).value_or(100);
  std::optional<dp::ClassId> cls;
  if (const auto name = params.text("class")) cls = class_named(*name, "class", classes);
  const Registry::Map& all = plane.registry().all();
  auto at = params.has("cursor") ? plane.registry().after(params.need_ue("cursor")) : all.begin();

  Json bearers = Json::array();
  Json next = nullptr;
  for (dp::UeAddress last; at != all.end(); ++at) {
    if (cls && at->second.settings.cls != *cls) continue;
    if (bearers.size() == limit) {
      next = dp::to_string(last);
      break;
    }
    last = at->first;
    bearers.push_back(to_json(at->first, at->second, classes, Detail::brief));
  }
  request.done(Json{{"bearers", std::move(bearers)}, {"next", std::move(next)}});
}

void bearer_remove(const Request& request) {
  const Params params(request.params, {"ue", "ues"});
  Wish wish;
  if (const Json* ues = params.array("ues")) {
    if (params.has("ue")) params.refuse("ue", "given beside \"ues\"; give one of the two");
    for (std::size_t i = 0; i < ues->size(); ++i) {
      wish.remove.push_back(to_ue((*ues)[i], "ues[" + std::to_string(i) + "]"));
    }
  } else {
    wish.remove.push_back(params.need_ue("ue"));
  }
  request.services.plane.apply([wish] { return wish; },
                               [](const Applied& applied) {
                                 return Json{{"removed", applied.removed}};
                               },
                               logged(request, "bearer.remove", summary(request.params, "ue", "ues")));
}

void rrc_reconfigure(const Request& request) {
  const Params params(request.params, {"bearer", "rate", "direction"});
  const dp::UeAddress ue = params.need_ue("bearer");
  const RateChange change = read_rate_change(params, need_bearer(request, ue));
  const auto was = std::make_shared<std::array<std::uint64_t, 2>>();
  const Plane& plane = request.services.plane;
  const auto wish = [&plane, ue, change, was] {
    const Record* record = plane.registry().find(ue);
    if (record == nullptr) throw Fault(kNoSuchBearer, "no bearer " + dp::to_string(ue));
    *was = rates_of(*record);
    const auto settings = config::read_settings(change.legs, "", record->settings);
    if (!settings) refuse(settings.problems);
    return Wish{{{ue, *settings, record->origin}}, {}};
  };
  wish();  // refuses at once what is wrong anyhow
  request.services.plane.apply(
      wish,
      [&plane, ue, change, was](const Applied&) {
        const auto now = rates_of(*plane.registry().find(ue));
        const std::size_t leg = change.direction == dp::name(dp::Direction::uplink) ? 1 : 0;
        Json answer = {{"bearer", dp::to_string(ue)},
                       {"direction", change.direction},
                       {"rate", now[leg]},
                       {"was", (*was)[leg]}};
        if (change.direction == kBoth) answer["uplink_was"] = (*was)[1];
        return answer;
      },
      logged(request, "rrc.reconfigure", dp::to_string(ue)));
}

}  // namespace control::rpc
