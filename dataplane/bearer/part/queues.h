// The queues in which SDUs of a leg wait in place of its own FIFO: the flow queues of its AQM, or those of
// short-flow priority. The leg's buffer takes them over and gives them back (RlcBuffer::set_aqm).
// Tests: tests/unit/bearer/parts_test.cc, tests/unit/control/host/preflight_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <memory>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/part/part.h"

namespace dp {

// At most one of the two is not null.
struct OwnedQueues {
  std::unique_ptr<FlowQueues> flows;
  std::unique_ptr<SfpQueues> sfp;
  Queues get() const { return sfp != nullptr ? Queues(sfp.get()) : Queues(flows.get()); }
};

struct QueuesPart : PartDefaults<QueuesKind> {
  using Owned = OwnedQueues;
  static constexpr std::array kMemory{PartMemory{"", "flow queues", "`flows` of fq-codel"},
                                      PartMemory{"", "short-flow priority", "`flows` of sfp"}};

  static bool wanted(const BearerSettings& settings, std::size_t direction) {
    return shape(settings, direction).records() != 0;
  }
  static bool alike(const BearerSettings& was, const BearerSettings& now, std::size_t direction) {
    const QueuesWanted a = shape(was, direction), b = shape(now, direction);
    return (a.sfp != nullptr) == (b.sfp != nullptr) && a.records() == b.records();
  }
  static Owned make(const BearerSettings& settings, std::size_t direction, const PartSeeds& seeds) {
    const QueuesWanted wanted = shape(settings, direction);
    DP_EXPECT(wanted.records() != 0);
    const std::uint64_t seed = seeds.of_leg(direction);
    if (wanted.sfp != nullptr) return {nullptr, std::make_unique<SfpQueues>(*wanted.sfp, seed)};
    return {std::make_unique<FlowQueues>(wanted.flows.flows, seed), nullptr};
  }
  static std::uint64_t bytes(const BearerSettings& settings, std::size_t direction) {
    const QueuesWanted wanted = shape(settings, direction);
    return wanted.sfp != nullptr ? sizeof(SfpQueues) + SfpQueues::bytes_for(wanted.sfp->flows)
                                 : sizeof(FlowQueues) + FlowQueues::bytes_for(wanted.flows.flows);
  }
  static std::size_t memory_line(const BearerSettings& settings, std::size_t direction) {
    return shape(settings, direction).sfp != nullptr ? 1 : 0;
  }

  static Queues own(const Bearer& bearer, std::size_t direction) noexcept {
    return bearer.leg(kDirections[direction]).parts().queues;
  }
  static void install(Bearer&, std::size_t, Queues, const BearerSettings&) noexcept {}

 private:
  static QueuesWanted shape(const BearerSettings& settings, std::size_t direction) {
    const LegSettings& leg = leg_of(settings, direction);
    return queues_wanted(aqm_of(leg), queue_of(leg));
  }
};

}  // namespace dp
