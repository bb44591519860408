#include "dataplane/tcp/send_engine.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "dataplane/base/expect.h"

namespace dp {

SendEngine::SendEngine(const TcpSenderSettings& s, std::size_t ranges, Offset from)
    : rules_{.initial_window = s.initial_window,
             .retries = s.retries,
             .dup_threshold = s.dup_threshold,
             .limited_transmit = s.limited_transmit,
             .halve_window = s.halve_window,
             .idle_restart = s.idle_restart},
      rto_(s.rto),
      control_(CongestionList::make(s.congestion)),
      window_{0, static_cast<double>(s.initial_ssthresh), s.mss},
      recovery_(recovery_of(control_), s.dup_threshold, s.guard),
      board_(recovery_of(control_) == Recovery::sack ? ranges : 0, s.dup_threshold),
      una_(from),
      nxt_(from),
      max_(from),
      data_end_(from) {}

void SendEngine::renew(const TcpSenderSettings& settings, Offset from) noexcept {
  SackScoreboard board = std::move(board_);
  board.forget();
  board.set_threshold(settings.dup_threshold);
  *this = SendEngine(settings, 0, from);
  board_ = std::move(board);
}

void SendEngine::start(const Start& start, const RtoEstimator& rto) noexcept {
  DP_EXPECT(start.mss > 0 && start.initial_window > 0 && max_ == una_);
  rto_ = rto;
  window_.mss = start.mss;
  window_.cwnd = static_cast<double>(start.mss) * start.initial_window;
  timestamps_ = start.timestamps;
  if (sack() && !start.sack) recovery_.set_kind(Recovery::newreno);
}

void SendEngine::on_ack(const AckView& ack, Time now) noexcept {
  if (ack.number < una_ || ack.number > max_) return;
  unanswered_probes_ = 0;
  const bool same_window = !take_window(ack.window);
  const bool news = take_blocks(ack);
  if (ack.number > una_) {
    advance(ack, now);
    // RFC 6675 section 2: new blocks make a duplicate of an ACK that advances, too.
    if (sack() && news) duplicate(now);
    return;
  }
  // RFC 5681 section 2. Answers to the probes of a closed window are none.
  const bool plain = same_window && rwnd_ > 0 && una_ < max_ && ack.plain;
  if (sack() ? !news : !plain) return;
  ++stats_.duplicate_acks;
  observe({now, 0, std::nullopt, srtt()});
  duplicate(now);
}

bool SendEngine::on_congestion(Time now) noexcept {
  if (una_ < reduced_ || recovery_.active() || una_ == max_) return false;
  flight_at_first_duplicate_ = static_cast<std::uint32_t>(flight());
  window_.ssthresh = halve(false);
  window_.cwnd = std::min(window_.cwnd, window_.ssthresh);
  reduced_ = max_;
  timing_ = false;
  if (timer_ != kNever) timer_ = now + rto();
  return true;
}

void SendEngine::shrink(std::uint32_t mss, Time now) noexcept {
  DP_EXPECT(mss > 0);
  if (mss >= window_.mss) return;
  window_.mss = mss;
  window_.cwnd = std::max<double>(window_.cwnd, mss);
  if (una_ == max_) return;
  nxt_ = una_;
  recovery_.on_timeout(max_);
  board_.forget();
  timing_ = retransmit_ = false;
  timer_ = now + rto();
}

void SendEngine::postpone(Duration pause) noexcept {
  if (timer_ != kNever) timer_ += pause;
  timed_at_ += pause;
  last_send_ += pause;
}

// True if it changed. RFC 9293 section 3.8.6: it may shrink.
bool SendEngine::take_window(Offset window) noexcept {
  DP_EXPECT(window >= 0 && window < Offset{1} << 31);
  if (window == rwnd_) return false;
  rwnd_ = static_cast<std::uint32_t>(window);
  max_rwnd_ = std::max(max_rwnd_, rwnd_);
  if (window > 0) probe_shift_ = 0;
  if (window > 0 && probed_) {
    probed_ = false;
    nxt_ = una_;  // what was sent into the closed window is lost
    timer_ = kNever;
  }
  if (una_ == max_) timer_ = kNever;
  return true;
}

bool SendEngine::take_blocks(const AckView& ack) noexcept {
  if (!sack()) return false;
  bool news = false;
  for (std::size_t i = 0; i < ack.blocks.size(); ++i) {
    const auto [left, right] = ack.blocks[i];
    // RFC 2883 section 4: the first block, of data that was acknowledged or SACKed before.
    if (i == 0 && (right <= ack.number || board_.holds(left, right))) {
      const bool within = ack.blocks.size() > 1 && ack.blocks[1].left <= left && right <= ack.blocks[1].right;
      if (right <= ack.number || within) ++stats_.dsacks;
    }
    news = board_.add(left, right, std::max(una_, ack.number), max_) || news;
  }
  return news;
}

void SendEngine::advance(const AckView& view, Time now) noexcept {
  const Offset ack = view.number;
  DP_EXPECT(ack > una_ && ack <= max_);
  const Offset acked = ack - una_;
  const std::optional<Duration> rtt = time_rtt(view, now);
  if (rtt) {
    ++stats_.round_trips;
    stats_.round_trip_sum += *rtt;
  }
  stats_.acked_bytes += static_cast<std::uint64_t>(std::min(ack, data_end_) - std::min(una_, data_end_));
  una_ = ack;
  nxt_ = std::max(nxt_, ack);
  board_.advance(ack);
  timeouts_in_row_ = 0;
  probe_shift_ = 0;
  probe_due_ = probed_ = false;
  const AckSample sample{now, acked, rtt, srtt()};
  observe(sample);
  const auto step = recovery_.on_advance(window_, una_, acked, flight());
  if (step == LossRecovery::Step::none) {
    std::visit([&](auto& control) { control.on_ack(window_, sample); }, control_);
  }
  const bool hole = step == LossRecovery::Step::partial && !sack();
  retransmit_ = hole;
  if (una_ == max_) {
    timer_ = kNever;
  } else if (!hole || recovery_.first_partial()) {
    timer_ = now + rto();  // RFC 6298 section 5.3
  }
}

std::optional<Duration> SendEngine::time_rtt(const AckView& ack, Time now) noexcept {
  if (timestamps_) {
    const auto rtt = ack.round_trip;
    // RFC 7323 appendix G: ACKs expected a round trip.
    const Offset expected = (flight() + 2 * Offset{window_.mss} - 1) / (2 * Offset{window_.mss});
    if (rtt) rto_.sample(*rtt, static_cast<std::uint32_t>(std::max<Offset>(expected, 1)));
    return rtt;
  }
  if (!timing_ || ack.number < timed_end_) return std::nullopt;
  timing_ = false;
  rto_.sample(now - timed_at_);
  return now - timed_at_;
}

void SendEngine::observe(const AckSample& sample) noexcept {
  std::visit([&](auto& control) { control.observe(window_, sample); }, control_);
}

void SendEngine::duplicate(Time now) noexcept {
  if (recovery_.duplicates() == 0) flight_at_first_duplicate_ = static_cast<std::uint32_t>(flight());
  const bool lost = sack() && board_.first_lost(una_, window_.mss);
  if (recovery_.on_duplicate(window_, una_, lost) == LossRecovery::Step::enter) lose(now);
}

void SendEngine::lose(Time now) noexcept {
  ++stats_.fast_retransmits;
  recovery_.enter(window_, halve(false), max_);
  if (recovery_.kind() == Recovery::tahoe) {
    nxt_ = una_;
  } else {
    retransmit_ = true;
  }
  timing_ = false;
  timer_ = now + rto();
}

// The new ssthresh. RFC 5681 section 3.2 step 2: segments of limited transmit are not counted as in flight.
double SendEngine::halve(bool timeout) noexcept {
  const double mss = window_.mss;
  double basis = static_cast<double>(timeout ? flight() : Offset{flight_at_first_duplicate_});
  // Data that arrived out of order still count as in flight, and recovery sends on top of them.
  if (recovery_.active()) basis = std::min(basis, recovery_.deflated(window_));
  if (rules_.halve_window) {
    basis = std::min(recovery_.deflated(window_), std::floor(static_cast<double>(rwnd_) / mss) * mss);
  }
  const double ssthresh = std::visit(
      [&](auto& c) { return timeout ? c.after_timeout(window_, basis) : c.after_loss(window_, basis); },
      control_);
  return rules_.halve_window ? std::floor(ssthresh / mss) * mss : ssthresh;
}

void SendEngine::expire(Time now) noexcept {
  if (now < timer_) return;
  timer_ = kNever;
  if (una_ < max_ && rwnd_ > 0) {
    time_out(now);
  } else if (una_ < end()) {
    // RFC 9293 section 3.8.6.1: the connection stays open as long as probes are answered.
    failed_ = ++unanswered_probes_ > rules_.retries;
    probe_due_ = !failed_;
  }
}

// RFC 6298 section 5.4 to 5.6, RFC 5681 section 3.1: ssthresh is held when the same segment times out again.
void SendEngine::time_out(Time now) noexcept {
  ++stats_.timeouts;
  if (++timeouts_in_row_ > rules_.retries) {
    failed_ = true;
    return;
  }
  if (timeouts_in_row_ == 1 || rules_.halve_window) window_.ssthresh = halve(true);
  window_.cwnd = window_.mss;
  recovery_.on_timeout(max_);
  board_.forget();
  nxt_ = una_;
  timing_ = retransmit_ = false;
  rto_.back_off();
  timer_ = now + rto();
}

}  // namespace dp
