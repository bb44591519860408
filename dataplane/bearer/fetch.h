// What split proxies and ACK stages touch for the frames that come next, fetched for several bearers at once.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "dataplane/base/expect.h"
#include "dataplane/base/fetch.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/packet/sdu.h"

namespace dp {

// Of how many frames at a time: what one touches has some forty cache lines.
inline constexpr std::size_t kFlowsAhead = 8;

// Each step follows pointers that the step before has fetched. Answers where the frames end that were
// looked at. Requires: each has a bearer of this worker.
[[gnu::noinline]] inline const Sdu* const* fetch_flows(std::span<Sdu* const> frames) noexcept {
  frames = frames.first(std::min(frames.size(), kFlowsAhead));
  for (const Sdu* sdu : frames) {
    __builtin_prefetch(sdu->bearer);
    // The frame's first cache line is here already, since it was parsed. The two behind it are asked for; it
    // is read from its begin to its end, so that the processor fetches the rest by itself.
    if (sdu->head_len > 2 * kCacheLine) {
      __builtin_prefetch(sdu->data + kCacheLine, 1);
      __builtin_prefetch(sdu->data + 2 * kCacheLine, 1);
    }
  }
  std::array<const SplitProxy*, kFlowsAhead> proxies;
  std::array<const AckChain*, kFlowsAhead> chains;
  std::size_t n_proxies = 0, n_chains = 0;
  for (const Sdu* sdu : frames) {
    DP_EXPECT_HOT(sdu->bearer != nullptr);
    if (const SplitProxy* const proxy = sdu->bearer->proxy) proxies[n_proxies++] = proxy;
    if (const AckChain* const chain = sdu->bearer->acks) chains[n_chains++] = chain;
  }
  const auto found = std::span(proxies).first(n_proxies);
  const auto watching = std::span(chains).first(n_chains);
  for (const SplitProxy* proxy : found) proxy->prefetch();
  for (const AckChain* chain : watching) chain->prefetch();
  for (const SplitProxy* proxy : found) proxy->fetch_flow();
  for (const AckChain* chain : watching) chain->fetch_flow();
  for (const SplitProxy* proxy : found) proxy->fetch_split();
  for (const SplitProxy* proxy : found) proxy->fetch_shelf();
  return frames.data() + frames.size();
}

}  // namespace dp
