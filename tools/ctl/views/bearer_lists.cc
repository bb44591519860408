// Tables of bearers, of their tunnels and of their connections.
#include <array>
#include <string>

#include "tools/ctl/members.h"
#include "tools/ctl/views.h"

namespace ctl::views {
namespace {

Json name_of_bearer(const Json& row) { return name_of(look(row, "/ue"), row); }

// The time in which the leg's rate carries what is queued; null without a rate.
Json queue_ms(const Json& leg) {
  const Json &rate = look(leg, "/rate"), &bytes = look(leg, "/queued_bytes");
  if (!rate.is_number() || !bytes.is_number() || rate == 0) return nullptr;
  return bytes.get<double>() * 8e3 / rate.get<double>();
}
Json downlink_ms(const Json& row) { return queue_ms(look(row, "/downlink")); }
Json uplink_ms(const Json& row) { return queue_ms(look(row, "/uplink")); }

constexpr std::array kBearerColumns{
    Column{"ue", Kind::text, "", Place::first, "", name_of_bearer},
    Column{"class", Kind::text, "/class"},
    Column{"rate", Kind::rate, "/downlink/rate"},
    Column{"queue", Kind::bytes, "/downlink/queued_bytes"},
    Column{"queue_ms", Kind::milliseconds, "", Place::first, "", downlink_ms, nullptr,
           "/downlink/rate /downlink/queued_bytes"},
    Column{"sent", Kind::bytes, "/downlink/delivered_bytes"},
    Column{"drops", Kind::count, "/downlink/dropped_sdus"},
    Column{"up_rate", Kind::rate, "/uplink/rate"},
    Column{"marks", Kind::count, "/downlink/marked_sdus", Place::wide},
    Column{"queue_sdus", Kind::count, "/downlink/queued_sdus", Place::wide},
    Column{"link", Kind::text, "/downlink/link", Place::wide},
    Column{"aqm", Kind::text, "/downlink/aqm", Place::wide},
    Column{"up_queue", Kind::bytes, "/uplink/queued_bytes", Place::wide},
    Column{"up_queue_ms", Kind::milliseconds, "", Place::wide, "", uplink_ms, nullptr,
           "/uplink/rate /uplink/queued_bytes"},
    Column{"up_sent", Kind::bytes, "/uplink/delivered_bytes", Place::wide},
    Column{"up_drops", Kind::count, "/uplink/dropped_sdus", Place::wide},
    Column{"up_marks", Kind::count, "/uplink/marked_sdus", Place::wide},
    Column{"silent", Kind::age, "/uplink/idle_seconds", Place::wide},
    Column{"cell", Kind::text, "/cell/name", Place::wide},
    Column{"worker", Kind::number, "/worker", Place::wide},
    Column{"learnt", Kind::text, "/learnt", Place::wide},
    Column{"owner", Kind::text, "/owner", Place::wide},
};

Json name_of_tunneled(const Json& row) { return name_of(look(row, "/ue"), look(row, "/dedicated")); }
bool is_stale(const Json& row) { return look(row, "/stale") == true; }

constexpr std::array kTunnelColumns{
    Column{"ue", Kind::text, "", Place::first, "", name_of_tunneled},
    Column{"leg", Kind::text, "/direction"},
    Column{"endpoint", Kind::text, "/endpoint"},
    Column{"teid", Kind::teid, "/teid"},
    Column{"qfi", Kind::number, "/qfi"},
    Column{"age", Kind::age, "/since_seconds"},
    Column{"stale", Kind::text, "/stale", Place::first, "", nullptr, is_stale},
    Column{"changes", Kind::count, "/changes", Place::wide},
};

std::string address(const Json& flow, const std::string& who) {
  const std::string ip = text_at(flow, ("/" + who).c_str()),
                    port = text_at(flow, ("/" + who + "_port").c_str());
  return (ip.find(':') == std::string::npos ? ip : "[" + ip + "]") + ":" + port;
}
Json ue_end(const Json& flow) { return address(flow, "ue"); }
Json peer_end(const Json& flow) { return address(flow, "peer"); }

// The result of the handshake, and the obstacles for the stages.
Json remarks(const Json& flow) {
  std::string text;
  const auto add = [&](const char* member, bool when, const char* remark) {
    if (look(flow, member) == when) text += (text.empty() ? "" : ", ") + std::string(remark);
  };
  add("/sack", true, "SACK");
  add("/timestamps", true, "timestamps");
  add("/handshake_seen", false, "no handshake seen");
  add("/asymmetric", true, "asymmetric");
  return text;
}

constexpr std::array kFlowColumns{
    Column{"ue", Kind::text, "", Place::first, "", ue_end},
    Column{"peer", Kind::text, "", Place::first, "", peer_end},
    Column{"state", Kind::text, "/state"},
    Column{"radio_ms", Kind::milliseconds, "/rtt_seconds/radio"},
    Column{"core_ms", Kind::milliseconds, "/rtt_seconds/core"},
    Column{"window", Kind::bytes, "/window_bytes/ue"},
    Column{"told", Kind::bytes, "/window_bytes/told", Place::wide},
    Column{"held", Kind::count, "/held_acks"},
    Column{"kept", Kind::count, "/kept_segments", Place::wide},
    Column{"repaired", Kind::count, "/local_retransmissions", Place::wide},
    Column{"hidden", Kind::count, "/hidden_losses", Place::wide},
    Column{"scale", Kind::number, "/scale", Place::wide},
    Column{"mss", Kind::number, "/mss", Place::wide},
    Column{"outstanding", Kind::bytes, "/outstanding_bytes", Place::wide},
    Column{"pipe", Kind::bytes, "/pipe_bytes", Place::wide},
    Column{"idle_ms", Kind::milliseconds, "/idle_seconds", Place::wide},
    Column{"remarks", Kind::text, "", Place::wide, "", remarks},
    Column{"proxy", Kind::text, "/proxy/state", Place::second},
    Column{"stored", Kind::bytes, "/proxy/stored_bytes", Place::second},
    Column{"at_risk", Kind::bytes, "/proxy/at_risk_bytes", Place::second},
    Column{"cwnd", Kind::bytes, "/proxy/cwnd_bytes", Place::second},
    Column{"ue_ms", Kind::milliseconds, "/proxy/ue_rtt_seconds", Place::second},
    Column{"resent", Kind::count, "/proxy/retransmissions", Place::second},
    Column{"timeouts", Kind::count, "/proxy/timeouts", Place::second},
};

std::string no_flows(const Json& answer) {
  return look(answer, "/followed") == false
             ? "no flows: the bearer has no ACK stages and no proxy, for which they are followed\n"
             : "no flows\n";
}

}  // namespace

const ListView kBearers{"bearers", kBearerColumns};
const ListView kTunnels{"tunnels", kTunnelColumns};
const ListView kFlows{"flows", kFlowColumns, no_flows};

}  // namespace ctl::views
