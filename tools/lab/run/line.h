// One direction of a wire as a schedule: for each packet that enters, the time at which it comes out, or its
// loss. Times are exact fractions of a nanosecond, so the long-run rate has no rounding error.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "dataplane/base/rng.h"
#include "dataplane/base/time.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {

class Line {
 public:
  enum class Fate : std::uint8_t { through, overflow, lost };
  struct Passage {
    Fate fate;
    dp::Time out{};  // for `through`
  };

  // Jitter and losses have separate random streams: a change of one does not alter the draws of the other.
  Line(const Wire& wire, const dp::Rng& rng);

  // Requires: `now` never goes back.
  Passage pass(dp::Time now, std::uint32_t bytes) noexcept;

 private:
  bool has_space(dp::Time now) noexcept;
  dp::Time send(dp::Time now, std::uint32_t bytes) noexcept;
  dp::Time at_rate(dp::Time now, std::uint32_t bytes) noexcept;
  dp::Time by_trace(dp::Time now, std::uint32_t bytes) noexcept;
  dp::Duration travel() noexcept;

  std::uint64_t rate_;  // 0: unlimited
  std::shared_ptr<const dp::RadioTrace> trace_;
  dp::Duration delay_, jitter_;
  double loss_;
  dp::Rng jitter_rng_, loss_rng_;
  dp::Time free_at_{};            // the last bit sent leaves at free_at_ + fraction_ / rate_ ns
  std::uint64_t fraction_ = 0;    // bit * ns/s
  std::uint64_t turn_ = 0;        // index of the trace's opportunity being filled
  std::uint32_t bytes_left_ = 0;  // bytes left in it
  dp::Time last_out_{};           // packets stay in order
  std::vector<dp::Time> leaves_;  // ring of the queued packets' departures; empty without a limit
  std::size_t first_ = 0, queued_ = 0;
};

}  // namespace lab
