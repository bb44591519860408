#include <string_view>

#include "control/metrics/metric_groups.h"

namespace control {
namespace {

constexpr std::string_view kTunnelReasons = "gtp_u_";
// Signalling between the ends of tunnels, which has no user's packet.
constexpr std::string_view kNoPacketExpected = "gtp_u_message";

}  // namespace

void add_gtp_u_metrics(Families& out, const dp::FrameAccount& account) {
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
}

}  // namespace control
