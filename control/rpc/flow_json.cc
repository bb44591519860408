#include "control/rpc/flow_json.h"

namespace control::rpc {
namespace {

const char* state_of(const dp::Flow& flow) {
  if (flow.over()) return "over";
  if (flow.finished[0] || flow.finished[1]) return "closing";
  return flow.established ? "established" : "opening";
}

// The smoothed round-trip time; null while there is no sample.
Json rtt_json(dp::Duration smoothed) {
  return smoothed.count() == 0 ? Json(nullptr) : Json(in_seconds(smoothed));
}

// Windows are known if both SYNs were seen; otherwise their scale is unknown.
Json windows_json(const dp::Flow& flow) {
  Json json = {{"ue", nullptr}, {"told", nullptr}};
  if (!flow.scale_known()) return json;
  if (flow.heard) json["ue"] = flow.window_of(flow.window);
  if (flow.ack_forwarded) json["told"] = flow.advertised_edge - flow.forwarded_ack;
  return json;
}

// The state of the flow in the bearer's proxy.
Json split_json(const dp::SplitRow& row) {
  return {{"state", row.state ? Json(dp::kSplitStateNames[dp::index(*row.state)]) : Json("unsplit")},
          {"stored_bytes", row.stored},
          {"at_risk_bytes", row.at_risk},
          {"cwnd_bytes", row.cwnd},
          {"ue_rtt_seconds", rtt_json(row.ue_rtt)},
          {"retransmissions", row.retransmissions},
          {"timeouts", row.timeouts}};
}

}  // namespace

Json flow_json(const dp::Flow& flow, const dp::SplitRow* split, dp::Time now) {
  const dp::FlowKey& key = flow.key;
  const auto both = [&](bool dp::SynWords::*option) { return flow.syn[0].*option && flow.syn[1].*option; };
  const bool known = flow.scale_known();
  return {{"ue", dp::address_text(key.ipv6, key.ue_hi, key.ue_lo)},
          {"ue_port", key.ue_port},
          {"peer", dp::address_text(key.ipv6, key.peer_hi, key.peer_lo)},
          {"peer_port", key.peer_port},
          {"state", state_of(flow)},
          {"handshake_seen", known},
          {"asymmetric", flow.asymmetric},
          {"rtt_seconds", {{"radio", rtt_json(flow.radio.smoothed)}, {"core", rtt_json(flow.core.smoothed)}}},
          {"window_bytes", windows_json(flow)},
          {"scale", known ? Json(flow.shift()) : Json(nullptr)},
          {"mss", flow.mss()},
          {"sack", both(&dp::SynWords::sack)},
          {"timestamps", both(&dp::SynWords::timestamps)},
          {"ecn", flow.ecn()},
          {"held_acks", flow.held},
          {"kept_segments", flow.kept},
          {"local_retransmissions", flow.resent},
          {"hidden_losses", flow.hidden},
          {"outstanding_bytes", flow.outstanding()},
          {"pipe_bytes", flow.pipe()},
          {"idle_seconds", in_seconds(now - flow.last_seen)},
          {"proxy", split == nullptr ? Json(nullptr) : split_json(*split)}};
}

}  // namespace control::rpc
