// A consistent snapshot of the worker's counters: published after busy polls, though not after each
// (worker/limits.h); read by any thread, without locks (a sequence lock: a reader that meets a writer tries
// again).
#pragma once
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "dataplane/base/expect.h"
#include "dataplane/base/ids.h"
#include "dataplane/base/time.h"
#include "dataplane/packet/account.h"

namespace dp {

struct WorkerCounters {
  Time now{};
  std::uint64_t polls = 0;
  std::uint64_t busy_polls = 0;  // polls that received, sent, fired a timer or took a command
  std::uint64_t busy_ns = 0;     // time spent in busy polls
  std::uint64_t idle_ns = 0;
  std::uint64_t bearers = 0;
  std::uint64_t learnt = 0;  // bearers taken from the pool since start
  std::uint64_t pooled = 0;  // prepared bearers waiting
  std::uint64_t timers = 0;  // armed timers
  Mode mode = Mode::inline_;
  Unknown unknown = Unknown::pass;
};

struct WorkerSnapshot : WorkerCounters {
  FrameAccount account;
};

class PublishedSnapshot {
 public:
  // Requires: only one thread, the worker, calls it. In two parts, so that the account is copied once.
  void publish(const WorkerCounters& state, const FrameAccount& account) noexcept {
    const auto version = version_.load(std::memory_order_relaxed);
    DP_EXPECT_HOT(version % 2 == 0);
    version_.store(version + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    store<0>(state);
    store<sizeof(WorkerCounters) / 8>(account);
    version_.store(version + 2, std::memory_order_release);
  }

  WorkerSnapshot read() const noexcept {
    for (;;) {
      const auto before = version_.load(std::memory_order_acquire);
      Words words;
      for (std::size_t i = 0; i < kWords; ++i) words[i] = words_[i].load(std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_acquire);
      if (before % 2 == 0 && version_.load(std::memory_order_relaxed) == before) {
        WorkerSnapshot snapshot;
        std::memcpy(static_cast<void*>(&snapshot), words.data(), sizeof(snapshot));
        return snapshot;
      }
    }
  }

 private:
  static_assert(std::is_trivially_copyable_v<WorkerSnapshot>);
  static_assert(sizeof(WorkerCounters) % 8 == 0 &&
                sizeof(WorkerSnapshot) == sizeof(WorkerCounters) + sizeof(FrameAccount));
  static constexpr std::size_t kWords = sizeof(WorkerSnapshot) / 8;
  using Words = std::array<std::uint64_t, kWords>;

  template <std::size_t kFirst, class Part>
  void store(const Part& part) noexcept {
    const auto* bytes = reinterpret_cast<const std::byte*>(&part);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < sizeof(Part) / 8; ++i) {
      std::uint64_t word;
      std::memcpy(&word, bytes + 8 * i, sizeof(word));
      words_[kFirst + i].store(word, std::memory_order_relaxed);
    }
  }

  alignas(64) std::atomic<std::uint64_t> version_{0};  // odd while the worker writes
  std::array<std::atomic<std::uint64_t>, kWords> words_{};
};

}  // namespace dp
