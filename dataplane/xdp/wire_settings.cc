// Control's settings for a wire's XDP program that runs: the frames of the short-cut, and the tunnels.
#include <algorithm>

#include "dataplane/base/expect.h"
#include "dataplane/xdp/wire.h"

namespace dp::xdp {
namespace {

constexpr std::size_t kMostEndpoints = 2 * WIRE_PEERS;  // in the tries of both IP versions

static_assert(WIRE_PEERS == GtpUSettings::kMostPeers && WIRE_GTP_U_PORTS == GtpUSettings::kMostPorts);

// Requires: they fit.
Status replace(PrefixTries& tries, const std::vector<GtpUPeer>& peers) {
  if (auto cleared = tries.clear(kMostEndpoints); !cleared) return cleared.error();
  for (const GtpUPeer& peer : peers) {
    if (auto added = tries.add(peer.prefix); !added) return added;
  }
  return ok();
}

}  // namespace

WireShortcut* Wire::shortcut() const {
  DP_EXPECT(owns_);
  return has_both() ? shortcut_.get() : nullptr;
}

Status Wire::take_shortcut(Shortcut which) {
  const std::lock_guard lock(changing_);
  settings_.shortcut = static_cast<unsigned>(which);
  return put_settings();
}

Status Wire::set_gtp_u(const GtpUSettings& gtp_u) {
  DP_EXPECT(is_there());
  DP_EXPECT(gtp_u.peers.size() <= GtpUSettings::kMostPeers && gtp_u.ports.size() <= GtpUSettings::kMostPorts);
  const std::lock_guard lock(changing_);
  // Frames come meanwhile, and the tries change one entry after the other.
  settings_.tunnels = WIRE_TUNNELS_CHANGE;
  if (auto put = put_settings(); !put) return put;
  if (auto replaced = replace(*peers_, gtp_u.peers); !replaced) return replaced;
  settings_.tunnels = gtp_u.peers.empty() ? WIRE_NO_TUNNELS : WIRE_TUNNELS;
  settings_.ignores_sequence = gtp_u.sequence == GtpUSequence::ignore ? 1 : 0;
  settings_.gtp_u_ports = static_cast<unsigned>(gtp_u.ports.size());
  std::ranges::copy(gtp_u.ports, settings_.gtp_u_port);
  return put_settings();
}

}  // namespace dp::xdp
