#include "dataplane/flow/handshake.h"

#include "dataplane/base/expect.h"
#include "dataplane/flow/track.h"

namespace dp {
namespace {

constexpr Direction other(Direction d) {
  return d == Direction::downlink ? Direction::uplink : Direction::downlink;
}

SynWords words_of(const TcpView& tcp) noexcept {
  SynWords words{.seen = true, .initial = tcp.seq(), .window = tcp.window()};
  for (const TcpOption option : tcp.options()) {
    if (const auto scale = option.window_scale()) words.scale = scale;
    if (const auto mss = option.mss()) words.mss = *mss;
    words.sack = words.sack || option.sack_permitted();
    words.timestamps = words.timestamps || option.timestamps().has_value();
    words.sealed = words.sealed || option.seals();
  }
  const bool answer = tcp.has(TcpView::kAck);
  words.ecn = tcp.has(TcpView::kEce) && tcp.has(TcpView::kCwr) != answer;
  words.sealed = words.sealed || tcp.accurate_ecn();
  return words;
}

// Merges a retransmitted SYN, perhaps without options suspected of being blocked. The SYN-ACK may answer
// either of them.
void merge(SynWords& words, const SynWords& again) noexcept {
  if (again.scale) words.scale = again.scale;
  words.sack = words.sack || again.sack;
  words.timestamps = words.timestamps || again.timestamps;
  words.ecn = words.ecn && again.ecn;  // RFC 3168 section 6.1.1.1: a retransmission without it turns it off
  words.sealed = words.sealed || again.sealed;
}

void anchor(Flow& flow, Direction direction, std::uint32_t initial) noexcept {
  if (direction == Direction::downlink) {
    anchor_source(flow, initial, true);
  } else {
    anchor_ue(flow, initial);
  }
}

bool anchored(const Flow& flow, Direction direction) noexcept {
  return direction == Direction::downlink ? flow.anchored : flow.ue.anchored;
}

// Called when `direction` gets a new sequence space: its FIN was in the old one.
void forget_fin(Flow& flow, Direction direction) noexcept {
  flow.finished[index(direction)] = false;
  flow.fin_end[index(direction)] = 0;
}

bool live(const Flow& flow) noexcept { return flow.established && !flow.over(); }

// The number of octets that a SYN-ACK acknowledges of a SYN with this number; 0 if it is for another SYN.
// More than 1: data in the SYN (RFC 7413 section 3).
Offset answered(const TcpView& tcp, std::uint32_t initial) noexcept {
  const std::uint32_t octets = tcp.ack() - initial;
  return octets <= 0xffff ? octets : 0;
}

bool confirms(const Flow& flow, const TcpView& tcp, Direction direction) noexcept {
  return flow.new_incarnation.seen && flow.new_incarnation_from == other(direction) &&
         answered(tcp, flow.new_incarnation.initial) > 0;
}

// True if a SYN-ACK answers the SYN that was seen, or none was seen.
bool answers(const Flow& flow, const TcpView& tcp, Direction direction) noexcept {
  const Direction peer = other(direction);
  if (!flow.syn[index(peer)].seen) return true;
  const bool down = peer == Direction::downlink;
  const Offset octets = answered(tcp, flow.syn[index(peer)].initial);
  return octets > 0 && octets <= (down ? flow.arrived : flow.ue.sent);
}

// True if this end's RST refuses its peer's segment, when nothing else of this end was seen.
bool rejects(const Flow& flow, const TcpView& tcp, Direction direction) noexcept {
  if (!anchored(flow, other(direction))) return true;
  if (!tcp.has(TcpView::kAck)) return false;
  if (direction == Direction::downlink) {
    const Offset ack = flow.ue.space.offset(tcp.ack(), flow.ue.sent);
    return ack > flow.ue.acked && ack <= flow.ue.sent;
  }
  const Offset ack = flow.space.offset(tcp.ack(), flow.arrived);
  return ack > flow.acked && ack <= flow.arrived;
}

// RFC 5961 section 3.2: the peer accepts only the exact number: the end of all data that arrived here, once
// the peer has it; until then the number that it has acknowledged.
bool reset_counts(const Flow& flow, const TcpView& tcp, Direction direction) noexcept {
  if (!anchored(flow, direction)) return rejects(flow, tcp, direction);
  if (direction == Direction::uplink) {
    const Offset at = flow.ue.space.offset(tcp.seq(), flow.ue.sent);
    return at == flow.ue.sent || at == flow.ue.acked;
  }
  const Offset at = flow.space.offset(tcp.seq(), flow.arrived);
  return at == flow.arrived || at == flow.acked;
}

void lose_place(Flow& flow) noexcept {
  anchor_source(flow, 0, false);
  anchor_ue(flow, 0);
  flow.anchored = flow.ue.anchored = false;
  flow.unacceptable = {};
}

}  // namespace

Offset end_limit(const Flow& flow, Direction direction) noexcept {
  const Offset reach = flow.reach(direction);
  if (direction == Direction::uplink) {
    return std::max(flow.ue.sent, flow.ue.edge > 0 ? flow.ue.edge : flow.ue.acked + reach);
  }
  const bool known = flow.ack_forwarded && flow.scale_known();
  return std::max(flow.arrived, known ? flow.advertised_edge : flow.acked + reach);
}

void anchor_source(Flow& flow, std::uint32_t seq, bool syn) noexcept {
  forget_fin(flow, Direction::downlink);
  flow.space = SeqSpace(seq);
  flow.anchored = true;
  flow.heard = flow.ack_forwarded = syn;
  flow.arrived = flow.dequeued = flow.acked = flow.forwarded_ack = flow.timed = 0;
  const SynWords& ue = flow.syn[index(Direction::uplink)];
  flow.advertised_edge = syn && ue.seen ? 1 + Offset{ue.window} : 0;
  flow.sacked.clear();
}

void anchor_ue(Flow& flow, std::uint32_t seq) noexcept {
  forget_fin(flow, Direction::uplink);
  flow.ue = {.space = SeqSpace(seq), .anchored = true};
  flow.core = {};
}

void settle_doubt(Flow& flow, const FlowSegment& segment, Direction direction) noexcept {
  const TcpView& tcp = segment.tcp;
  if (!flow.in_doubt || tcp.has(TcpView::kSyn) || tcp.has(TcpView::kRst)) return;
  flow.in_doubt = false;
  const bool acks = direction == Direction::uplink && flow.anchored && tcp.has(TcpView::kAck);
  const bool ahead = acks && flow.space.offset(tcp.ack(), flow.acked) > flow.arrived;
  if (ahead || is_unacceptable(flow, segment, direction)) lose_place(flow);
}

bool note_syn(Flow& flow, const FlowSegment& segment, Direction direction) noexcept {
  DP_EXPECT(segment.tcp.has(TcpView::kSyn));
  SynWords& mine = flow.syn[index(direction)];
  const SynWords words = words_of(segment.tcp);
  if (mine.seen && mine.initial == words.initial) {
    merge(mine, words);
    return true;
  }
  const bool answer = segment.tcp.has(TcpView::kAck);
  if (live(flow)) {
    if (!answer) flow.new_incarnation = words, flow.new_incarnation_from = direction;
    return false;
  }
  if (answer && !flow.syn[index(other(direction))].seen && confirms(flow, segment.tcp, direction)) {
    flow.syn[index(other(direction))] = flow.new_incarnation;
    anchor(flow, other(direction), flow.new_incarnation.initial);
    (direction == Direction::uplink ? flow.arrived : flow.ue.sent) =
        answered(segment.tcp, flow.new_incarnation.initial);
  } else if (answer && !answers(flow, segment.tcp, direction)) {
    return false;
  }
  mine = words;
  anchor(flow, direction, words.initial);
  return true;
}

void note_reset(Flow& flow, const FlowSegment& segment, Direction direction) noexcept {
  DP_EXPECT(segment.tcp.has(TcpView::kRst));
  if (reset_counts(flow, segment.tcp, direction)) flow.reset[index(direction)] = true;
}

// RFC 9293 section 3.10.7.4 and RFC 5961 section 4.2: a live end answers a SYN by a challenge ACK, so the
// connection goes on unless a SYN-ACK says otherwise.
bool is_new_connection(const Flow& flow, const FlowSegment& segment, Direction direction, Time now) noexcept {
  const TcpView& tcp = segment.tcp;
  if (!tcp.has(TcpView::kSyn) || tcp.has(TcpView::kRst)) {
    return flow.lost(index(direction), now) && is_unacceptable(flow, segment, direction);
  }
  const SynWords& mine = flow.syn[index(direction)];
  if (mine.seen && mine.initial == tcp.seq()) return false;
  if (tcp.has(TcpView::kAck)) {
    return live(flow) ? confirms(flow, tcp, direction) : flow.established;
  }
  return !live(flow) && (mine.seen || flow.over() || anchored(flow, direction));
}

}  // namespace dp
