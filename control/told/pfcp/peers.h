// CP and UP functions by their addresses, with their recovery time stamps (TS 29.244 clause 8.2.65): a later
// one says that the function has restarted. Some functions send the time of each message instead: these
// stamps move with the clock, and say nothing. Owned by the source. Bounded: the one that was heard least
// lately makes room.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "control/told/pfcp/values.h"
#include "dataplane/base/time.h"

namespace control::told::pfcp {

class Peers {
 public:
  explicit Peers(std::size_t most) : most_(most) {}

  void add(const Address& address);
  // True if the peer has restarted since its last time stamp; `told`: when this one was on the wire. An
  // unknown peer is not remembered. A restart so soon that no message in between had the first stamp looks
  // like the clock; the association that follows it ends the sessions.
  bool note(const Address& address, std::uint32_t recovery, dp::Time told);
  std::size_t size() const { return peers_.size(); }

 private:
  struct Peer {
    std::uint64_t used = 0;  // when it was heard last, in the order of uses
    std::optional<std::uint32_t> recovery;
    dp::Time first{}, last{};  // when it came first and last
  };
  static bool moves_with_the_clock(const Peer& peer, std::uint32_t recovery, dp::Time told);
  void touch(const Address& address, Peer& peer);

  const std::size_t most_;
  std::uint64_t uses_ = 0;
  std::map<Address, Peer> peers_;
  std::map<std::uint64_t, Address> by_use_;
};

}  // namespace control::told::pfcp
