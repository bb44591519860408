// Wires for tests of the TCP engines: hops in series, each with a rate, a delay, a drop-tail queue and a say
// in what is lost. Counts as ns-2 does: `limit` packets, the one in transmission among them.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "dataplane/base/time.h"

namespace dp::test {

struct HopSpec {
  std::uint64_t rate = 0;  // bit/s of IP bytes; 0: no limit
  Duration delay{};
  std::size_t limit = 1'000'000;
};

class Hop {
 public:
  explicit Hop(const HopSpec& spec) : spec_(spec) {}

  // When a packet that comes at `now` is through; nothing if the queue has no room.
  std::optional<Time> pass(Time now, std::size_t bytes) {
    while (!leaving_.empty() && leaving_.front() <= now) leaving_.pop_front();
    if (leaving_.size() >= spec_.limit) {
      ++dropped;
      return std::nullopt;
    }
    const Time start = leaving_.empty() ? now : leaving_.back();
    const Duration service{
        spec_.rate == 0 ? 0 : static_cast<std::int64_t>(bytes * 8 * 1'000'000'000 / spec_.rate)};
    leaving_.push_back(start + service);
    longest = std::max(longest, leaving_.size());
    return start + service + spec_.delay;
  }

  std::size_t dropped = 0, longest = 0;

 private:
  HopSpec spec_;
  std::deque<Time> leaving_;
};

}  // namespace dp::test
