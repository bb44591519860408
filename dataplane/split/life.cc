// Begin and end of a split connection. It ends unnoticed (let go), or by a reset at both ends.
//
// A connection in the table of flows is watched, which is no SplitState, split or in a drain. `At risk` are
// the octets that were acknowledged to the server and not by the UE.
//
//   event                                     watched  split                     drain
//   server's data, may_be_split()             split    stored                    stored
//   server's urgent data, or several mbufs    passes   drain, for good           for good
//   UE's ACK                                  passes   stays                     let go if nothing is at risk
//   UE's ACK of the FIN                       passes   let go                    let go
//   UE's ACK of what did not come here        passes   asked, the second ends    asked, the second ends
//   server's RST, its number exact            passes   ends, passes              ends, passes
//   server's RST, another number              passes   dropped; ACK in window    dropped; ACK in window
//   UE's RST, its number exact                passes   ends, passes              ends, passes
//   no segment for `idle`, nothing at risk    -        let go                    let go
//   no progress for `idle`, no timer runs     -        reset                     reset
//   `retries` timeouts or probes              -        reset                     reset
//   the proxy's drain begins                  -        drain                     stays
//   the proxy's drain is called off           -        stays                     split, unless for good
//   another needs the slot or the store       -        let go, reset or drain    let go, reset or stays
//   bearer, proxy or mode goes                -        reset if at risk          reset if at risk
//   the flow leaves the table or begins anew  -        reset if at risk          reset if at risk
//
// With nothing at risk it is let go instead. Let go, ended and reset connections are watched again: let_go(),
// end(), reset().
#include <algorithm>

#include "dataplane/base/expect.h"
#include "dataplane/flow/signed.h"
#include "dataplane/flow/track.h"
#include "dataplane/split/proxy.h"

namespace dp {

// The flow of a segment, followed from here on; null when the table has no room.
Flow* SplitProxy::flow_of(const FlowSegment& segment, Direction direction) noexcept {
  const FlowClaim claim = claim_of(segment.tcp, direction);
  Flow* const flow = flows_.obtain(segment.key, claim, context_->now, [&](Flow& old) { forget(old); });
  if (flow == nullptr) return nullptr;
  if (is_new_connection(*flow, segment, direction, context_->now)) {
    // Without a SYN it is the connection of before, of which the flow has lost its place.
    const bool counted = per_flow_[flow->index].counted && !segment.tcp.has(TcpView::kSyn);
    forget(*flow);
    per_flow_[flow->index].counted = counted;
    flows_.restart(*flow, claim, context_->now);
  }
  return flow;
}

// The flow leaves the table, or begins anew: nothing of it stays here.
void SplitProxy::forget(Flow& flow) noexcept {
  PerFlow& own = per_flow_[flow.index];
  if (own.split != nullptr) {
    own.split->life.risk == 0 || flow.over() ? end(*own.split) : reset(*own.split, SplitReset::removed);
  }
  own = {};
}

// Once a connection.
void SplitProxy::count_unsplit(const Flow& flow, Unsplit why) noexcept {
  PerFlow& own = per_flow_[flow.index];
  if (own.counted) return;
  own.counted = true;
  stats_->unsplit[index(why)].add(1);
}

// With this segment of the server's. Nothing is on its way to the UE then: all that the UE will see from here
// on comes from this proxy.
bool SplitProxy::may_be_split(const Flow& flow, const FlowSegment& segment, const Sdu& sdu) noexcept {
  const auto never = [&](Unsplit why) {
    count_unsplit(flow, why);
    return false;
  };
  if (!config_.ports.takes(segment.key.peer_port)) return false;
  if (segment.tcp.has(TcpView::kSyn | TcpView::kRst)) return false;
  if (!flow.scale_known() || flow.asymmetric) return never(Unsplit::no_handshake);
  if (flow.sealed()) return never(Unsplit::sealed);
  if (is_signed(segment.tcp)) return false;
  if (per_flow_[flow.index].fast_open) return never(Unsplit::fast_open);
  const bool apart = sdu.segments == 1 && to_ue_.outer_offset == sdu.outer_offset && knows_way_to_server();
  if (!apart || segment.tcp.has(TcpView::kUrg)) return never(Unsplit::chain);
  // Not now, but perhaps later on: data are on their way, or were missed, or one end has closed. What was
  // missed amid the stream went around the box, or the UE would not have acknowledged all that came.
  const Offset at = flow.space.offset(segment.tcp.seq(), flow.arrived);
  if (!flow.heard || flow.acked < 1 || flow.acked != flow.arrived || at < flow.arrived) return false;
  if (at > flow.arrived && flow.arrived > 1) return false;
  if (flow.over() || flow.finished[index(Direction::downlink)] || flow.reset[0] || flow.reset[1])
    return false;
  if (draining_) return never(Unsplit::draining);
  const Offset unit = Offset{1} << flow.shift();
  if (flow.advertised_edge - flow.acked > Offset{config_.window} + unit) return never(Unsplit::window);
  if (!gets_slot()) return never(Unsplit::max_flows);
  if (!gets_share()) return never(Unsplit::store);
  return true;
}

// Requires: may_be_split().
SplitFlow* SplitProxy::begin(Flow& flow, const FlowSegment& segment, const Sdu& sdu) noexcept {
  SplitFlow& s = *free_;
  DP_EXPECT(s.flow == nullptr && s.queue.empty() && flow.acked == flow.arrived);
  free_ = s.next_free;
  used_.set(s.index, true);
  s.flow = &flow;
  s.life = {};
  s.beyond.clear();
  const bool stamps = flow.syn[0].timestamps && flow.syn[1].timestamps;
  start_sender(s, stamps);
  // The queue has slots for that many octets, even if they come in short segments.
  const Offset in_slots = capacity_.full_segments() * s.engine.mss();
  s.life.window = static_cast<std::uint32_t>(std::min<Offset>(config_.window, in_slots));
  s.life.next = s.life.acknowledged = flow.arrived;
  s.life.edge = std::max(flow.arrived, flow.advertised_edge);
  s.life.seen = s.life.moved_at = context_->now;
  s.life.stamps = stamps && per_flow_[flow.index].stamped;
  s.life.ue_acked = flow.ue.acked;
  s.life.server_window = segment.tcp.window();
  s.life.bearer = sdu.bearer;
  if (to_server_.size == 0) to_server_ = to_ue_.turned();
  if (const auto said = segment.tcp.timestamps()) {
    s.life.recent = s.life.stamp_sent = said->value;
    s.life.echo = said->echo;
  }
  context_->proxy_store.take(share_, capacity_.segments);
  per_flow_[flow.index].split = &s;
  ++splits_;
  stats_->flows[index(SplitState::split)].add(1);
  return &s;
}

// The sender to the UE begins with what comes next of the server's stream. `stamps`: each segment has the
// timestamps option.
void SplitProxy::start_sender(SplitFlow& s, bool stamps) noexcept {
  const Flow& flow = *s.flow;
  const SynWords& ue = flow.syn[index(Direction::uplink)];
  const std::uint32_t option = stamps ? 12 : 0;  // RFC 6691: taken off the payload
  // RFC 9293 section 3.7.1: neither end sends more than its peer takes.
  const std::uint32_t mss = std::max<std::uint32_t>(ue.mss, 64 + option) - option;
  s.engine.renew(sender_, flow.arrived);
  s.engine.bound({&s.queue, [](const void* queue, Offset at) noexcept {
                    const auto stored = static_cast<const SegmentQueue*>(queue)->holding(at);
                    DP_EXPECT(stored.has_value());
                    return stored->end();
                  }});
  s.engine.start(
      {.mss = mss, .initial_window = config_.initial_window, .sack = flow.sack(), .timestamps = false},
      first_rto(flow));
  s.engine.hear_window(flow.window != 0 ? Offset{flow.window_of(flow.window)} : Offset{ue.window});
}

// RFC 6298 section 2: by the round trip to the UE if it was measured.
RtoEstimator SplitProxy::first_rto(const Flow& flow) const noexcept {
  const Duration round_trip = per_flow_[flow.index].round_trip;
  RtoEstimator rto(sender_.rto);
  if (round_trip > Duration{}) rto.sample(round_trip);
  return rto;
}

void SplitProxy::set_risk(SplitFlow& s) noexcept {
  const auto risk = static_cast<std::uint32_t>(std::max<Offset>(s.life.acknowledged - s.acked(), 0));
  if (s.life.risk == 0 || s.acked() - s.life.moved_to >= Offset{s.engine.mss()}) {
    s.life.moved_at = context_->now;
    s.life.moved_to = s.acked();
  }
  if (risk >= s.life.risk) {
    stats_->at_risk_bytes.add(risk - s.life.risk);
  } else {
    stats_->at_risk_bytes.sub(s.life.risk - risk);
  }
  s.life.risk = risk;
}

// Releases the frame of a stored segment; the caller removes its record.
void SplitProxy::release_stored(SplitFlow& s, const StoredSegment& stored, DropReason why) noexcept {
  FrameAccount& account = context_->account;
  DP_EXPECT(stored.sdu != nullptr && stored_ > 0 && account.mbufs_held > 0);
  account.mbufs_held -= 1;
  --stored_;
  s.life.stored -= stored.length;
  stats_->stored_bytes.sub(stored.length);
  if (stored.sent) {
    DP_EXPECT(account.retained > 0);
    account.retained -= 1;
    context_->frames->let_go(*stored.sdu);
  } else {
    DP_EXPECT(account.buffered > 0);
    account.buffered -= 1;
    context_->drop(*stored.sdu, why);
  }
}

// Removes the split state. The connection goes on unsplit, or is over.
void SplitProxy::end(SplitFlow& s) noexcept {
  for (SegmentQueue::Position at = SegmentQueue::first(); s.queue.has(at); at = s.queue.after(at))
    release_stored(s, s.queue.at(at), DropReason::proxy_ended);
  s.queue.clear();
  s.beyond.clear();
  s.life.acknowledged = s.acked();
  set_risk(s);
  DP_EXPECT(s.life.stored == 0 && splits_ > 0);
  context_->proxy_store.give_back(share_, capacity_.segments);
  context_->timers.cancel(s);
  set_waits(s, false);
  stats_->flows[index(s.life.state)].sub(1);
  --splits_;
  PerFlow& own = per_flow_[s.flow->index];
  own.split = nullptr;
  if (s.engine.estimator().known()) own.round_trip = s.engine.srtt();
  s.flow = nullptr;
  s.life = {};
  used_.set(s.index, false);
  s.next_free = free_;
  free_ = &s;
}

// One end has sent a RST that its peer believes.
void SplitProxy::end_by_reset(SplitFlow& s, Direction from) noexcept {
  Flow& flow = *s.flow;
  flow.reset[index(from)] = true;
  flow.last_seen = context_->now;
  end(s);
  flows_.touch(flow);
}

// Requires: all that was acknowledged to the server the UE has, so that neither end notices. What is stored
// and was not sent goes on now; of what was sent the server has a copy, and so it has of all the rest.
void SplitProxy::let_go(SplitFlow& s) noexcept {
  DP_EXPECT(s.life.acknowledged <= s.acked());
  const auto goes_on = [&](const StoredSegment& stored) { return !stored.sent && stored.end() > s.acked(); };
  for (SegmentQueue::Position at = SegmentQueue::first(); s.queue.has(at); at = s.queue.after(at)) {
    const StoredSegment stored = s.queue.at(at);
    if (!goes_on(stored)) continue;
    Sdu& sdu = *stored.sdu;
    edit_header(sdu, header_to_ue(s, sdu));
    to_ue_.write_to(sdu, *context_->frames);
    context_->account.buffered -= 1;
    context_->account.mbufs_held -= 1;
    --stored_;
    s.life.stored -= stored.length;
    stats_->stored_bytes.sub(stored.length);
    sdu.arrival = context_->link_time();
    exit_.send(exit_.leg, sdu, *context_);
  }
  for (SegmentQueue::Position at = SegmentQueue::first(); s.queue.has(at); at = s.queue.after(at)) {
    const StoredSegment stored = s.queue.at(at);
    if (!goes_on(stored)) release_stored(s, stored, DropReason::proxy_ended);
  }
  s.queue.clear();
  Flow& flow = *s.flow;
  flow.dequeued = flow.arrived;
  end(s);
}

void SplitProxy::reset(SplitFlow& s, SplitReset why) noexcept {
  Flow& flow = *s.flow;
  const std::uint32_t ue_next = flow.ue.space.wire(flow.ue.sent);
  // RFC 5961 section 3.2: the number that the UE awaits. Behind a closed window it has taken no probe.
  const bool closed = s.engine.peer_window() == 0;
  const std::uint32_t server_next = flow.space.wire(closed ? s.acked() : s.engine.max());
  constexpr std::uint8_t kFlags = TcpView::kRst | TcpView::kAck;
  Sdu* const up =
      write_bare_segment({.flags = kFlags, .seq = ue_next, .ack = flow.space.wire(s.life.acknowledged)},
                         flow.key, Direction::uplink, to_server_, *context_->frames);
  Sdu* const down =
      write_bare_segment({.flags = kFlags, .seq = server_next, .ack = flow.ue.space.wire(flow.ue.acked)},
                         flow.key, Direction::downlink, to_ue_, *context_->frames);
  stats_->resets[index(why)].add(1);
  Bearer* const bearer = s.life.bearer;
  end(s);
  if (up != nullptr) {
    context_->create(*up, Side::core, Creation::proxy_reset);
    // While the box is blocked the server gets no RST: what it sends afterwards the UE resets.
    if (context_->mode == Mode::block) {
      context_->drop(*up, DropReason::blocked);
    } else {
      context_->send(*up, Side::core);
    }
  }
  if (down != nullptr) {
    down->bearer = bearer;
    down->arrival = context_->link_time();
    context_->create(*down, Side::radio, Creation::proxy_reset);
    exit_.send(exit_.leg, *down, *context_);
  }
  flow.reset = {true, true};
}

}  // namespace dp
