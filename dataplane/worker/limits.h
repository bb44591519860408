// How much a worker takes care of.
#pragma once
#include <array>
#include <cstdint>

#include "dataplane/base/time.h"
#include "dataplane/packet/context.h"

namespace dp {

// How long a live worker that is busy may leave its counters unpublished. To publish costs as much as a
// packet or two: at full bursts nothing, but at bursts of one frame more than all the rest.
inline constexpr Duration kPublishEvery{100'000};
// For a worker whose counters nobody reads while it is busy: it publishes them with its answers, and when it
// finds nothing to do.
inline constexpr Duration kPublishWithAnswers = Duration::max();

// Bearers of other workers' that one may serve at a time (bearer/roaming.h).
inline constexpr std::uint32_t kMostVisitors = 4096;

struct WorkerLimits {
  std::uint32_t max_bearers = 1024;             // of its own
  std::uint64_t mbuf_cap = ~std::uint64_t{0};   // mbufs that bearer buffers may hold together
  std::uint64_t proxy_cap = ~std::uint64_t{0};  // of these, mbufs that split proxies may promise
  std::array<PortLimit, 2> ports{};             // by Side
  Duration publish_every{};                     // 0: after each poll that did something
  Peers* peers = nullptr;                       // the other workers; null when there are none
  std::size_t wheel = Calendar<Context>::kWholeWheel;
  std::uint64_t seed = 0;  // of the index; live a secret, else whoever sends could choose
                           // addresses that share a place in it
};

}  // namespace dp
