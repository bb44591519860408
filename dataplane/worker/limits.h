// How much a worker takes care of.
#pragma once
#include <array>
#include <cstdint>

#include "dataplane/packet/context.h"

namespace dp {

struct WorkerLimits {
  std::uint32_t max_bearers = 1024;
  std::uint64_t mbuf_cap = ~std::uint64_t{0};  // mbufs that bearer buffers may hold together
  std::array<PortLimit, 2> ports{};            // by Side
  Peers* peers = nullptr;                      // the other workers; null when there are none
  std::uint64_t seed = 0;                      // of the index; live a secret, else whoever sends could choose
                                               // addresses that share a place in it
};

}  // namespace dp
