#include "dataplane/tcp/sender.h"

#include <array>
#include <variant>

#include "dataplane/base/expect.h"

namespace dp {
namespace {

TcpOffer offer_of(const TcpSenderSettings& s) {
  const bool sack = s.sack && recovery_of(CongestionList::make(s.congestion)) == Recovery::sack;
  return {.mss = s.mss, .scaling = s.window_scaling, .sack = sack, .timestamps = s.timestamps};
}

// Pieces that SACK can tell apart; more count as not arrived.
constexpr std::size_t kScoreboardRanges = 512;

}  // namespace

TcpSender::TcpSender(const TcpSenderSettings& settings, const TcpPath& path, std::uint32_t initial_seq)
    : conn_(path, initial_seq, offer_of(settings), settings.rto, settings.retries),
      engine_(settings, kScoreboardRanges),
      mss_(settings.mss),
      initial_window_(settings.initial_window) {}

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
  ++engine_.stats().acks;
  conn_.note_stamp(segment, peer_next_);
  take_stream(segment);
  on_ack(segment, now);
}

void TcpSender::begin() noexcept {
  const TcpAgreed& agreed = conn_.agreed();
  engine_.start({.mss = agreed.mss,
                 .initial_window = conn_.syn_repeated() ? std::uint32_t{1} : initial_window_,
                 .sack = agreed.sack,
                 .timestamps = agreed.timestamps},
                conn_.rto());
}

// The peer's data are acknowledged and discarded: a sender has no use for them.
void TcpSender::take_stream(const TcpSegment& segment) noexcept {
  const bool fin = segment.has(TcpView::kFin), syn = segment.has(TcpView::kSyn);
  if (syn) ack_due_ = true;
  if (syn || (segment.payload.empty() && !fin)) return;
  ack_due_ = true;
  if (conn_.peer().offset(segment.seq, peer_next_) != peer_next_) return;
  peer_next_ += static_cast<Offset>(segment.payload.size()) + (fin ? 1 : 0);
}

void TcpSender::on_ack(const TcpSegment& segment, Time now) noexcept {
  const auto offset_of = [&](std::uint32_t seq) { return conn_.own().offset(seq, engine_.una()); };
  std::array<SendEngine::Block, std::tuple_size_v<decltype(segment.blocks)>> blocks;
  for (std::size_t i = 0; i < segment.block_count; ++i) {
    blocks[i] = {offset_of(segment.blocks[i].left), offset_of(segment.blocks[i].right)};
  }
  const unsigned shift = segment.has(TcpView::kSyn) ? 0 : conn_.agreed().peer_shift;
  const SendEngine::AckView view{
      .number = offset_of(segment.ack),
      .window = Offset{segment.window} << shift,
      .plain = segment.payload.empty() && !segment.has(TcpView::kSyn | TcpView::kFin),
      .round_trip = conn_.agreed().timestamps ? conn_.echoed(segment, now) : std::nullopt,
      .blocks = {blocks.data(), segment.block_count}};
  engine_.on_ack(view, now);
}

TcpFields TcpSender::header(const SendEngine::Plan& plan, Time now) const noexcept {
  std::uint8_t flags = TcpView::kAck;
  if (plan.fin) flags |= TcpView::kFin;
  if (plan.payload > 0 && plan.offset + plan.payload == engine_.data_end()) flags |= TcpView::kPsh;
  TcpFields f = conn_.fields(now, flags, plan.offset, peer_next_);
  f.window = kOwnWindow;
  return f;
}

std::size_t TcpSender::emit_ack(Time now, std::span<std::byte> out) noexcept {
  if (!ack_due_) return 0;
  ack_due_ = false;
  TcpFields fields = conn_.fields(now, TcpView::kAck, engine_.nxt(), peer_next_);
  fields.window = kOwnWindow;
  const std::size_t size = conn_.write(out, fields);
  last_ = {engine_.nxt() - 1, 0, conn_.ident(), false};
  return size;
}

}  // namespace dp
