#include <memory>

#include "config/json.h"
#include "control/audit.h"
#include "control/bearer_json.h"
#include "control/bearer_params.h"

namespace control::rpc {
namespace {

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
  const auto settings =
      config::read_settings(legs, where, want.settings, plane.config().profiles, &plane.traces());
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
  ViewCell& view = request.services.view;
  const auto asked = request.peer.asked;
  request.services.plane.apply([params, &plane] { return read_set(*params, plane); },
                               [&view, asked](const Applied& applied) {
                                 count_changes(view, applied, asked);
                                 return Json{{"created", applied.created},
                                             {"changed", applied.changed},
                                             {"unchanged", applied.unchanged}};
                               },
                               logged(request, "bearer.set", what));
}

void bearer_get(const Request& request) {
  const dp::UeAddress ue = Params(request.params, {"ue"}).need_ue("ue");
  const std::vector<config::Class>& classes = request.services.plane.config().classes;
  request.done(to_json(ue, need_bearer(request.services.plane, ue), classes,
                       request.services.plane.runtime().now(), Detail::full));
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

  const dp::Time now = plane.runtime().now();
  Json bearers = Json::array();
  Json next = nullptr;
  for (dp::UeAddress last; at != all.end(); ++at) {
    if (cls && at->second.settings.cls != *cls) continue;
    if (bearers.size() == limit) {
      next = dp::to_string(last);
      break;
    }
    last = at->first;
    bearers.push_back(to_json(at->first, at->second, classes, now, Detail::brief));
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

}  // namespace control::rpc
