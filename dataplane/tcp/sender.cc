#include "dataplane/tcp/sender.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "dataplane/base/expect.h"

namespace dp {
namespace {

Recovery recovery_of(const AnyCongestion& control) {
  return std::visit([](const auto& c) { return c.kRecovery; }, control);
}

TcpOffer offer_of(const TcpSenderSettings& s) {
  const bool sack = s.sack && recovery_of(CongestionList::make(s.congestion)) == Recovery::sack;
  return {.mss = s.mss, .scaling = s.window_scaling, .sack = sack, .timestamps = s.timestamps};
}

// Pieces that SACK can tell apart; more count as not arrived.
constexpr std::size_t kScoreboardRanges = 512;

}  // namespace

TcpSender::TcpSender(const TcpSenderSettings& settings, const TcpPath& path, std::uint32_t initial_seq)
    : settings_(settings),
      conn_(path, initial_seq, offer_of(settings), settings.rto, settings.retries),
      control_(CongestionList::make(settings.congestion)),
      window_{0, static_cast<double>(settings.initial_ssthresh), settings.mss},
      recovery_(recovery_of(control_), settings.dup_threshold, settings.guard),
      board_(recovery_of(control_) == Recovery::sack ? kScoreboardRanges : 0, settings.dup_threshold) {}

void TcpSender::on_segment(const TcpSegment& segment, Time now) noexcept {
  switch (conn_.on_segment(segment, peer_next_, now)) {
    case TcpConnection::Taken::done:
      return;
    case TcpConnection::Taken::repeat:
      ack_due_ = true;
      return;
    case TcpConnection::Taken::opened:
      begin();
      break;
    case TcpConnection::Taken::pass:
      break;
  }
  ++stats_.acks;
  conn_.note_stamp(segment, peer_next_);
  take_stream(segment);
  on_ack(segment, now);
}

void TcpSender::begin() noexcept {
  window_.mss = conn_.agreed().mss;
  window_.cwnd = static_cast<double>(window_.mss) * (conn_.syn_repeated() ? 1 : settings_.initial_window);
  if (sack() && !conn_.agreed().sack) recovery_.set_kind(Recovery::newreno);
}

// What the peer sends is acknowledged and left: it is no business of a sender.
void TcpSender::take_stream(const TcpSegment& segment) noexcept {
  const bool fin = segment.has(TcpView::kFin), syn = segment.has(TcpView::kSyn);
  if (syn) ack_due_ = true;
  if (syn || (segment.payload.empty() && !fin)) return;
  ack_due_ = true;
  if (conn_.peer().offset(segment.seq, peer_next_) != peer_next_) return;
  peer_next_ += static_cast<Offset>(segment.payload.size()) + (fin ? 1 : 0);
}

void TcpSender::on_ack(const TcpSegment& segment, Time now) noexcept {
  const Offset ack = conn_.own().offset(segment.ack, una_);
  if (ack < una_ || ack > max_) return;
  const bool same_window = !take_window(segment);
  const bool news = take_blocks(segment, ack);
  if (ack > una_) {
    advance(ack, segment, now);
    // RFC 6675 section 2: new blocks make a duplicate of an ACK that advances, too.
    if (sack() && news) duplicate(now);
    return;
  }
  // RFC 5681 section 2. Answers to the probes of a closed window are none.
  const bool plain = same_window && rwnd_ > 0 && una_ < max_ && segment.payload.empty() &&
                     !segment.has(TcpView::kSyn | TcpView::kFin);
  if (sack() ? !news : !plain) return;
  ++stats_.duplicate_acks;
  observe({now, 0, std::nullopt, srtt()});
  duplicate(now);
}

// True if it changed. RFC 9293 section 3.8.6: it may shrink.
bool TcpSender::take_window(const TcpSegment& segment) noexcept {
  const unsigned shift = segment.has(TcpView::kSyn) ? 0 : conn_.agreed().peer_shift;
  const Offset window = Offset{segment.window} << shift;
  if (window == rwnd_) return false;
  rwnd_ = window;
  max_rwnd_ = std::max(max_rwnd_, window);
  if (window > 0) probe_shift_ = 0;
  if (window > 0 && probed_) {
    probed_ = false;
    nxt_ = una_;  // what was sent into the closed window is lost
    timer_ = kNever;
  }
  if (una_ == max_) timer_ = kNever;
  return true;
}

bool TcpSender::take_blocks(const TcpSegment& segment, Offset ack) noexcept {
  if (!sack()) return false;
  bool news = false;
  for (std::size_t i = 0; i < segment.block_count; ++i) {
    const Offset left = conn_.own().offset(segment.blocks[i].left, una_);
    const Offset right = conn_.own().offset(segment.blocks[i].right, una_);
    // RFC 2883 section 4: the first block, of data that was acknowledged or SACKed before.
    if (i == 0 && (right <= ack || board_.holds(left, right))) {
      const bool within = segment.block_count > 1 &&
                          conn_.own().offset(segment.blocks[1].left, una_) <= left &&
                          right <= conn_.own().offset(segment.blocks[1].right, una_);
      if (right <= ack || within) ++stats_.dsacks;
    }
    news = board_.add(left, right, std::max(una_, ack), max_) || news;
  }
  return news;
}

void TcpSender::advance(Offset ack, const TcpSegment& segment, Time now) noexcept {
  DP_EXPECT(ack > una_ && ack <= max_);
  const Offset acked = ack - una_;
  const std::optional<Duration> rtt = time_rtt(ack, segment, now);
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

std::optional<Duration> TcpSender::time_rtt(Offset ack, const TcpSegment& segment, Time now) noexcept {
  if (conn_.agreed().timestamps) {
    const auto rtt = conn_.echoed(segment, now);
    // RFC 7323 appendix G: ACKs expected a round trip.
    const Offset expected = (flight() + 2 * Offset{window_.mss} - 1) / (2 * Offset{window_.mss});
    if (rtt) conn_.rto().sample(*rtt, static_cast<std::uint32_t>(std::max<Offset>(expected, 1)));
    return rtt;
  }
  if (!timing_ || ack < timed_end_) return std::nullopt;
  timing_ = false;
  conn_.rto().sample(now - timed_at_);
  return now - timed_at_;
}

void TcpSender::observe(const AckSample& sample) noexcept {
  std::visit([&](auto& control) { control.observe(window_, sample); }, control_);
}

void TcpSender::duplicate(Time now) noexcept {
  if (recovery_.duplicates() == 0) flight_at_first_duplicate_ = flight();
  const bool lost = sack() && board_.first_lost(una_, window_.mss);
  if (recovery_.on_duplicate(window_, una_, lost) == LossRecovery::Step::enter) lose(now);
}

void TcpSender::lose(Time now) noexcept {
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
double TcpSender::halve(bool timeout) noexcept {
  const double mss = window_.mss;
  double basis = static_cast<double>(timeout ? flight() : flight_at_first_duplicate_);
  // What came in out of order is counted in flight still, and recovery sends on top of it.
  if (recovery_.active()) basis = std::min(basis, recovery_.deflated(window_));
  if (settings_.halve_window) {
    basis = std::min(recovery_.deflated(window_), std::floor(static_cast<double>(rwnd_) / mss) * mss);
  }
  const double ssthresh = std::visit(
      [&](auto& c) { return timeout ? c.after_timeout(window_, basis) : c.after_loss(window_, basis); },
      control_);
  return settings_.halve_window ? std::floor(ssthresh / mss) * mss : ssthresh;
}

void TcpSender::expire(Time now) noexcept {
  if (now < timer_) return;
  timer_ = kNever;
  if (una_ < max_ && rwnd_ > 0) {
    time_out(now);
  } else if (una_ < end()) {
    probe_due_ = true;
  }
}

// RFC 6298 section 5.4 to 5.6, RFC 5681 section 3.1: ssthresh is held when the same segment times out again.
void TcpSender::time_out(Time now) noexcept {
  ++stats_.timeouts;
  if (conn_.too_many(++timeouts_in_row_)) {
    conn_.fail();
    return;
  }
  if (timeouts_in_row_ == 1 || settings_.halve_window) window_.ssthresh = halve(true);
  window_.cwnd = window_.mss;
  recovery_.on_timeout(max_);
  board_.forget();
  nxt_ = una_;
  timing_ = retransmit_ = false;
  conn_.rto().back_off();
  timer_ = now + rto();
}

}  // namespace dp
