#include "control/told/pfcp/peers.h"

#include <chrono>

namespace control::told::pfcp {

void Peers::touch(const Address& address, Peer& peer) {
  by_use_.erase(peer.used);
  peer.used = ++uses_;
  by_use_.emplace(peer.used, address);
}

void Peers::add(const Address& address) {
  if (most_ == 0) return;
  auto found = peers_.find(address);
  if (found == peers_.end()) {
    if (peers_.size() >= most_) {
      peers_.erase(by_use_.begin()->second);
      by_use_.erase(by_use_.begin());
    }
    found = peers_.try_emplace(address).first;
  }
  touch(address, found->second);
}

bool Peers::moves_with_the_clock(const Peer& peer, std::uint32_t recovery, dp::Time told) {
  // Stamps are whole seconds, and messages take time.
  constexpr dp::Duration kSecond = std::chrono::seconds(1), kApart = 3 * kSecond / 2;
  const dp::Duration stamps = std::chrono::seconds(recovery - *peer.recovery), messages = told - peer.last;
  return peer.last - peer.first < kSecond && stamps - messages <= kApart && messages - stamps <= kApart;
}

bool Peers::note(const Address& address, std::uint32_t recovery, dp::Time told) {
  const auto found = peers_.find(address);
  if (found == peers_.end()) return false;
  Peer& peer = found->second;
  touch(address, peer);
  // Seconds, which wrap; an earlier one was overtaken on the way.
  const std::int32_t later = peer.recovery ? static_cast<std::int32_t>(recovery - *peer.recovery) : 1;
  if (later < 0) return false;
  const bool restarted = peer.recovery && later > 0 && !moves_with_the_clock(peer, recovery, told);
  peer.last = told;
  if (later == 0) return false;
  peer.recovery = recovery;
  peer.first = told;
  return restarted;
}

}  // namespace control::told::pfcp
