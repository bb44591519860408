#include "control/told/pfcp/peers.h"

#include <utility>

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

bool Peers::note(const Address& address, std::uint32_t recovery) {
  const auto found = peers_.find(address);
  if (found == peers_.end()) return false;
  touch(address, found->second);
  // Seconds, which wrap; an earlier one was overtaken on the way.
  const auto before = std::exchange(found->second.recovery, recovery);
  if (!before || *before == recovery) return false;
  if (static_cast<std::int32_t>(recovery - *before) > 0) return true;
  found->second.recovery = before;
  return false;
}

}  // namespace control::told::pfcp
