#include "dataplane/flow/track.h"

#include <algorithm>

#include "dataplane/base/expect.h"
#include "dataplane/flow/handshake.h"

namespace dp {
namespace {

constexpr std::size_t kDown = index(Direction::downlink);
constexpr std::size_t kUp = index(Direction::uplink);

bool unacceptable_from_source(const Flow& flow, const TcpView& tcp) noexcept {
  if (flow.anchored) {
    const Offset reach = flow.reach(Direction::downlink);
    const Offset from = flow.space.offset(tcp.seq(), flow.arrived);
    if (from < std::min(flow.acked, flow.arrived) - reach) return true;
    if (from > std::max(flow.arrived, flow.acked + reach)) return true;
    if (tcp.has(TcpView::kFin) && from > end_limit(flow, Direction::downlink)) return true;
  }
  if (!flow.ue.anchored || !tcp.has(TcpView::kAck)) return false;
  // RFC 5961 section 5.2.
  const Offset ack = flow.ue.space.offset(tcp.ack(), flow.ue.sent);
  return ack < flow.ue.acked - flow.reach(Direction::uplink) || (flow.established && ack > flow.ue.sent);
}

bool unacceptable_from_ue(const Flow& flow, const TcpView& tcp) noexcept {
  if (flow.ue.anchored) {
    const Offset reach = flow.reach(Direction::uplink);
    const Offset from = flow.ue.space.offset(tcp.seq(), flow.ue.sent);
    if (from < std::min(flow.ue.acked, flow.ue.sent) - reach) return true;
    if (from > std::max(flow.ue.sent, flow.ue.acked + reach)) return true;
    if (tcp.has(TcpView::kFin) && from > end_limit(flow, Direction::uplink)) return true;
  }
  if (!flow.anchored || !tcp.has(TcpView::kAck)) return false;
  const Offset ack = flow.space.offset(tcp.ack(), flow.acked);
  const Offset reach = flow.reach(Direction::downlink);
  return ack < flow.acked - reach || ack > flow.arrived + reach;
}

// Counts one more of a run, or starts a new run.
void note_unacceptable(Flow& flow, const TcpView& tcp, Direction direction, Time now) noexcept {
  UnacceptableRun& run = flow.unacceptable[index(direction)];
  const std::uint32_t position = direction == Direction::downlink ? tcp.seq() : tcp.ack();
  if (run.count == 0 || !flow.near(position, run.position)) run = {.since = now};
  run.position = position;
  if (run.count < Flow::kLongRun) ++run.count;
}

void note_fin(Flow& flow, const TcpView& tcp, std::size_t direction, Offset end) noexcept {
  if (flow.finished[direction] && end > flow.fin_end[direction])
    flow.finished[direction] = false;  // the FIN was false
  if (!tcp.has(TcpView::kFin) || flow.finished[direction]) return;
  flow.finished[direction] = true;
  flow.fin_end[direction] = end;
}

// Processes the source's acknowledgement of the UE's data.
void hear_source(Flow& flow, const TcpView& tcp, Time now) noexcept {
  if (!flow.ue.anchored) anchor_ue(flow, tcp.ack());
  UeStream& ue = flow.ue;
  const Offset ack = ue.space.offset(tcp.ack(), ue.sent);
  if (ack > ue.acked) {
    flow.established = flow.established || (ack <= ue.sent && !tcp.has(TcpView::kSyn));
    ue.acked = ack;
    ue.sent = std::max(ue.sent, ack);
  }
  const bool syn = tcp.has(TcpView::kSyn);
  if (syn || flow.scale_known()) {
    const bool scaled = !syn && flow.syn[kDown].scale && flow.syn[kUp].scale;
    const Offset window = Offset{tcp.window()} << (scaled ? *flow.syn[kDown].scale : 0);
    ue.edge = std::max(ue.edge, ack + window);
  }
  flow.core.octets_acked(ack, now);
  if (!flow.core.awaits_stamp()) return;
  if (const auto stamps = tcp.timestamps()) flow.core.stamp_echoed(stamps->echo, now);
}

// Processes the arrival of the source's octets [from, end).
void arrive(Flow& flow, Offset from, Offset end, Time now) noexcept {
  DP_EXPECT(flow.anchored && from < end);
  const bool again = from < flow.arrived;
  if (again && end > flow.acked && from < flow.timed) flow.timed = 0;  // Karn
  if (end <= flow.arrived) return;
  flow.core.data_came(end, now);
  flow.arrived = end;
  flow.asymmetric = false;
  flow.reset[kDown] = false;
  if (again || flow.timed != 0) return;
  flow.timed = end;
  flow.timed_at = now;
}

// Processes the UE's data.
void depart(Flow& flow, const FlowSegment& segment) noexcept {
  UeStream& ue = flow.ue;
  if (!ue.anchored) anchor_ue(flow, segment.tcp.seq());
  const Offset end = ue.space.offset(segment.tcp.seq(), ue.sent) + segment.length();
  note_fin(flow, segment.tcp, kUp, end);
  if (end <= ue.sent) return;
  ue.sent = end;
  flow.reset[kUp] = false;
}

// Bytes of data in [from, to), without SYN and FIN, which may occupy an octet of it.
std::uint32_t data_within(const Flow& flow, Offset from, Offset to) noexcept {
  const bool opened = flow.syn[kDown].seen && flow.space.wire(0) == flow.syn[kDown].initial;
  if (opened) from = std::max<Offset>(from, 1);
  if (flow.finished[kDown]) to = std::min(to, flow.fin_end[kDown] - 1);
  return static_cast<std::uint32_t>(std::max<Offset>(to - from, 0));
}

std::optional<AckKind> kind_by_shape(const FlowSegment& segment) noexcept {
  if (segment.tcp.has(TcpView::kRst)) return AckKind::rst;
  if (segment.tcp.has(TcpView::kSyn)) return AckKind::syn;
  if (segment.tcp.has(TcpView::kFin)) return AckKind::fin;
  if (segment.payload > 0) return AckKind::data;
  return std::nullopt;
}

bool has_blocks(const TcpView& tcp) noexcept {
  for (const TcpOption option : tcp.options()) {
    if (option.blocks() > 0) return true;
  }
  return false;
}

// The kind of a pure ACK, before the flow's state is updated by it.
AckKind kind_by_news(const Flow& flow, Offset ack, std::uint16_t window, bool blocks,
                     std::uint32_t newly) noexcept {
  if (flow.heard && ack < flow.acked) return AckKind::old;
  if (blocks) return AckKind::sack;
  if (newly > 0) return AckKind::advance;
  const bool again = flow.heard && ack == flow.acked && window == flow.window;
  return again && flow.outstanding() > 0 ? AckKind::duplicate : AckKind::window_update;
}

// Adds SACK blocks (RFC 2018). A D-SACK (RFC 2883) is below the ACK or inside the second block, and adds
// nothing.
void add_blocks(Flow& flow, const TcpView& tcp) noexcept {
  for (const TcpOption option : tcp.options()) {
    for (std::size_t i = 0; i < option.blocks(); ++i) {
      const Offset left = flow.space.offset(option.block(i).left, flow.acked);
      const Offset right = flow.space.offset(option.block(i).right, flow.acked);
      if (left >= flow.acked && right <= flow.arrived) flow.sacked.add(left, right);
    }
  }
}

// True if data take another path: ACKs beyond arrived data continue while the source is silent here. A single
// such ACK could be a false claim of the UE.
bool goes_another_way(const Flow& flow, Time now) noexcept {
  if (flow.asymmetric || !flow.proved()) return true;
  return flow.goes_on(flow.unacceptable[kUp], now) && flow.unacceptable[kDown].count == 0;
}

// Handles ACKs of data that never came this way.
void side_step(Flow& flow, Offset ack) noexcept {
  DP_EXPECT(flow.anchored && ack > flow.arrived);
  flow.asymmetric = true;
  flow.arrived = flow.dequeued = ack;
  flow.timed = 0;
}

// Handles an advance of the cumulative ACK, or the first one.
void advance(Flow& flow, Offset ack, Time now) noexcept {
  DP_EXPECT(ack <= flow.arrived && (!flow.heard || ack >= flow.acked));
  if (ack > flow.acked) flow.duplicates = 0;
  if (!flow.heard && !flow.ack_forwarded) flow.forwarded_ack = std::min(flow.forwarded_ack, ack);
  flow.heard = true;
  flow.acked = ack;
  if (flow.timed != 0 && ack >= flow.timed) {
    if (flow.dequeued >= flow.timed) flow.radio.add(now - flow.timed_at);
    flow.timed = 0;
  }
}

Acknowledgement acknowledge(Flow& flow, const FlowSegment& segment, Time now) noexcept {
  const TcpView& tcp = segment.tcp;
  const Offset ack = flow.space.offset(tcp.ack(), flow.acked);
  const bool syn = tcp.has(TcpView::kSyn), blocks = has_blocks(tcp);
  const bool new_data = ack > std::max<Offset>(flow.acked, 0) && !syn;
  if (new_data && !flow.asymmetric) flow.established = true;
  const std::uint32_t newly = flow.heard && ack > flow.acked ? data_within(flow, flow.acked, ack) : 0;
  const auto shape = kind_by_shape(segment);
  const AckKind kind = shape ? *shape : kind_by_news(flow, ack, tcp.window(), blocks, newly);
  const bool repeats = flow.heard && ack == flow.acked && flow.outstanding() > 0;
  if (repeats && (kind == AckKind::duplicate || kind == AckKind::sack)) ++flow.duplicates;
  if (!flow.heard || ack >= flow.acked) {
    advance(flow, ack, now);
    if (!syn) flow.window = tcp.window();
  }
  flow.sacked.advance(flow.acked);
  if (blocks) add_blocks(flow, tcp);
  return {kind, ack, newly};
}

// Notes an ACK that leaves for the source, which ignores the window of one that was overtaken (RFC 9293
// section 3.10.7.4).
void note_forwarded(Flow& flow, Offset ack, const TcpView& tcp, Time now) noexcept {
  if (flow.ack_forwarded && ack < flow.forwarded_ack) return;
  const bool syn = tcp.has(TcpView::kSyn);
  const Offset edge = ack + (syn ? Offset{tcp.window()} : Offset{flow.window_of(tcp.window())});
  if (flow.ack_forwarded && edge > flow.advertised_edge && flow.scale_known())
    flow.core.edge_left(flow.advertised_edge, now);
  flow.forwarded_ack = ack;
  flow.advertised_edge = flow.ack_forwarded ? std::max(flow.advertised_edge, edge) : edge;
  flow.ack_forwarded = true;
}

}  // namespace

bool goes_on_in_order(const Flow& flow, const FlowSegment& segment) noexcept {
  constexpr std::uint8_t kNoData = TcpView::kSyn | TcpView::kFin | TcpView::kRst;
  if (!flow.anchored || segment.payload == 0 || segment.tcp.has(kNoData)) return false;
  return segment.tcp.seq() == flow.space.wire(flow.arrived);
}

bool is_unacceptable(const Flow& flow, const FlowSegment& segment, Direction direction) noexcept {
  return direction == Direction::downlink ? unacceptable_from_source(flow, segment.tcp)
                                          : unacceptable_from_ue(flow, segment.tcp);
}

bool track_downlink(Flow& flow, const FlowSegment& segment, Time now) noexcept {
  const TcpView& tcp = segment.tcp;
  settle_doubt(flow, segment, Direction::downlink);
  const bool unacceptable = unacceptable_from_source(flow, tcp), syn = tcp.has(TcpView::kSyn);
  flow.last_seen = now;
  if (tcp.has(TcpView::kRst)) {
    note_reset(flow, segment, Direction::downlink);
    return unacceptable;
  }
  if (syn && !note_syn(flow, segment, Direction::downlink)) return unacceptable;
  if (syn ? unacceptable_from_source(flow, tcp) : unacceptable) {
    note_unacceptable(flow, tcp, Direction::downlink, now);
    return unacceptable;
  }
  flow.unacceptable = {};
  if (!flow.anchored) anchor_source(flow, tcp.seq(), false);
  if (tcp.has(TcpView::kAck)) hear_source(flow, tcp, now);
  if (segment.length() != 0) {
    const Offset from = flow.space.offset(tcp.seq(), flow.arrived);
    note_fin(flow, tcp, kDown, from + segment.length());
    arrive(flow, from, from + segment.length(), now);
  }
  return unacceptable;
}

void track_dequeue(Flow& flow, const FlowSegment& segment) noexcept {
  if (!flow.anchored) return;
  const Offset end = flow.space.offset(segment.tcp.seq(), flow.dequeued) + segment.length();
  if (end <= flow.arrived) flow.dequeued = std::max(flow.dequeued, end);
}

Acknowledgement track_uplink(Flow& flow, const FlowSegment& segment, Time now) noexcept {
  const TcpView& tcp = segment.tcp;
  settle_doubt(flow, segment, Direction::uplink);
  flow.last_seen = now;
  const AckKind unread = kind_by_shape(segment).value_or(AckKind::old);
  if (tcp.has(TcpView::kRst)) {
    note_reset(flow, segment, Direction::uplink);
    return {unread, flow.acked};
  }
  if (tcp.has(TcpView::kSyn) && !note_syn(flow, segment, Direction::uplink)) return {unread, flow.acked};
  if (unacceptable_from_ue(flow, tcp)) {
    note_unacceptable(flow, tcp, Direction::uplink, now);
    return {unread, flow.acked, 0, true};
  }
  if (tcp.has(TcpView::kAck) && !flow.anchored) anchor_source(flow, tcp.ack(), false);
  const Offset ack = tcp.has(TcpView::kAck) ? flow.space.offset(tcp.ack(), flow.acked) : flow.acked;
  if (ack > flow.arrived) {
    note_unacceptable(flow, tcp, Direction::uplink, now);
    if (!goes_another_way(flow, now)) return {kind_by_shape(segment).value_or(AckKind::ahead), ack};
    side_step(flow, ack);
  }
  flow.unacceptable = {};
  depart(flow, segment);
  if (!tcp.has(TcpView::kAck)) return {unread, flow.acked};
  return acknowledge(flow, segment, now);
}

void track_forwarded(Flow& flow, const FlowSegment& segment, Time now) noexcept {
  const TcpView& tcp = segment.tcp;
  const Offset from = flow.ue.space.offset(tcp.seq(), flow.ue.sent);
  const Offset to = from + segment.length();
  const Offset ack = flow.space.offset(tcp.ack(), flow.acked);
  // Before the first ACK of the UE no number is confirmed by it, and a SYN that opens another connection says
  // nothing about this one.
  const bool acks = tcp.has(TcpView::kAck) && flow.anchored && flow.heard;
  const SynWords& opened = flow.syn[kUp];
  const bool other = tcp.has(TcpView::kSyn) && !(opened.seen && opened.initial == tcp.seq());
  const bool unacceptable = other || !flow.ue.anchored || to > flow.ue.sent || (acks && ack > flow.acked);
  if (tcp.has(TcpView::kRst) || unacceptable) return;
  if (to > from) flow.core.octets_left(from, to, now);
  if (const auto stamps = tcp.timestamps()) flow.core.stamp_left(stamps->value, now);
  if (acks) note_forwarded(flow, ack, tcp, now);
}

}  // namespace dp
