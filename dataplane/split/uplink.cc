// Segments from the UE: its ACKs are the proxy's, its data pass with their ACK and window edited.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "dataplane/base/expect.h"
#include "dataplane/flow/quoted.h"
#include "dataplane/flow/signed.h"
#include "dataplane/split/proxy.h"

namespace dp {

// A segment of the UE's, of which RFC 9293 section 3.10.7.4 leaves its fifth step, ACK, to the proxy; the
// server judges the rest. True when it goes no further.
bool SplitProxy::receive_from_ue(SplitFlow& s, Sdu& sdu, const FlowSegment& segment,
                                 const Acknowledgement& seen) noexcept {
  const TcpView& tcp = segment.tcp;
  if (tcp.has(TcpView::kSyn)) limit_window(*s.flow, sdu, segment);
  if (seen.unacceptable || tcp.has(TcpView::kSyn) || !tcp.has(TcpView::kAck)) return false;
  if (seen.ack > s.life.next) {
    process_ahead(s);
    return false;
  }
  s.life.ahead = false;
  s.life.seen = context_->now;
  take_ack(s, segment, seen.ack);
  drop_acked(s);
  const bool eaten = eat_or_edit(s, sdu, segment, seen.kind);
  emit(s);
  if (s.flow != nullptr) settle_after_ack(s);
  return eaten;
}

// A pure ACK goes no further, unless it answers a probe of the server's or is one: the answer is true. Any
// other segment says what the proxy's own ACK would say now.
bool SplitProxy::eat_or_edit(SplitFlow& s, Sdu& sdu, const FlowSegment& segment, AckKind kind) noexcept {
  const UeStream& ue = s.flow->ue;
  // One octet back, without data: a probe whether the server is there (RFC 9293 section 3.8.4).
  const bool probe = segment.length() == 0 && ue.space.offset(segment.tcp.seq(), ue.sent) < ue.sent;
  const bool eaten = is_pure(kind) && !probe && !s.life.probed;
  s.life.probed = false;
  if (eaten) {
    context_->drop(sdu, DropReason::proxied_ack);
    return true;
  }
  const Offset number = this->number(s);
  const std::uint16_t field = window_field(s, number);
  HeaderEdit edit{.ack = s.flow->space.wire(number), .window = field, .strip_blocks = true};
  (s.life.ece ? edit.set_flags : edit.clear_flags) |= TcpView::kEce;
  if (s.life.stamps) edit.echo = s.life.recent;
  edit_header(sdu, edit);
  note_acknowledged(s, number, field);
  return false;
}

// The connection is let go if the UE has the FIN, or the drain is over; else the server may hear of a wider
// window.
void SplitProxy::settle_after_ack(SplitFlow& s) noexcept {
  if (s.life.finished() && s.acked() > s.life.fin) {
    if (s.life.acknowledged < s.acked()) send_ack(s);
    if (s.life.acknowledged >= s.acked()) let_go(s);
    return;
  }
  if (s.life.state != SplitState::drain) {
    open_window(s);
  } else if (drained(s)) {
    return;
  }
  arm(s);
}

// The UE has what did not come here, or not in order: while the box stood still, the wire took frames around
// it. It will not come again, and the UE has every octet that was acknowledged to the server. One such ACK
// may be forged, so the UE is asked to say it again.
void SplitProxy::process_ahead(SplitFlow& s) noexcept {
  if (std::exchange(s.life.ahead, true)) return end(s);
  probe_ue(s);
}

// A RST of the UE's passes: the server judges it, and answers one that is not exact by an ACK (RFC 5961
// section 3.2). The connection ends here with the one that the server believes: behind all that the UE has
// sent.
void SplitProxy::pass_reset(SplitFlow& s, const FlowSegment& segment) noexcept {
  const UeStream& ue = s.flow->ue;
  if (segment.tcp.seq() == ue.space.wire(ue.sent)) end_by_reset(s, Direction::uplink);
}

void SplitProxy::take_ack(SplitFlow& s, const FlowSegment& segment, Offset ack) noexcept {
  const Flow& flow = *s.flow;
  std::array<SendEngine::Block, 4> blocks;
  std::size_t count = 0;
  for (const TcpOption option : segment.tcp.options()) {
    for (std::size_t i = 0; i < option.blocks() && count < blocks.size(); ++i) {
      const TcpOption::Block block = option.block(i);
      blocks[count++] = {flow.space.offset(block.left, ack), flow.space.offset(block.right, ack)};
    }
  }
  if (segment.tcp.has(TcpView::kEce) && flow.ecn() && s.engine.on_congestion(context_->now))
    s.life.cwr = true;
  s.engine.reach(ack);  // which may have come to the UE around the box
  s.engine.on_ack({.number = ack,
                   .window = Offset{flow.window_of(segment.tcp.window())},
                   .plain = segment.length() == 0,
                   .blocks = {blocks.data(), count}},
                  context_->now);
  set_risk(s);
}

void SplitProxy::drop_acked(SplitFlow& s) noexcept {
  while (!s.queue.empty() && s.queue.front().end() <= s.acked()) {
    release_stored(s, s.queue.front(), DropReason::proxied_data);
    s.queue.pop();
  }
}

// A connection that may still be split: the server is not given more than the proxy's window, since its
// right edge must not go back later on.
void SplitProxy::limit_window(Flow& flow, Sdu& sdu, const FlowSegment& segment) noexcept {
  const bool syn = segment.tcp.has(TcpView::kSyn);
  if (draining_ || per_flow_[flow.index].counted || flow.sealed() || flow.asymmetric) return;
  if (is_signed(segment.tcp)) return;
  if (!config_.ports.takes(segment.key.peer_port) || sdu.segments != 1) return;
  if (!flow.syn[index(Direction::uplink)].seen || (!syn && !flow.scale_known())) return;
  const std::uint8_t shift = syn ? std::uint8_t{0} : flow.shift();
  Offset most = std::max<Offset>(Offset{config_.window} >> shift, 1);
  if (!syn && segment.tcp.has(TcpView::kAck)) {
    const Offset number = flow.space.offset(segment.tcp.ack(), flow.acked);
    most = std::max(most, flow.units_up(flow.advertised_edge - number));
  }
  if (Offset{segment.tcp.window()} <= most) return;
  const auto field = static_cast<std::uint16_t>(std::min<Offset>(most, 0xffff));
  edit_header(sdu, {.window = field});
  if (syn) flow.syn[index(Direction::uplink)].window = field;  // as advertised to the server
}

void SplitProxy::on_too_big(Bytes quoted, std::uint32_t mtu, Context& context) noexcept {
  const auto lost = quoted_segment(quoted);
  if (!lost) return;
  const Visit visit = begin_visit(context);
  Flow* const flow = flows_.find(lost->key);
  SplitFlow* const s = flow == nullptr ? nullptr : per_flow_[flow->index].split;
  if (s == nullptr) return;
  // RFC 5927: only what quotes something that is on its way is believed.
  const Offset at = flow->space.offset(lost->seq, s->acked());
  const std::uint32_t headers = lost->ip_header + TcpView::kMinSize + (s->life.stamps ? 12 : 0);
  if (at < s->acked() || at >= s->engine.max() || mtu < headers + kLeastMss) return;
  s->engine.shrink(mtu - headers, context.now);
  emit(*s);
}

}  // namespace dp
