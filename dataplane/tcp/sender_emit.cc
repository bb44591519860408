// The sender's other half: which segment goes next, and what that changes.
#include <algorithm>

#include "dataplane/base/expect.h"
#include "dataplane/tcp/sender.h"

namespace dp {

std::optional<TcpSender::Chunk> TcpSender::next(Time now) noexcept {
  expire(now);
  if (!conn_.established()) return std::nullopt;
  if (retransmit_) {
    const Offset right = una_ + std::max<Offset>(std::min<Offset>(window_.mss, rwnd_), 1);
    return cut(una_, right == data_end_ ? max_ : std::min(right, max_), Chunk::Why::retransmit);
  }
  if (probe_due_) return probe();
  const bool pipe = sack() && recovery_.active();
  if (const auto chunk = pipe ? by_scoreboard() : by_window(now)) return chunk;
  if (ack_due_) return Chunk{nxt_, 0, false, Chunk::Why::ack};
  // RFC 9293 section 3.8.6.1: nothing is out that could bring an ACK, and the window is in the way.
  if (una_ == max_ && nxt_ < end() && timer_ == kNever) timer_ = now + conn_.rto().after(probe_shift_);
  return std::nullopt;
}

// A place in sequence space as payload and FIN.
TcpSender::Chunk TcpSender::cut(Offset left, Offset right, Chunk::Why why) const noexcept {
  DP_EXPECT(left >= una_ && left <= right);
  const Offset data = std::min(right, data_end_) - left;
  return {left, static_cast<std::uint32_t>(std::max<Offset>(data, 0)), right > data_end_, why};
}

// Beyond cwnd while duplicates come in: RFC 3042, and RFC 6675 section 5 step 3, where the pipe counts what
// is SACKed.
Offset TcpSender::allowance() const noexcept {
  // After a timeout what is SACKed and skipped is in flight no more.
  if (sack() && !recovery_.active() && una_ < recovery_.recovery_point()) return board_.below(nxt_);
  const std::uint32_t duplicates = recovery_.duplicates();
  if (recovery_.active() || duplicates == 0 || duplicates >= settings_.dup_threshold || nxt_ < max_) return 0;
  if (sack()) return board_.sacked();
  return settings_.limited_transmit ? Offset{duplicates} * window_.mss : 0;
}

std::optional<TcpSender::Chunk> TcpSender::by_window(Time now) noexcept {
  if (sack() && nxt_ < max_) nxt_ = board_.skip(nxt_);
  if (nxt_ >= end()) return std::nullopt;
  // RFC 5681 section 4.1.
  if (settings_.idle_restart && una_ == max_ && now - last_send_ > rto() && stats_.segments > 0) {
    window_.cwnd = std::min(window_.cwnd, static_cast<double>(window_.mss) * settings_.initial_window);
  }
  Offset full = std::min(nxt_ + window_.mss, data_end_);
  if (sack() && nxt_ < max_) full = board_.until(nxt_, full);
  const Chunk chunk = cut(nxt_, full == data_end_ ? std::max(full, end()) : full, Chunk::Why::window);
  const Offset room = una_ + static_cast<Offset>(window_.cwnd) + allowance() - nxt_;
  if (Offset{chunk.payload} > room) return std::nullopt;
  // Nagle (RFC 9293 section 3.7.4): a short segment waits for more data while anything is out.
  const bool short_one = chunk.payload < window_.mss && full == data_end_ && !closing_;
  if (short_one && una_ < max_ && nxt_ == max_) return std::nullopt;
  return by_peer_window(chunk);
}

// RFC 9293 section 3.8.6.2.1: less than a segment only if it is half the largest window, or a repeat.
std::optional<TcpSender::Chunk> TcpSender::by_peer_window(Chunk chunk) const noexcept {
  const Offset room = una_ + rwnd_ - chunk.offset;
  if (Offset{chunk.payload} <= room) return chunk;
  if (room <= 0 || (chunk.offset >= max_ && room * 2 < max_rwnd_)) return std::nullopt;
  chunk.payload = static_cast<std::uint32_t>(room);
  chunk.fin = false;
  return chunk;
}

// RFC 6675 section 5, step C, with NextSeg() of section 4.
std::optional<TcpSender::Chunk> TcpSender::by_scoreboard() noexcept {
  const std::uint32_t mss = window_.mss;
  if (static_cast<Offset>(window_.cwnd) - board_.pipe(una_, max_, mss) < Offset{mss}) return std::nullopt;
  if (const auto s = board_.hole(una_, mss, true)) return cut(s->left, s->right, Chunk::Why::hole);
  if (nxt_ < end()) {
    const Offset right = std::min(nxt_ + mss, data_end_);
    const auto chunk = by_peer_window(cut(nxt_, right == data_end_ ? end() : right, Chunk::Why::window));
    if (chunk) return chunk;
  }
  if (const auto s = board_.hole(una_, mss, false)) return cut(s->left, s->right, Chunk::Why::hole);
  if (const auto s = board_.rescue(una_, max_, mss)) return cut(s->left, s->right, Chunk::Why::rescue);
  return std::nullopt;
}

// What fits into the window that silly window avoidance held back, else one byte beyond it.
TcpSender::Chunk TcpSender::probe() const noexcept {
  const Offset want = std::min<Offset>(std::max(data_end_ - una_, Offset{0}), window_.mss);
  const Offset size = std::clamp<Offset>(rwnd_, std::min<Offset>(want, 1), want);
  return cut(una_, size == 0 || una_ + size == data_end_ ? std::max(end(), una_ + size) : una_ + size,
             Chunk::Why::probe);
}

TcpFields TcpSender::header(const Chunk& chunk, Time now) const noexcept {
  std::uint8_t flags = TcpView::kAck;
  if (chunk.fin) flags |= TcpView::kFin;
  if (chunk.payload > 0 && chunk.offset + chunk.payload == data_end_) flags |= TcpView::kPsh;
  TcpFields f = conn_.fields(now, flags, chunk.offset, peer_next_);
  f.window = kOwnWindow;
  return f;
}

void TcpSender::sent(const Chunk& chunk, Time now) noexcept {
  ack_due_ = false;
  count(chunk);
  const Offset right = chunk.right();
  if (chunk.why == Chunk::Why::ack) return;
  last_send_ = now;
  // Karn: only what goes for the first time is timed.
  if (!timing_ && chunk.offset >= max_ && chunk.why == Chunk::Why::window) {
    timing_ = true;
    timed_end_ = right;
    timed_at_ = now;
  }
  max_ = std::max(max_, right);
  switch (chunk.why) {
    case Chunk::Why::window:
      nxt_ = right;
      break;
    case Chunk::Why::retransmit:
      retransmit_ = false;
      if (sack()) board_.begin(right);
      break;
    case Chunk::Why::hole:
      board_.retransmitted(right);
      break;
    case Chunk::Why::rescue:
      board_.rescued(recovery_.recovery_point());
      break;
    case Chunk::Why::probe:
      probe_due_ = false;
      probed_ = rwnd_ < right - una_;
      nxt_ = probed_ ? una_ : right;
      timer_ = now + conn_.rto().after(++probe_shift_);
      break;
    case Chunk::Why::ack:
      break;
  }
  if (timer_ == kNever) timer_ = now + rto();
}

void TcpSender::count(const Chunk& chunk) noexcept {
  const bool again = chunk.offset < max_ && chunk.why != Chunk::Why::probe;
  last_ = {chunk.offset - 1, chunk.payload, conn_.ident(), again && chunk.right() > chunk.offset};
  if (chunk.why == Chunk::Why::ack) return;
  ++stats_.segments;
  stats_.retransmitted += last_.retransmission;
  stats_.probes += chunk.why == Chunk::Why::probe;
}

}  // namespace dp
