#include "dataplane/rlc/am_discard.h"

#include <algorithm>

#include "dataplane/base/expect.h"

namespace dp {

// 11.6.2.2: an SN_MRW for each SDU; the last one gives the point from which the receiver continues. At most
// as many as fit into a PDU.
bool AmDiscard::begin(AmSegmenter& sdus, AmCount vt_a, std::uint32_t tx_window) noexcept {
  if (active_ || !sdus.unsignalled()) return false;
  const std::size_t fit = (config_.pdu_size * 2 - 2 - StatusWriter::mrw_nibbles(0)) / 3;
  std::array<AmCount, kMaxMrwSns> ends;
  const unsigned n = sdus.take_unsignalled({ends.data(), std::min(fit, kMaxMrwSns)}, sn_mrw_);
  DP_EXPECT(n > 0);
  ends[n - 1] = sn_mrw_.count;
  n_sns_ = config_.send_mrw ? n : 1;
  for (unsigned i = 0; i < n_sns_; ++i) sns_[i] = sn_of(ends[n - n_sns_ + i]);
  beyond_ = n_sns_ == 1 && sn_mrw_.count - vt_a >= tx_window;
  vt_mrw_ = 0;
  timer_mrw_ = kNever;
  return active_ = due_ = true;
}

void AmDiscard::write(StatusWriter& out, Time now) noexcept {
  if (!due_ || !out.mrw({sns_.data(), n_sns_}, sn_mrw_.n_length, beyond_)) return;
  due_ = false;
  ++vt_mrw_;
  timer_mrw_ = now + config_.timer_mrw;
}

bool AmDiscard::ends_with(unsigned n, Sn sn_ack) const noexcept {
  if (!active_) return false;
  const AmCount beyond = sn_ahead(sn_mrw_.count, sn_ack);
  return beyond == 0 ? n == sn_mrw_.n_length : n == 0 && beyond <= kSnMask / 2;
}

void AmDiscard::end() noexcept {
  active_ = due_ = false;
  timer_mrw_ = kNever;
}

bool AmDiscard::expire(Time now) noexcept {
  if (!active_ || due_ || now < timer_mrw_) return true;
  timer_mrw_ = kNever;
  due_ = vt_mrw_ < config_.max_mrw;
  return due_;
}

}  // namespace dp
