// What split proxies touch for the frames that come next, fetched for several bearers at once.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

#include "dataplane/base/fetch.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/packet/sdu.h"

namespace dp {

// Of how many frames at a time: what one touches has some thirty cache lines.
inline constexpr std::size_t kProxiesAhead = 16;

// Each step follows pointers that the step before has fetched. Answers where the frames end that were
// looked at. Requires: each has a bearer of this worker.
[[gnu::noinline]] inline const Sdu* const* fetch_proxies(std::span<Sdu* const> frames) noexcept {
  frames = frames.first(std::min(frames.size(), kProxiesAhead));
  for (const Sdu* sdu : frames) __builtin_prefetch(sdu->bearer);
  const auto each = [&](auto&& f) {
    for (const Sdu* sdu : frames) {
      if (const SplitProxy* const proxy = sdu->bearer->proxy) f(*proxy);
    }
  };
  each([](const SplitProxy& proxy) { fetch_lines(&proxy, sizeof(proxy)); });
  each([](const SplitProxy& proxy) { proxy.fetch_flow(); });
  each([](const SplitProxy& proxy) { proxy.fetch_split(); });
  return frames.data() + frames.size();
}

}  // namespace dp
