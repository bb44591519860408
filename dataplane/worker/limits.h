// Limits of a worker.
// Tests: tests/unit/worker/worker_test.cc
#pragma once
#include <array>
#include <cstdint>

#include "dataplane/base/time.h"
#include "dataplane/packet/context.h"

namespace dp {

// The longest interval at which a busy live worker publishes its counters. Publishing costs about as much as
// one or two packets: nothing at full bursts, but more than all the rest at bursts of one frame.
inline constexpr Duration kPublishEvery{100'000};
// For a worker whose counters are not read while it is busy: it publishes them with its answers, and when
// idle.
inline constexpr Duration kPublishWithAnswers = Duration::max();

// Maximum number of other workers' bearers that a worker serves at a time (bearer/roaming.h).
inline constexpr std::uint32_t kMostVisitors = 4096;

struct WorkerLimits {
  std::uint32_t max_bearers = 1024;             // maximum number of its own bearers
  std::uint64_t mbuf_cap = ~std::uint64_t{0};   // mbufs that bearer buffers may hold together
  std::uint64_t proxy_cap = ~std::uint64_t{0};  // share of these that split proxies may advertise
  std::array<PortLimit, 2> ports{};             // by Side
  Duration publish_every{};                     // 0: after each busy poll
  Peers* peers = nullptr;                       // the other workers; null without any
  const GtpUSettings* gtp_u = nullptr;          // at the start (SetGtpU); null: no tunnels
  TunnelBook* tunnels = nullptr;                // this worker's own, with `gtp_u`
  std::size_t wheel = Calendar<Context>::kWholeWheel;
  std::uint64_t seed = 0;  // seed of the index; secret in production, else senders could choose addresses
                           // that collide in it
};

}  // namespace dp
