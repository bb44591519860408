// Stage 2, with several workers: frames of the others' UEs go to them and are classified there.
// Tests: tests/unit/worker/mesh_test.cc
#pragma once
#include "dataplane/mesh/peers.h"

namespace dp::downlink {

inline void distribute(Burst& burst, Context& context) noexcept {
  if (context.peers != nullptr) context.peers->give_others(burst, Direction::downlink, context);
}

}  // namespace dp::downlink
