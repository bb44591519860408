#include "dataplane/tcp/connection.h"

#include <algorithm>

#include "dataplane/base/expect.h"

namespace dp {

// RFC 9293 section 3.10.7.
TcpConnection::Taken TcpConnection::on_segment(const TcpSegment& s, Offset expected, Time now) noexcept {
  switch (state_) {
    case State::closed:
    case State::failed:
      return Taken::done;
    case State::listening:
      if (s.has(TcpView::kSyn) && !s.has(TcpView::kAck) && !s.has(TcpView::kRst)) {
        agree(s);
        state_ = State::syn_received;
        syn_due_ = true;
      }
      return Taken::done;
    case State::syn_sent:
      return on_syn_sent(s, now);
    case State::syn_received:
    case State::established:
      break;
  }
  // RFC 5961 section 3.2: a reset counts at exactly the place that is due.
  if (s.has(TcpView::kRst)) {
    if (peer_.offset(s.seq, expected) == expected) fail();
    return Taken::done;
  }
  if (s.has(TcpView::kSyn)) {  // the peer has not seen our answer
    syn_due_ = syn_due_ || state_ == State::syn_received;
    return state_ == State::established ? Taken::repeat : Taken::done;
  }
  if (state_ == State::established) return s.has(TcpView::kAck) ? Taken::pass : Taken::done;
  if (!acknowledges_syn(s)) return Taken::done;
  establish(now);
  return Taken::opened;
}

TcpConnection::Taken TcpConnection::on_syn_sent(const TcpSegment& s, Time now) noexcept {
  if (!acknowledges_syn(s)) return Taken::done;
  if (s.has(TcpView::kRst)) {
    fail();
    return Taken::done;
  }
  if (!s.has(TcpView::kSyn)) return Taken::done;
  agree(s);
  establish(now);
  return Taken::opened;
}

void TcpConnection::establish(Time now) noexcept {
  DP_EXPECT(state_ == State::syn_sent || state_ == State::syn_received);
  state_ = State::established;
  syn_due_ = false;
  deadline_ = kNever;
  if (syns_ == 1) rto_.sample_handshake(now - sent_);  // Karn: a SYN that was repeated times nothing
  if (timeouts_ > 0) rto_.distrust_handshake();
}

void TcpConnection::agree(const TcpSegment& syn) noexcept {
  peer_ = SeqSpace(syn.seq);
  const std::uint16_t assumed = path_.source.ipv6 ? 1220 : 536;  // RFC 9293 section 3.7.1
  agreed_.sack = offer_.sack && syn.sack_permitted;
  agreed_.timestamps = offer_.timestamps && syn.timestamps.has_value();
  agreed_.mss = std::min(offer_.mss, std::max<std::uint16_t>(syn.mss.value_or(assumed), 64));
  if (agreed_.timestamps) {
    agreed_.mss -= kTimestampsSize;
    recent_ = syn.timestamps->value;
  }
  peer_scales_ = syn.window_scale.has_value();
  const bool scaling = peer_scales_ && (offer_.scaling || state_ == State::listening);
  agreed_.own_shift = scaling ? offer_.shift : std::uint8_t{0};
  agreed_.peer_shift = scaling ? *syn.window_scale : std::uint8_t{0};
}

void TcpConnection::expire(Time now) noexcept {
  if (now < deadline_) return;
  deadline_ = kNever;
  rto_.back_off();
  if (too_many(++timeouts_)) {
    fail();
    return;
  }
  syn_due_ = true;
}

std::size_t TcpConnection::emit(Time now, std::span<std::byte> out, std::uint16_t window) noexcept {
  expire(now);
  if (!syn_due_) return 0;
  const bool answer = state_ == State::syn_received;
  TcpFields f;
  f.seq = own_.wire(0);
  f.ack = answer ? peer_.wire(1) : 0;
  f.flags = answer ? TcpView::kSyn | TcpView::kAck : TcpView::kSyn;
  f.window = window;
  f.mss = offer_.mss;
  if (answer ? peer_scales_ : offer_.scaling) f.window_scale = offer_.shift;
  f.sack_permitted = answer ? agreed_.sack : offer_.sack;
  if (answer ? agreed_.timestamps : offer_.timestamps)
    f.timestamps = TcpOption::Timestamps{stamp(now), recent_};
  syn_due_ = false;
  sent_ = now;
  ++syns_;
  deadline_ = now + rto_.rto();
  return write(out, f);
}

TcpFields TcpConnection::fields(Time now, std::uint8_t flags, Offset seq, Offset ack) const noexcept {
  TcpFields f;
  f.seq = own_.wire(seq);
  f.ack = peer_.wire(ack);
  f.flags = flags;
  if (agreed_.timestamps) f.timestamps = TcpOption::Timestamps{stamp(now), recent_};
  return f;
}

void TcpConnection::note_stamp(const TcpSegment& s, Offset last_ack) noexcept {
  if (!agreed_.timestamps || !s.timestamps || outdated(s)) return;
  if (peer_.offset(s.seq, last_ack) <= last_ack) recent_ = s.timestamps->value;
}

std::optional<Duration> TcpConnection::echoed(const TcpSegment& s, Time now) const noexcept {
  if (!agreed_.timestamps || !s.timestamps || s.timestamps->echo == 0) return std::nullopt;
  // Measured from the tick's start, so up to a tick too long.
  const std::int64_t ticks = static_cast<std::int32_t>(stamp(now) - s.timestamps->echo);
  if (ticks < 0) return std::nullopt;
  return Duration{ticks * kStampTick + ns(now) % kStampTick};
}

}  // namespace dp
