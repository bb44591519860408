#include <chrono>
#include <string>
#include <string_view>

#include "control/metrics/metric_groups.h"

namespace control {
namespace {

constexpr std::string_view kTunnelReasons = "gtp_u_";
// Signalling between the ends of tunnels, which has no user's packet.
constexpr std::string_view kNoPacketExpected = "gtp_u_message";

std::string text_of(const dp::TunnelEnd& end) { return dp::address_text(end.ipv6, end.hi, end.lo); }

double seconds(dp::Duration d) { return std::chrono::duration<double>(d).count(); }

// One series for each path, at most EchoTimes::kMostPaths.
void add_echoes(Families& out, const GtpUView& view) {
  Family trips(
      "rncd_gtp_u_echo_round_trip_seconds",
      "Round trips of GTP-U echoes by the ends of the path, as they pass rncd: from a request to its "
      "response, so that the part between the requester and rncd is not in it. Requests that were "
      "repeated are left out.",
      prometheus::MetricType::Summary);
  Family requests =
      Family::counter("rncd_gtp_u_echo_requests_total", "GTP-U echo requests by the ends of the path.");
  Family unanswered = Family::gauge("rncd_gtp_u_echo_unanswered",
                                    "GTP-U echo requests since the last response, by the ends of the path.");
  for (const EchoPath& path : view.echoes) {
    const Labels ends{label("requester", text_of(path.requester)),
                      label("responder", text_of(path.responder))};
    auto& trip = trips.append(ends).summary;
    trip.sample_count = path.timed;
    trip.sample_sum = seconds(path.sum);
    requests.add(ends, path.requests);
    unanswered.add(ends, path.unanswered);
  }
  trips.into(out);
  requests.into(out);
  unanswered.into(out);
  Family::counter(
      "rncd_gtp_u_echo_unmeasured_total",
      "GTP-U echoes that are in no series by path: there were too many paths, or echoes, at a time.")
      .add({}, view.echoes_unmeasured)
      .into(out);
}

}  // namespace

void add_gtp_u_metrics(Families& out, const dp::FrameAccount& account, const GtpUView& view) {
  Family unparsed = Family::counter(
      "rncd_gtp_u_unparsed_total",
      "Frames between tunnels' ends (dataplane.gtp_u.peers) that crossed unshaped because no user's packet "
      "could be read within, by the port that received them and the reason: those of "
      "rncd_passed_frames_total without gtp_u_.");
  for (const dp::Side side : dp::kSides) {
    const auto& passed = account.passed[dp::index(side)];
    for (std::size_t r = 0; r < dp::kPassReasons; ++r) {
      const std::string_view name = dp::kPassReasonNames[r];
      if (!name.starts_with(kTunnelReasons) || name == kNoPacketExpected) continue;
      unparsed.add({label("port", dp::name(side)), label("reason", name.substr(kTunnelReasons.size()))},
                   passed[r].frames);
    }
  }
  unparsed.into(out);
  Family messages = Family::counter("rncd_gtp_u_messages_total",
                                    "GTP-U messages that are no G-PDU, by the port that received them and "
                                    "their type (TS 29.281 table 6.1-1).");
  for (const dp::Side side : dp::kSides) {
    for (std::size_t m = 0; m < dp::kGtpUMessages; ++m) {
      messages.add({label("port", dp::name(side)), label("message", dp::kGtpUMessageNames[m])},
                   view.messages[dp::index(side)][m]);
    }
  }
  messages.into(out);
  Family::counter("rncd_gtp_u_tunnel_changes_total",
                  "Changes of bearers' tunnels: packets came by another one than before.")
      .add({}, view.changes)
      .into(out);
  add_echoes(out, view);
}

}  // namespace control
