// The workers' counters of ACK stages for one class, added up.
#pragma once
#include <array>
#include <cstdint>

#include "dataplane/ack/registry.h"

namespace control {

struct AckSum {
  std::array<std::array<std::uint64_t, dp::kAckEvents>, dp::AckList::kSize> stages{};
  std::uint64_t held = 0, kept = 0, flows = 0, unfollowed = 0, corrupt = 0;

  void add(const dp::ClassAckCounters& acks) {
    for (std::size_t s = 0; s < stages.size(); ++s) {
      for (std::size_t e = 0; e < dp::kAckEvents; ++e) stages[s][e] += acks.stages[s][e].get();
    }
    held += acks.held.get();
    kept += acks.kept.get();
    flows += acks.flows.get();
    unfollowed += acks.unfollowed.get();
    corrupt += acks.corrupt.get();
  }
};

}  // namespace control
