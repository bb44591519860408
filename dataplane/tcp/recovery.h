// Finding and repairing losses, for every congestion control: counts duplicates, says when a loss is to be
// believed, and moves the window as the kind of recovery asks. Which segment goes next is decided by the
// sender, which owns this.
// Tests: tests/unit/tcp/sender_sack_test.cc
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>

#include "dataplane/base/expect.h"
#include "dataplane/tcp/control.h"

namespace dp {

class LossRecovery {
 public:
  // The meaning of an ACK. `enter`: a loss is found, call enter(). `partial`: recovery goes on, una is a
  // hole.
  enum class Step : std::uint8_t { none, enter, partial, leave };

  LossRecovery(Recovery kind, std::uint8_t dup_threshold, bool guard) noexcept
      : kind_(kind), threshold_(dup_threshold), guard_(guard) {}

  Recovery kind() const noexcept { return kind_; }
  void set_kind(Recovery kind) noexcept { kind_ = kind; }
  bool active() const noexcept { return active_; }
  Offset recovery_point() const noexcept { return recover_; }
  std::uint32_t duplicates() const noexcept { return duplicates_; }

  // A duplicate ACK; `lost`: SACK says that the segment at una is.
  Step on_duplicate(CongestionWindow& w, Offset una, bool lost) noexcept {
    ++duplicates_;
    if (active_) {
      // RFC 5681 section 3.2, step 4.
      if (kind_ != Recovery::sack) w.cwnd += w.mss;
      return Step::none;
    }
    const bool enough = kind_ == Recovery::sack ? lost || duplicates_ >= threshold_  // RFC 6675 section 5
                                                : duplicates_ == threshold_;
    return enough && allowed(una) ? Step::enter : Step::none;
  }

  // The window after a loss was found; `high` is what was sent so far. Requires: a step said so.
  void enter(CongestionWindow& w, double ssthresh, Offset high) noexcept {
    DP_EXPECT(!active_);
    recover_ = high;
    w.ssthresh = ssthresh;
    first_partial_ = true;
    active_ = kind_ != Recovery::tahoe;
    if (kind_ == Recovery::tahoe) {
      w.cwnd = w.mss;
      return;
    }
    after_ = w.cwnd = std::min(w.cwnd, ssthresh);
    if (kind_ != Recovery::sack) w.cwnd += 3.0 * w.mss;
  }

  // An ACK of `acked` new bytes up to `una`; `flight` is what is out beyond it.
  Step on_advance(CongestionWindow& w, Offset una, Offset acked, Offset flight) noexcept {
    duplicates_ = 0;
    if (!active_) return Step::none;
    if (kind_ == Recovery::reno || una >= recover_) {
      active_ = false;
      leave(w, flight);
      return Step::leave;
    }
    if (kind_ == Recovery::newreno) deflate(w, acked);
    return Step::partial;
  }

  // RFC 6582 section 3.2 step 3: only the first partial ACK restarts the timer, so that a window full of
  // holes ends in a timeout. Answers true once a recovery.
  bool first_partial() noexcept { return std::exchange(first_partial_, false); }

  // The window without what duplicates have blown it up by.
  double deflated(const CongestionWindow& w) const noexcept {
    return active_ ? std::min(w.cwnd, after_) : w.cwnd;
  }

  void on_timeout(Offset high) noexcept {
    active_ = false;
    duplicates_ = 0;
    recover_ = high;
  }

 private:
  // True if a loss may be believed: not while what was out at the last one is still unacknowledged:
  // duplicates may come from its retransmissions. RFC 6582 section 3.2 step 2, RFC 6675 section 5.1.
  bool allowed(Offset una) const noexcept {
    switch (kind_) {
      case Recovery::sack:
        return una >= recover_;
      case Recovery::newreno:
        return una > recover_;
      default:
        return !guard_ || una > recover_;
    }
  }

  void leave(CongestionWindow& w, Offset flight) const noexcept {
    w.cwnd = after_;
    if (kind_ != Recovery::newreno) return;
    // RFC 6582 section 3.2 step 3, full acknowledgments, option 1: no burst.
    w.cwnd = std::min(after_, static_cast<double>(std::max<Offset>(flight, w.mss) + w.mss));
  }

  // RFC 6582 section 3.2 step 3, partial acknowledgments.
  static void deflate(CongestionWindow& w, Offset acked) noexcept {
    w.cwnd -= static_cast<double>(acked);
    if (acked >= Offset{w.mss}) w.cwnd += w.mss;
    w.cwnd = std::max<double>(w.cwnd, w.mss);
  }

  Recovery kind_;
  std::uint8_t threshold_;
  bool guard_ : 1;
  bool active_ : 1 = false;
  bool first_partial_ = false;
  std::uint32_t duplicates_ = 0;
  Offset recover_ = 0;  // the first byte not sent when the last loss was found
  double after_ = 0;    // the window that recovery ends with
};

}  // namespace dp
