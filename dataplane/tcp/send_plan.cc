// The engine's other half: which segment goes next, and what that changes.
#include <algorithm>

#include "dataplane/base/expect.h"
#include "dataplane/tcp/send_engine.h"

namespace dp {

std::optional<SendEngine::Plan> SendEngine::plan_now(Time now) noexcept {
  expire(now);
  if (failed_) return std::nullopt;
  if (retransmit_) {
    const Offset right = una_ + std::max<Offset>(std::min<Offset>(window_.mss, rwnd_), 1);
    return cut(una_, right == data_end_ ? max_ : std::min(right, max_), Plan::Why::retransmit);
  }
  if (probe_due_) return probe();
  const bool pipe = sack() && recovery_.active();
  if (const auto plan = pipe ? by_scoreboard() : by_window(now)) return plan;
  // RFC 9293 section 3.8.6.1: nothing is out that could bring an ACK, and the window is in the way.
  if (una_ == max_ && nxt_ < end() && timer_ == kNever) timer_ = now + rto_.after(probe_shift_);
  return std::nullopt;
}

// A position in sequence space as payload and FIN.
SendEngine::Plan SendEngine::cut(Offset left, Offset right, Plan::Why why) const noexcept {
  DP_EXPECT(left >= una_ && left <= right);
  if (ends_.end != nullptr && left < right) right = std::min(right, ends_.end(ends_.owner, left));
  const Offset data = std::min(right, data_end_) - left;
  return {left, static_cast<std::uint32_t>(std::max<Offset>(data, 0)), right > data_end_, why};
}

// Beyond cwnd while duplicates come in: RFC 3042, and RFC 6675 section 5 step 3, where the pipe counts what
// is SACKed.
Offset SendEngine::allowance() const noexcept {
  // After a timeout what is SACKed and skipped is in flight no more.
  if (sack() && !recovery_.active() && una_ < recovery_.recovery_point()) return board_.below(nxt_);
  const std::uint32_t duplicates = recovery_.duplicates();
  if (recovery_.active() || duplicates == 0 || duplicates >= rules_.dup_threshold || nxt_ < max_) return 0;
  if (sack()) return board_.sacked();
  return rules_.limited_transmit ? Offset{duplicates} * window_.mss : 0;
}

std::optional<SendEngine::Plan> SendEngine::by_window(Time now) noexcept {
  if (sack() && nxt_ < max_) nxt_ = board_.skip(nxt_);
  if (nxt_ >= end()) return std::nullopt;
  // RFC 5681 section 4.1.
  if (rules_.idle_restart && una_ == max_ && now - last_send_ > rto() && stats_.segments > 0) {
    window_.cwnd = std::min(window_.cwnd, static_cast<double>(window_.mss) * rules_.initial_window);
  }
  Offset full = std::min(nxt_ + window_.mss, data_end_);
  if (sack() && nxt_ < max_) full = board_.until(nxt_, full);
  const Plan plan = cut(nxt_, full == data_end_ ? std::max(full, end()) : full, Plan::Why::window);
  const Offset space = una_ + static_cast<Offset>(window_.cwnd) + allowance() - nxt_;
  if (Offset{plan.payload} > space) return std::nullopt;
  // Nagle (RFC 9293 section 3.7.4): a short segment waits for more data while anything is out.
  const bool short_one = plan.payload < window_.mss && full == data_end_ && !closing_ && ends_.end == nullptr;
  if (short_one && una_ < max_ && nxt_ == max_) return std::nullopt;
  return by_peer_window(plan);
}

// RFC 9293 section 3.8.6.2.1: less than a segment only if it is half the largest window, or a repeat.
std::optional<SendEngine::Plan> SendEngine::by_peer_window(Plan plan) const noexcept {
  const Offset space = una_ + rwnd_ - plan.offset;
  if (Offset{plan.payload} <= space) return plan;
  if (space <= 0 || (plan.offset >= max_ && space * 2 < max_rwnd_)) return std::nullopt;
  plan.payload = static_cast<std::uint32_t>(space);
  plan.fin = false;
  return plan;
}

// RFC 6675 section 5, step C, with NextSeg() of section 4.
std::optional<SendEngine::Plan> SendEngine::by_scoreboard() noexcept {
  const std::uint32_t mss = window_.mss;
  if (static_cast<Offset>(window_.cwnd) - board_.pipe(una_, max_, mss) < Offset{mss}) return std::nullopt;
  if (const auto s = board_.hole(una_, mss, true)) return cut(s->left, s->right, Plan::Why::hole);
  if (nxt_ < end()) {
    const Offset right = std::min(nxt_ + mss, data_end_);
    const auto plan = by_peer_window(cut(nxt_, right == data_end_ ? end() : right, Plan::Why::window));
    if (plan) return plan;
  }
  if (const auto s = board_.hole(una_, mss, false)) return cut(s->left, s->right, Plan::Why::hole);
  if (const auto s = board_.rescue(una_, max_, mss)) return cut(s->left, s->right, Plan::Why::rescue);
  return std::nullopt;
}

// A probe: the data that silly window avoidance held back, else one byte beyond the window.
SendEngine::Plan SendEngine::probe() const noexcept {
  const Offset want = std::min<Offset>(std::max(data_end_ - una_, Offset{0}), window_.mss);
  const Offset size = std::clamp<Offset>(rwnd_, std::min<Offset>(want, 1), want);
  return cut(una_, size == 0 || una_ + size == data_end_ ? std::max(end(), una_ + size) : una_ + size,
             Plan::Why::probe);
}

void SendEngine::sent(const Plan& plan, Time now) noexcept {
  ++stats_.segments;
  stats_.retransmitted += again(plan);
  stats_.probes += plan.why == Plan::Why::probe;
  const Offset right = plan.right();
  last_send_ = now;
  // Karn: only what goes for the first time is timed.
  if (!timing_ && plan.offset >= max_ && plan.why == Plan::Why::window) {
    timing_ = true;
    timed_end_ = right;
    timed_at_ = now;
  }
  max_ = std::max(max_, right);
  switch (plan.why) {
    case Plan::Why::window:
      nxt_ = right;
      break;
    case Plan::Why::retransmit:
      retransmit_ = false;
      if (sack()) board_.begin(right);
      break;
    case Plan::Why::hole:
      board_.retransmitted(right);
      break;
    case Plan::Why::rescue:
      board_.rescued(recovery_.recovery_point());
      break;
    case Plan::Why::probe:
      probe_due_ = false;
      probed_ = rwnd_ < right - una_;
      nxt_ = probed_ ? una_ : right;
      if (probe_shift_ < kMostDoublings) ++probe_shift_;
      timer_ = now + rto_.after(probe_shift_);
      break;
  }
  if (timer_ == kNever) timer_ = now + rto();
}

}  // namespace dp
