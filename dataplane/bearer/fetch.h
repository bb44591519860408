// Prefetches memory for the spine before it is touched: for all frames of a burst, the legs that they enter,
// and the flows that split proxies and ACK stages follow; for all legs whose timers expire together, the
// memory that their service touches (Leg::Fetch).
//
// A leg has three cache lines. The first has its timer, its path and the SDU in transmission, which is enough
// while it is idle. The second has the AQM instance's address, the queue and the link; the third is for rare
// cases.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "dataplane/base/expect.h"
#include "dataplane/base/fetch.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/packet/burst.h"
#include "dataplane/packet/sdu.h"

namespace dp {

// Each step reads memory that the step before has fetched.
class LegFetch {
 public:
  [[gnu::always_inline]] static void first(const Leg& leg) noexcept { __builtin_prefetch(&leg, 1); }
  // True for an idle leg, or if frames cross.
  static bool first_is_enough(const Leg& leg) noexcept { return leg.idle() || !leg.buffers(); }
  // Fetches the second line, unless the first is enough. The result is not 0 if a third step is needed;
  // results of several legs may be combined by `or`.
  [[gnu::always_inline]] static unsigned second(const Leg& leg, bool first_is_enough) noexcept {
    // The SDUs that need the second line follow no pattern, so there is no branch.
    __builtin_prefetch(line(leg, 0) + std::size_t{!first_is_enough} * kCacheLine, 1);
    return leg.path_ & (Leg::kWithAqm | Leg::kGeneral);
  }
  // Fetches the AQM instance, or on the general path the third line.
  [[gnu::always_inline]] static void third(const Leg& leg) noexcept {
    if ((leg.path_ & Leg::kWithAqm) != 0) __builtin_prefetch(leg.buffer().aqm(), 1);
    if ((leg.path_ & Leg::kGeneral) != 0) __builtin_prefetch(line(leg, 2), 1);
  }

  // Steps before a service; the timer and the first line are in the cache. The second step returns true if
  // there is a third. Requires: the leg expects something (Leg::expect).
  [[gnu::always_inline]] static bool service_second(const Leg& leg) noexcept {
    __builtin_prefetch(leg.buffer().last_started(), 1);
    return leg.expected() != Leg::Fetch::started;
  }
  [[gnu::always_inline]] static void service_third(const Leg& leg) noexcept {
    if (const AqmInstance* const instance = leg.buffer().aqm()) __builtin_prefetch(instance, 1);
    if (leg.expected() == Leg::Fetch::told) return;
    if (const Sdu* const first = leg.buffer().first_in_fifo()) __builtin_prefetch(first, 1);
    if (leg.expected() == Leg::Fetch::general) __builtin_prefetch(line(leg, 2), 1);
  }

 private:
  static const std::byte* line(const Leg& leg, std::size_t n) noexcept {
    return reinterpret_cast<const std::byte*>(&leg) + n * kCacheLine;
  }
};

// Legs are the only timers that expect something.
[[gnu::always_inline]] inline bool Context::fetch_second(const WorkerTimer& timer) noexcept {
  return LegFetch::service_second(static_cast<const Leg&>(timer));
}
[[gnu::always_inline]] inline void Context::fetch_third(const WorkerTimer& timer) noexcept {
  LegFetch::service_third(static_cast<const Leg&>(timer));
}

// Fetches for a burst whose frames are enqueued in order. Requires: the first lines are fetched.
inline void fetch_legs(const Burst& burst, Direction direction) noexcept {
  unsigned third = 0;
  for (const Sdu* sdu : burst.sdus()) {
    const Leg& leg = sdu->bearer->leg(direction);
    third |= LegFetch::second(leg, LegFetch::first_is_enough(leg));
  }
  if (third == 0) return;
  for (const Sdu* sdu : burst.sdus()) LegFetch::third(sdu->bearer->leg(direction));
}

// Sorts a burst: frames to idle legs first, then the others. These frames follow no pattern, and no branch
// separates them; by the time that the others are handled, their memory is in the cache. The frames of one
// bearer stay in order, since all frames of a burst for one leg are on the same side.
class IdleFirst {
 public:
  // Requires: the first lines are fetched.
  [[gnu::always_inline]] IdleFirst(std::span<Sdu* const> frames, Direction direction) noexcept {
    std::size_t n_idle = 0, n_others = 0;  // the compiler keeps these in registers, but not members
    unsigned third = 0;
    for (Sdu* const sdu : frames) {
      const Leg& leg = sdu->bearer->leg(direction);
      const bool idle = leg.idle();
      third |= LegFetch::second(leg, idle);
      idle_[n_idle] = others_[n_others] = sdu;
      n_idle += idle;
      n_others += !idle;
    }
    n_idle_ = n_idle, n_others_ = n_others, third_ = third;
  }
  std::span<Sdu* const> idle() const noexcept { return std::span(idle_).first(n_idle_); }
  // Requires: the frames of idle() have been handled, so that the second lines have come.
  [[gnu::always_inline]] std::span<Sdu* const> others(Direction direction) const noexcept {
    const auto frames = std::span(others_).first(n_others_);
    if (third_ != 0) {
      for (const Sdu* sdu : frames) LegFetch::third(sdu->bearer->leg(direction));
    }
    return frames;
  }

 private:
  std::array<Sdu*, kBurst> idle_, others_;
  std::size_t n_idle_ = 0, n_others_ = 0;
  unsigned third_ = 0;
};

// The number of frames for which flows are fetched at a time: one touches some forty cache lines.
inline constexpr std::size_t kFlowsAhead = 8;

// Fetches the flows of the first frames; each step follows pointers that the step before has fetched. Returns
// the end of the frames covered. Requires: each has a bearer of this worker.
[[gnu::noinline]] inline const Sdu* const* fetch_flows(std::span<Sdu* const> frames) noexcept {
  frames = frames.first(std::min(frames.size(), kFlowsAhead));
  for (const Sdu* sdu : frames) {
    __builtin_prefetch(sdu->bearer);
    // The frame's first cache line is here already, since it was parsed. The two behind it are requested; the
    // frame is read from begin to end, so that the processor fetches the rest by itself.
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
  for (const SplitProxy* proxy : found) proxy->fetch_queue();
  return frames.data() + frames.size();
}

}  // namespace dp
