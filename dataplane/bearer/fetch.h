// Memory that the spine asks for before it is touched, for all frames of a burst at a time: the legs that
// they come to, and the flows that split proxies and ACK stages follow; and for all legs whose timers become
// due at a time, what their service touches (Leg::Fetch).
//
// A leg has three cache lines. In the first are its timer, its path and the SDU in transmission: enough while
// it is idle. In the second are the AQM instance's address, what waits and the link; the third is for what is
// rare.
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

// Each step reads what the step before has fetched.
class LegFetch {
 public:
  [[gnu::always_inline]] static void first(const Leg& leg) noexcept { __builtin_prefetch(&leg, 1); }
  // The leg is idle, or frames cross.
  static bool first_is_enough(const Leg& leg) noexcept { return leg.idle() || !leg.buffers(); }
  // The second line, unless the first is enough. Not 0 where there is a third step; may be joined by `or` for
  // several legs.
  [[gnu::always_inline]] static unsigned second(const Leg& leg, bool first_is_enough) noexcept {
    // Which SDUs it is needed for follows no pattern: without a branch.
    __builtin_prefetch(line(leg, 0) + std::size_t{!first_is_enough} * kCacheLine, 1);
    return leg.path_ & (Leg::kJudged | Leg::kGeneral);
  }
  // The AQM instance, or on the general path the third line.
  [[gnu::always_inline]] static void third(const Leg& leg) noexcept {
    if ((leg.path_ & Leg::kJudged) != 0) __builtin_prefetch(leg.buffer().judge(), 1);
    if ((leg.path_ & Leg::kGeneral) != 0) __builtin_prefetch(line(leg, 2), 1);
  }

  // Before a service, whose timer and first line have come. The second step answers true where there is a
  // third. Requires: the leg expects something (Leg::expect).
  [[gnu::always_inline]] static bool service_second(const Leg& leg) noexcept {
    __builtin_prefetch(leg.buffer().last_started(), 1);
    return leg.expected() != Leg::Fetch::started;
  }
  [[gnu::always_inline]] static void service_third(const Leg& leg) noexcept {
    if (const Judge* const judge = leg.buffer().judge()) __builtin_prefetch(judge, 1);
    if (leg.expected() == Leg::Fetch::told) return;
    if (const Sdu* const first = leg.buffer().first_in_fifo()) __builtin_prefetch(first, 1);
    if (leg.expected() == Leg::Fetch::general) __builtin_prefetch(line(leg, 2), 1);
  }

 private:
  static const std::byte* line(const Leg& leg, std::size_t n) noexcept {
    return reinterpret_cast<const std::byte*>(&leg) + n * kCacheLine;
  }
};

// Only legs expect something.
[[gnu::always_inline]] inline bool Context::fetch_second(const WorkerTimer& timer) noexcept {
  return LegFetch::service_second(static_cast<const Leg&>(timer));
}
[[gnu::always_inline]] inline void Context::fetch_third(const WorkerTimer& timer) noexcept {
  LegFetch::service_third(static_cast<const Leg&>(timer));
}

// For a burst that takes each frame in its order. Requires: the first lines are fetched.
inline void fetch_legs(const Burst& burst, Direction direction) noexcept {
  unsigned third = 0;
  for (const Sdu* sdu : burst.sdus()) {
    const Leg& leg = sdu->bearer->leg(direction);
    third |= LegFetch::second(leg, LegFetch::first_is_enough(leg));
  }
  if (third == 0) return;
  for (const Sdu* sdu : burst.sdus()) LegFetch::third(sdu->bearer->leg(direction));
}

// For a burst whose frames to idle legs go first, the others behind them. Which frames these are follows no
// pattern: it takes no branch to tell, and by the time that the others' turn comes, what they need is in the
// cache. The frames of one bearer stay in order, since all that a burst has for it go the same way.
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
  // Requires: those of idle() have been taken, so that the second lines have come.
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
