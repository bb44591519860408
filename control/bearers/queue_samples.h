// The queues of a few bearers that somebody looks at, sampled fifty times a second, for the tail of their
// wait. Belongs to the control thread.
// Tests: tests/unit/control/bearers/bearer_meter_test.cc
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "dataplane/base/expect.h"
#include "dataplane/base/ids.h"

namespace control {

class QueueSamples {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kInterval{20};
  static constexpr std::size_t kSamples = 500;           // kept: of the last 10 s
  static constexpr std::size_t kFewest = 50;             // for a tail of one in a hundred
  static constexpr std::size_t kMost = 128;              // bearers at a time; bearer.top lists 100 at most
  static constexpr std::chrono::seconds kAttention{30};  // after the last look

  // Looks at a bearer for a while. If as many are looked at, the one that was looked at longest ago makes
  // room.
  void attend(std::uint32_t seat, Clock::time_point now) {
    if (Watched* const watched = find(seat)) {
      watched->until = now + kAttention;
      return;
    }
    if (watched_.size() == kMost) {
      watched_.erase(std::ranges::min_element(watched_, {}, &Watched::until));
    }
    watched_.push_back({seat, now + kAttention});
  }
  void forget(std::uint32_t seat) {
    std::erase_if(watched_, [seat](const Watched& w) { return w.seat == seat; });
  }

  // Takes a sample of all, if it is due: bytes(seat, direction) gives a queue.
  template <class Bytes>
  void sample(Clock::time_point now, Bytes&& bytes) {
    if (now < due_) return;
    due_ = now + kInterval;
    std::erase_if(watched_, [now](const Watched& w) { return w.until < now; });
    for (Watched& watched : watched_) {
      for (const dp::Direction d : dp::kDirections)
        watched.bytes[dp::index(d)][watched.taken % kSamples] = bytes(watched.seat, d);
      ++watched.taken;
    }
  }

  // The queue that one sample in a hundred exceeds, in bytes; none while there are too few samples.
  std::optional<std::uint32_t> p99(std::uint32_t seat, dp::Direction direction) const {
    const Watched* const watched = const_cast<QueueSamples*>(this)->find(seat);
    if (watched == nullptr || watched->taken < kFewest) return std::nullopt;
    const std::size_t count = std::min(watched->taken, kSamples);
    auto sorted = watched->bytes[dp::index(direction)];
    const auto at = sorted.begin() + static_cast<std::ptrdiff_t>((count * 99 + 99) / 100 - 1);
    std::nth_element(sorted.begin(), at, sorted.begin() + static_cast<std::ptrdiff_t>(count));
    return *at;
  }

 private:
  struct Watched {
    std::uint32_t seat;
    Clock::time_point until;
    std::size_t taken = 0;
    std::array<std::array<std::uint32_t, kSamples>, 2> bytes{};  // by direction
  };
  Watched* find(std::uint32_t seat) {
    const auto at = std::ranges::find(watched_, seat, &Watched::seat);
    return at == watched_.end() ? nullptr : &*at;
  }

  std::vector<Watched> watched_;
  Clock::time_point due_{};
};

}  // namespace control
