// The sender towards the UE: what the engine plans becomes frames.
#include <algorithm>

#include "dataplane/base/expect.h"
#include "dataplane/packet/ecn.h"
#include "dataplane/split/proxy.h"

namespace dp {
namespace {

constexpr Duration kRetry = std::chrono::milliseconds(10);

}  // namespace

void SplitProxy::emit(SplitFlow& s) noexcept {
  const bool lacked_memory = s.life.retry_at != kNever;
  if (lacked_memory && context_->now < s.life.retry_at) return arm(s);
  s.life.retry_at = kNever;
  if (s.engine.next_deadline() <= context_->now && waits_here(s)) s.engine.restart_timeout(context_->now);
  Emitted last = Emitted::sent;
  while (last == Emitted::sent) {
    const auto plan = s.engine.plan(context_->now);
    if (!plan) break;
    last = emit_one(s, *plan);
  }
  if (last == Emitted::no_memory) s.life.retry_at = context_->now + kRetry;
  set_waits(s, last == Emitted::no_space);
  const std::uint32_t timeouts = s.engine.stats().timeouts;
  stats_->timeouts.add(timeouts - s.life.timeouts);
  s.life.timeouts = timeouts;
  if (s.engine.failed()) return reset(s, lacked_memory ? SplitReset::no_memory : SplitReset::ue_silent);
  arm(s);
}

// True while an SDU that came no later than the connection's last segment is in the bearer's buffer: that
// segment cannot have arrived, and is not lost by waiting here (Linux likewise repeats nothing that is in a
// queue of the host). A buffer that stands still is believed for `idle`.
bool SplitProxy::waits_here(const SplitFlow& s) const noexcept {
  if (context_->now - s.life.moved_at >= config_.idle) return false;
  return queued_since_(exit_.leg) <= s.engine.last_send();
}

// Sets if the connection waits for space in the bearer's buffer.
void SplitProxy::set_waits(SplitFlow& s, bool waits) noexcept {
  if (waits == s.life.waits) return;
  s.life.waits = waits;
  const bool first = waits && waiting_.none();
  waiting_.set(s.index, waits);
  if (first || waiting_.none()) exit_.await_space(exit_.leg, waits);
}

SplitProxy::Emitted SplitProxy::emit_one(SplitFlow& s, const SendEngine::Plan& plan) noexcept {
  const SegmentQueue::Position position = s.queue.find(plan.offset);
  const StoredSegment stored = s.queue.at(position);
  DP_EXPECT(stored.begin <= plan.offset && plan.right() <= stored.end());
  if (!exit_.has_space(exit_.leg, stored.sdu->ip_len)) return Emitted::no_space;
  Sdu* const sdu = frame_for(s, plan, position);
  if (sdu == nullptr) return Emitted::no_memory;
  sdu->arrival = context_->now;
  sdu->dropped_for.reset();
  if (s.engine.again(plan)) stats_->retransmissions.add(1);
  s.engine.sent(plan, context_->now);
  exit_.send(exit_.leg, *sdu, *context_);
  return Emitted::sent;
}

// The frame that stands at `position` of the queue itself, where the plan is for the whole of it, nobody else
// has it and the link header of now fits; else a copy.
Sdu* SplitProxy::frame_for(SplitFlow& s, const SendEngine::Plan& plan,
                           SegmentQueue::Position position) noexcept {
  const StoredSegment stored = s.queue.at(position);
  FrameSource& frames = *context_->frames;
  const bool again = s.engine.again(plan);
  const bool all = stored.begin == plan.offset && stored.end() == plan.right();
  const bool fits = to_ue_.fits(*stored.sdu), whole = all && fits;
  if (whole && !stored.sent) {
    prepare(s, *stored.sdu, again);
    if (frames.keep(*stored.sdu)) {
      s.queue.mark_sent(position);
      context_->account.buffered -= 1;
      context_->account.retained += 1;
      return stored.sdu;
    }
  } else if (whole && frames.sole(*stored.sdu)) {
    prepare(s, *stored.sdu, again);
    if (frames.keep(*stored.sdu)) {
      context_->create(*stored.sdu, Side::radio, Creation::proxy_data);
      return stored.sdu;
    }
  }
  Sdu* const copy = fits ? frames.copy(*stored.sdu) : copy_behind(to_ue_, *stored.sdu, frames);
  if (copy == nullptr) return nullptr;
  copy->next = nullptr;
  if (!all) {
    const auto from = static_cast<std::uint32_t>(plan.offset - stored.begin);
    cut_segment(*copy, from, plan.payload, plan.fin, frames);
  }
  prepare(s, *copy, again);
  context_->create(*copy, Side::radio, Creation::proxy_data);
  return copy;
}

// Writes the server's latest header fields, and the fields that are this sender's own. A segment sent again
// is not ECN-capable (RFC 3168 section 6.1.5).
void SplitProxy::prepare(SplitFlow& s, Sdu& sdu, bool again) noexcept {
  HeaderEdit edit = header_to_ue(s, sdu);
  if (s.life.cwr && !again) {
    edit.set_flags |= TcpView::kCwr;
    edit.clear_flags &= static_cast<std::uint8_t>(~TcpView::kCwr);
    s.life.cwr = false;
  }
  edit_header(sdu, edit);
  to_ue_.write_to(sdu, *context_->frames);
  if (!s.flow->ecn()) return;
  if (again) {
    write_ecn(sdu, kNotEct);
  } else if (sdu.ecn == kCe) {
    write_ecn(sdu, kEct0);
  }
}

// The timestamp never goes back in the order of sending: the UE would take a segment that was stored before
// another was repeated by its server for an old duplicate (RFC 7323 section 5.3).
HeaderEdit SplitProxy::header_to_ue(SplitFlow& s, const Sdu& sdu) noexcept {
  const Flow& flow = *s.flow;
  HeaderEdit edit{
      .ack = flow.ue.space.wire(flow.ue.acked), .window = s.life.server_window, .clear_flags = TcpView::kCwr};
  s.life.ue_acked = flow.ue.acked;
  s.life.sent_window = s.life.server_window;
  if (!s.life.stamps) return edit;
  const auto tcp = TcpView::at(sdu.head().subspan(sdu.l4_offset));
  DP_EXPECT(tcp.has_value());
  if (const auto own = tcp->timestamps()) {
    if (stamp_before(s.life.stamp_sent, own->value)) s.life.stamp_sent = own->value;
    edit.stamp = s.life.stamp_sent;
    edit.echo = s.life.echo;
  }
  return edit;
}

// Forwards the server's ACK of the UE's own data and its window at once, by a segment without data.
void SplitProxy::send_update(SplitFlow& s) noexcept {
  const Flow& flow = *s.flow;
  if (flow.ue.acked <= s.life.ue_acked && s.life.sent_window == s.life.server_window) return;
  send_bare(s, s.engine.max());
}

// The UE answers octets before its window by an ACK of what it has (RFC 9293 section 3.10.7.4).
void SplitProxy::probe_ue(SplitFlow& s) noexcept { send_bare(s, s.acked() - 1); }

void SplitProxy::send_bare(SplitFlow& s, Offset at) noexcept {
  const Flow& flow = *s.flow;
  BareSegment segment{
      .seq = flow.space.wire(at), .ack = flow.ue.space.wire(flow.ue.acked), .window = s.life.server_window};
  if (s.life.stamps) segment.stamps = TcpOption::Timestamps{s.life.stamp_sent, s.life.echo};
  Sdu* const ack = write_bare_segment(segment, flow.key, Direction::downlink, to_ue_, *context_->frames);
  if (ack == nullptr) return;
  ack->bearer = s.life.bearer;
  ack->arrival = context_->now;
  s.life.ue_acked = flow.ue.acked;
  s.life.sent_window = s.life.server_window;
  context_->create(*ack, Side::radio, Creation::proxy_ack);
  exit_.send(exit_.leg, *ack, *context_);
}

}  // namespace dp
