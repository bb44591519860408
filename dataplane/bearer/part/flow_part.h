// A part that follows the TCP connections of its bearer: what its kinds pass on to their handles alike.
// Tests: tests/unit/bearer/parts_test.cc
#pragma once
#include "dataplane/bearer/part/part.h"

namespace dp {

template <class KindType>
struct FlowPart : PartDefaults<KindType> {
  using Handle = typename KindType::Handle;

  static void park(Handle part, Context& context) noexcept {
    part->park(context);
    part->part();
  }
  static void unpark(Handle part, Context& context) noexcept { part->unpark(context); }
  static void stop_counting(Handle part) noexcept { part->part(); }

  static void let_go_of(Handle part, const UeAddress& ue, Context& context) noexcept {
    part->let_go_of(ue, context);
  }
  static bool came_from_other_network(Handle part, NetworkId network, const Context& context) noexcept {
    return part->came_from_other_network(network, context);
  }
  static void point_to(Handle part, Direction direction, const TunnelKey& tunnel, std::uint8_t qfi) noexcept {
    part->point_to(direction, tunnel, qfi);
  }
  static void postpone(Handle part, Duration pause, Context& context) noexcept {
    part->postpone(pause, context);
  }
  static void doubt_flows(Handle part, Time now) noexcept { part->flows().doubt(now); }

  static void add_to(Handle part, Holdings& sum) noexcept { part->add_to(sum); }
};

}  // namespace dp
