// One direction of a wire as a schedule: when a packet that enters now comes out, or that it does not. The
// schedule is kept as an exact fraction of a nanosecond, so the long-run rate has no rounding error.
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
    dp::Time out{};  // of `through`
  };

  // Jitter and losses have streams of their own: either can be changed without the other's draws changing.
  Line(const Wire& wire, const dp::Rng& rng);

  // Requires: `now` never goes back.
  Passage pass(dp::Time now, std::uint32_t bytes) noexcept;

 private:
  bool has_room(dp::Time now) noexcept;
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
  std::uint64_t turn_ = 0;        // of the trace: which of its packets is being filled, and
  std::uint32_t room_ = 0;        // the bytes that it has left
  dp::Time last_out_{};           // nothing overtakes
  std::vector<dp::Time> leaves_;  // ring: when each packet of the queue has left; empty without a limit
  std::size_t first_ = 0, queued_ = 0;
};

}  // namespace lab
