#include <memory>
#include <utility>

#include <fmt/core.h>

#include "control/rpc/answer.h"
#include "control/rpc/audit.h"
#include "control/rpc/bearer_params.h"
#include "control/workers/proxy_sum.h"

namespace control::rpc {
namespace {

template <std::size_t kN>
Json named(const std::array<std::uint64_t, kN>& counts, const std::array<std::string_view, kN>& names) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kN; ++i) json[std::string(names[i])] = counts[i];
  return json;
}

Json class_json(const std::string& name, const ProxySum& sum) {
  return {{"name", name},
          {"flows", named(sum.flows, dp::kSplitStateNames)},
          {"stored_bytes", sum.stored},
          {"at_risk_bytes", sum.at_risk},
          {"acked_bytes", sum.acked},
          {"retransmissions", sum.retransmissions},
          {"timeouts", sum.timeouts},
          {"window_closed", sum.window_closed},
          {"gave_way", sum.gave_way},
          {"unsplit", named(sum.unsplit, dp::kUnsplitNames)},
          {"resets", named(sum.resets, dp::kSplitResetNames)}};
}

// The drain before a change of mode; null without one.
Json drain_json(const Drain& drain) {
  if (!drain.under_way()) return nullptr;
  const std::chrono::duration<double> left = drain.left(Drain::Clock::now());
  return {{"seconds_left", left.count()}};
}

struct Asked {
  Modes::Proxies which{};
  Json told = Json::object();  // the class or UE of the proxies, for the answer
  bool on = true;
};

Asked read_drain(const Json& json, const DataPlane& plane) {
  const Params params(json, kProxyDrain);
  Asked asked;
  asked.on = !params.flag("off");
  const bool all = params.flag("all");
  if (params.has("class") + params.has("ue") + all != 1) {
    throw Fault(kInvalidParams, "expected one of \"class\", \"ue\" and \"all\": true: whose proxies");
  }
  if (const auto name = params.text("class")) {
    asked.which.cls = class_named(*name, "class", plane.config().classes);
    asked.told["class"] = *name;
    if (!plane.modes().proxied(*asked.which.cls)) {
      params.refuse("class", fmt::format("neither class {} nor a bearer of it has a proxy", *name));
    }
  } else if (!all) {
    asked.which.ue = params.need_ue("ue", plane.config().networks);
    add_name(asked.told, "ue", *asked.which.ue, plane.config().networks);
  }
  for (const std::string_view selector : {kQfi.name, kTeid.name}) {
    if (params.has(selector) && !asked.which.ue) params.refuse(selector, "given without \"ue\"; name the UE");
  }
  return asked;
}

}  // namespace

void proxy_show(const Request& request) {
  const Params params(request.params, kNothing);
  const DataPlane& plane = request.services.plane;
  const std::vector<config::Class>& classes = plane.config().classes;
  Json list = Json::array();
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const ProxySum sum = proxies_of_class(plane.runtime(), c);
    if (!plane.modes().proxied(static_cast<dp::ClassId>(c)) && sum == ProxySum{}) continue;
    list.push_back(class_json(classes[c].name, sum));
  }
  Json json = list_json(std::move(list));
  json["at_risk_bytes"] = plane.modes().drain().at_risk();
  json["mode_drain"] = drain_json(plane.modes().drain());
  request.done(std::move(json));
}

void proxy_drain(const Request& request) {
  std::string whom = named_in(request.params, "ue", "ues", "ue");
  if (whom.empty()) whom = named_in(request.params, "class", "classes", "class");
  audited(request, "proxy.drain", whom.empty() ? "all" : whom, [&request](const Done& done) {
    const Asked asked = read_drain(request.params, request.services.plane);
    const auto answer = [asked](std::uint64_t at_risk) {
      Json json = asked.told;
      json["draining"] = asked.on;
      if (!asked.which.ue) json["at_risk_bytes"] = at_risk;
      return json;
    };
    request.services.plane.modes().drain_proxies(asked.which, asked.on,
                                                 answer_with<std::uint64_t>(done, answer), request.client);
  });
}

}  // namespace control::rpc
