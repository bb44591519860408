// The sender's half of SDU discard with explicit signalling (TS 25.322 11.6): one MRW at a time, repeated
// until the receiver has moved its window. Owned by the sender.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "dataplane/base/time.h"
#include "dataplane/rlc/am_config.h"
#include "dataplane/rlc/am_segmenter.h"
#include "dataplane/rlc/am_status.h"

namespace dp {

class AmDiscard {
 public:
  explicit AmDiscard(const AmConfig& config) : config_(config) {}

  bool active() const noexcept { return active_; }
  bool due() const noexcept { return due_; }
  Time wake_at() const noexcept { return due_ ? Time::min() : timer_mrw_; }

  // Begins a procedure if none is active and discarded SDUs are to be signalled; true if it did.
  bool begin(AmSegmenter& sdus, AmCount vt_a, std::uint32_t tx_window) noexcept;
  void write(StatusWriter& out, Time now) noexcept;
  // 11.6.3: true if this answer ends the procedure.
  bool ends_with(unsigned n, Sn sn_ack) const noexcept;
  bool ends_with(AmCount vt_a) const noexcept { return active_ && before(sn_mrw_.count, vt_a); }
  void end() noexcept;
  // 11.6.4.1, 11.6.4.2: false once MaxMRW is reached.
  bool expire(Time now) noexcept;

 private:
  const AmConfig& config_;
  std::array<Sn, kMaxMrwSns> sns_{};
  unsigned n_sns_ = 0;
  MrwPoint sn_mrw_{};
  std::uint32_t vt_mrw_ = 0;
  Time timer_mrw_ = kNever;
  bool active_ = false, due_ = false, beyond_ = false;
};

}  // namespace dp
