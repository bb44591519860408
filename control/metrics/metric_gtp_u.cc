#include <string_view>

#include "control/metrics/metric_groups.h"

namespace control {
namespace {

constexpr std::string_view kTunnelReasons = "gtp_u_";
// Signalling between the ends of tunnels, which has no user's packet.
constexpr std::string_view kNoPacketExpected = "gtp_u_message";

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
}

}  // namespace control
