#include "control/told/sink/wanted_bearer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "dataplane/bearer/settings.h"

namespace control::told {
namespace {

std::optional<std::uint64_t> rate_of(const Way& way) {
  if (!way.bit_per_s) return std::nullopt;
  return std::clamp(*way.bit_per_s, dp::kMinRate, dp::kMaxRate);
}

const Json& member(const Json& in, const char* name) {
  static const Json kNone;
  if (!in.is_object()) return kNone;
  const auto at = in.find(name);
  return at == in.end() ? kNone : *at;
}

dp::Gate gate_of(bool open, bool held) {
  return !open ? dp::Gate::closed : held ? dp::Gate::hold : dp::Gate::open;
}

Json leg_json(const std::optional<std::uint64_t>& rate, dp::Gate gate) {
  Json json{{"gate", dp::kGateNames[dp::index(gate)]}};
  if (rate) json["rate"] = *rate;
  return json;
}

dp::Gate gate_in(const Json& leg) {
  const Json& name = member(leg, "gate");
  const auto at =
      name.is_string() ? std::ranges::find(dp::kGateNames, name.get<std::string>()) : dp::kGateNames.end();
  return at == dp::kGateNames.end() ? dp::Gate::open : static_cast<dp::Gate>(at - dp::kGateNames.begin());
}

Json tunnel_json(const dp::TunnelKey& key, const std::optional<std::uint8_t>& qfi) {
  Json json{{"endpoint", dp::address_text(key.ipv6, key.hi, key.lo)}, {"teid", key.teid}};
  if (qfi) json["qfi"] = *qfi;
  return json;
}

// rncd takes no TEID 0, which no tunnel has (TS 29.281 clause 5.1).
std::optional<dp::TunnelKey> usable(const std::optional<dp::TunnelKey>& key) {
  return key && key->teid != 0 ? key : std::nullopt;
}

std::optional<std::uint64_t> number_of(const Json& value) {
  if (!value.is_number_integer() || value < 0) return std::nullopt;
  return value.get<std::uint64_t>();
}

std::optional<dp::TunnelKey> key_of(const Json& tunnel) {
  const auto teid = number_of(member(tunnel, "teid"));
  const Json& endpoint = member(tunnel, "endpoint");
  if (!teid || *teid == 0 || *teid > 0xffff'ffff || !endpoint.is_string()) return std::nullopt;
  const auto text = endpoint.get<std::string>();
  const bool ipv6 = text.find(':') != std::string::npos;
  const auto prefix = dp::parse_prefix(text + (ipv6 ? "/128" : "/32"));
  if (!prefix) return std::nullopt;
  return dp::TunnelKey{prefix->hi, prefix->lo, static_cast<std::uint32_t>(*teid), ipv6};
}

}  // namespace

std::vector<WantedBearer> bearers_of(const dp::UeAddress& ue, const Session& session, const ClassMap& classes,
                                     const SinkSettings& settings) {
  std::vector<WantedBearer> wanted;
  WantedBearer& main = wanted.emplace_back();
  main.bearer = ue;
  main.class_name = classes.class_of(session);
  main.downlink = rate_of(session.downlink);
  main.uplink = rate_of(session.uplink);
  main.downlink_gate = downlink_gate(session);
  main.uplink_gate = uplink_gate(session);
  if (!settings.tunnels) return wanted;
  main.to_core = usable(session.to_core);
  main.to_radio = usable(session.to_radio);
  if (session.qfi && *session.qfi <= dp::kMaxQfi) main.qfi = session.qfi;
  if (!main.has_tunnel()) return wanted;
  for (const Flow& flow : session.flows) {
    if (wanted.size() > dp::kMostDedicatedBearers) break;
    if (flow.qfi > dp::kMaxQfi) continue;
    WantedBearer& dedicated = wanted.emplace_back();
    dedicated.bearer = dp::dedicated_by_qfi(ue, flow.qfi);
    dedicated.class_name = classes.class_of(flow);
    dedicated.downlink = rate_of(flow.downlink);
    dedicated.uplink = rate_of(flow.uplink);
    dedicated.downlink_gate = gate_of(session.downlink.open && flow.downlink.open, session.idle);
    dedicated.uplink_gate = gate_of(session.uplink.open && flow.uplink.open, false);
  }
  return wanted;
}

Json name_json(const dp::UeAddress& bearer) {
  std::string ue = dp::to_string(dp::default_bearer_of(bearer));
  if (bearer.dedicated == dp::Dedicated::no) return ue;
  const char* const key = bearer.dedicated == dp::Dedicated::by_qfi ? "qfi" : "teid";
  return {{"ue", std::move(ue)}, {key, bearer.id}};
}

Json params_of(const WantedBearer& wanted, bool with_tunnel) {
  Json name = name_json(wanted.bearer);
  Json json = name.is_object() ? std::move(name) : Json{{"ue", std::move(name)}};
  json["class"] = wanted.class_name;
  json["downlink"] = leg_json(wanted.downlink, wanted.downlink_gate);
  json["uplink"] = leg_json(wanted.uplink, wanted.uplink_gate);
  if (!with_tunnel) return json;
  if (wanted.to_radio) json["tunnel"]["downlink"] = tunnel_json(*wanted.to_radio, wanted.qfi);
  if (wanted.to_core) json["tunnel"]["uplink"] = tunnel_json(*wanted.to_core, wanted.qfi);
  return json;
}

std::optional<dp::UeAddress> bearer_named(const Json& row) {
  const Json& name = member(row, "ue");
  if (!name.is_string()) return std::nullopt;
  const auto ue = dp::parse_ue(name.get<std::string>());
  if (!ue) return std::nullopt;
  if (const auto qfi = number_of(member(row, "qfi"))) {
    if (*qfi > dp::kMaxQfi) return std::nullopt;
    return dp::dedicated_by_qfi(*ue, static_cast<std::uint32_t>(*qfi));
  }
  if (const auto teid = number_of(member(row, "teid"))) {
    return dp::dedicated_by_teid(*ue, static_cast<std::uint32_t>(*teid));
  }
  return *ue;
}

WantedBearer wanted_of(const Json& row, const dp::UeAddress& bearer) {
  WantedBearer wanted;
  wanted.bearer = bearer;
  if (const Json& name = member(row, "class"); name.is_string()) wanted.class_name = name.get<std::string>();
  const Json &down = member(row, "downlink"), &up = member(row, "uplink");
  wanted.downlink = number_of(member(down, "rate"));
  wanted.uplink = number_of(member(up, "rate"));
  wanted.downlink_gate = gate_in(down);
  wanted.uplink_gate = gate_in(up);
  if (bearer.dedicated != dp::Dedicated::no) return wanted;
  wanted.to_radio = key_of(member(down, "tunnel"));
  wanted.to_core = key_of(member(up, "tunnel"));
  for (const Json* const leg : {&down, &up}) {
    const auto qfi = number_of(member(member(*leg, "tunnel"), "qfi"));
    if (qfi && *qfi <= dp::kMaxQfi) wanted.qfi = static_cast<std::uint8_t>(*qfi);
  }
  return wanted;
}

std::optional<dp::Duration> uplink_silence(const Json& row) {
  const Json& seconds = member(member(row, "uplink"), "idle_seconds");
  constexpr double kMost = 1e9;
  if (!seconds.is_number() || seconds < 0 || seconds > kMost) return std::nullopt;
  return std::chrono::duration_cast<dp::Duration>(std::chrono::duration<double>(seconds.get<double>()));
}

dp::Gate downlink_gate(const Session& session) { return gate_of(session.downlink.open, session.idle); }
dp::Gate uplink_gate(const Session& session) { return gate_of(session.uplink.open, false); }

std::string not_enforced(const Session& session, const SinkSettings& settings) {
  std::string text;
  const auto add = [&text](std::string_view part) { text.append(text.empty() ? "" : "; ").append(part); };
  if (session.flows.size() > dp::kMostDedicatedBearers)
    add("more flows than a UE can have dedicated bearers");
  if (!session.flows.empty() && !settings.tunnels) add("flows: rncd does not look into tunnels");
  return text;
}

}  // namespace control::told
