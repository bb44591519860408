// Passing ACKs through the stages: held, sent on, sent past them.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "dataplane/ack/chain.h"
#include "dataplane/ack/chain_stages.h"
#include "dataplane/base/expect.h"
#include "dataplane/flow/signed.h"
#include "dataplane/packet/tcp_checksum.h"

namespace dp {

// Invariants between two calls:
//
// - A pure ACK that has come and not left is held by one stage, in the order in which it came there
//   (Box::held). Whatever else comes leaves before the call returns.
// - Order within a flow: what a stage holds of a flow came there before everything of it that stands at an
//   earlier stage, and after everything of it that a later one holds. So what stage k holds goes before a
//   segment of the same flow passes it (run), and what goes past several stages leaves behind what those
//   hold (release_flow, force_out_oldest). A RST, or what cannot be of the connection, keeps no order.
// - held_ is the number of ACKs in all Box::held; the sum of Passage::held over flows and stages; and that
//   of Flow::held over flows. It is in the class's ClassAckCounters and in the worker's account, and at most
//   max_held_.
// - The Sdu::flow of a held ACK is the handle of a flow in the table. So a flow leaves the table, or begins
//   anew, only after forget() has released what is held of it.

void AckChain::on_uplink(Sdu& sdu, Context& context) noexcept {
  const Visit visit(context_, context);
  if (holds_ || sdu.outer_offset != 0) to_core_.copy_from(sdu);
  const auto segment = flow_segment(sdu, Direction::uplink);
  const bool right = segment && tcp_checksum_right(sdu);
  if (segment && !right) stats_->corrupt.add(1);
  Flow* const flow = right ? flow_of(sdu, *segment, Direction::uplink) : nullptr;
  if (flow == nullptr) {
    context.send(sdu, Side::core);
    return;
  }
  const Acknowledgement seen = track_uplink(*flow, *segment, context.now);
  flows_.touch(*flow);
  Ack ack{.sdu = sdu, .flow = *flow, .segment = *segment, .kind = seen.kind, .number = seen.ack, .newly = 0};
  if (!seen.unacceptable) note_stamps(ack);
  if (flow->asymmetric) {
    release_flow(*flow, 0);
    forget_kept(*flow);
    for (std::size_t k = 0; k < stages_; ++k) count(k, AckEvent::stood_aside);
    leave(ack);
  } else if (seen.unacceptable || seen.kind == AckKind::rst) {
    if (flow->reset[index(Direction::uplink)]) {
      release_flow(*flow, 0, true);
      forget_kept(*flow);
    }
    pass_by(ack);
  } else {
    run(0, ack);
  }
  arm();
}

// Runs the stages from `from` on, until one holds the ACK.
void AckChain::run(std::size_t from, Ack& ack) noexcept {
  const bool has_digest = is_signed(ack.segment.tcp);
  for (std::size_t k = from; k < stages_; ++k) {
    Passage& here = passage(k, ack.flow);
    const Offset newly = ack.counted() - here.reached;
    ack.newly = newly > 0 ? static_cast<std::uint32_t>(newly) : 0;
    here.reached = std::max(here.reached, ack.counted());
    StageContext call(*this, k, context_->now, buffer_);
    const AckFate fate =
        asks(k, has_digest)
            ? at_stage(
                  k,
                  [&](auto& box) { return box.stage.on_ack(ack, box.per_flow[ack.flow.index].state, call); })
            : AckFate::pass;
    if (fate == AckFate::hold && hold(k, ack)) return;
    if (fate == AckFate::drop && droppable(ack)) {
      count(k, AckEvent::suppressed);
      context_->drop(ack.sdu, DropReason::ack_suppressed);
      return;
    }
    const bool rejected = fate == AckFate::hold && is_pure(ack.kind);
    while (Sdu* const older = oldest_of(k, ack.flow)) {
      Ack first = again(k, *older);
      if (rejected) eject(k, k + 1, first);
      take(k, first);
      run(k + 1, first);
    }
    if (rejected) eject(k, k + 1, ack);
    here.left = std::max(here.left, ack.counted());
  }
  leave(ack);
}

// False if it cannot be held.
bool AckChain::hold(std::size_t k, Ack& ack) noexcept {
  if (!is_pure(ack.kind) || !context_->pool_has_room(ack.sdu.segments)) return false;
  ack.sdu.ack_kind = static_cast<std::uint8_t>(ack.kind);
  ack.sdu.set_held_since(context_->now);
  HeldAcks::OfFlow* const own = held_of(k, ack.flow);
  DP_EXPECT(own != nullptr);
  held_at(k).push(*own, ack.sdu);
  ++passage(k, ack.flow).held;
  ++ack.flow.held;
  ++held_;
  held_by_[k].add(1);
  stats_->held.add(1);
  context_->account.held += 1;
  context_->account.mbufs_held += ack.sdu.segments;
  count(k, AckEvent::held);
  while (held_ > max_held_) force_out_oldest();
  return true;
}

// Removes the ACK from stage k without sending it on.
void AckChain::take(std::size_t k, Ack& ack) noexcept {
  HeldAcks::OfFlow* const own = held_of(k, ack.flow);
  DP_EXPECT(own != nullptr);
  held_at(k).take(*own, ack.sdu);
  to_core_.write_to(ack.sdu, *context_->frames);
  Passage& here = passage(k, ack.flow);
  DP_EXPECT(here.held > 0 && ack.flow.held > 0 && held_ > 0);
  --here.held;
  here.left = std::max(here.left, ack.counted());
  --ack.flow.held;
  --held_;
  held_by_[k].sub(1);
  stats_->held.sub(1);
  context_->account.held -= 1;
  context_->account.mbufs_held -= ack.sdu.segments;
  count(k, AckEvent::released);
}

// Restores a held ACK as it was on arrival at the stage.
Ack AckChain::again(std::size_t k, Sdu& sdu) noexcept {
  DP_EXPECT(flows_.by_handle(sdu.flow) != nullptr);
  Flow& flow = *flows_.by_handle(sdu.flow);
  const FlowSegment segment = *flow_segment(sdu, Direction::uplink);
  const Offset number = flow.space.offset(segment.tcp.ack(), flow.acked);
  const Offset newly = std::min(number, flow.arrived) - passage(k, flow).left;
  return {.sdu = sdu,
          .flow = flow,
          .segment = segment,
          .kind = static_cast<AckKind>(sdu.ack_kind),
          .number = number,
          .newly = newly > 0 ? static_cast<std::uint32_t>(newly) : 0};
}

void AckChain::send_on(std::size_t k, Ack& ack) noexcept {
  take(k, ack);
  run(k + 1, ack);
}

// Passes a RST or a segment that is not of the flow: nothing waits for it, and it tells the source nothing.
void AckChain::pass_by(Ack& ack) noexcept {
  if (ack.segment.tcp.has(TcpView::kAck) && ack.flow.anchored) {
    ack.number = ack.flow.space.offset(ack.segment.tcp.ack(), ack.flow.acked);
    const bool has_digest = is_signed(ack.segment.tcp);
    for (std::size_t k = 0; k < stages_; ++k) {
      if (!asks(k, has_digest)) continue;
      StageContext call(*this, k, context_->now, buffer_);
      at_stage(k, [&](auto& box) { box.stage.on_passing(ack, box.per_flow[ack.flow.index].state, call); });
    }
  }
  context_->send(ack.sdu, Side::core);
}

void AckChain::leave(Ack& ack) noexcept {
  track_forwarded(ack.flow, ack.segment, context_->now);
  note_passed(ack);
  if (!context_->send(ack.sdu, Side::core)) return;
  for (std::uint8_t i = 0; i < ack.copies; ++i) {
    Sdu* const copy = context_->frames->copy(ack.sdu);
    if (copy == nullptr) return;
    context_->create(*copy, Side::core, Creation::forced_ack);
    count(ack.copier, AckEvent::copied);
    context_->send(*copy, Side::core);
  }
}

// Sends the ACK past the stages from `from` to before `to`.
void AckChain::eject(std::size_t from, std::size_t to, Ack& ack) noexcept {
  const bool has_digest = is_signed(ack.segment.tcp);
  for (std::size_t k = from; k < to; ++k) {
    if (!asks(k, has_digest)) continue;
    StageContext call(*this, k, context_->now, buffer_);
    at_stage(k, [&](auto& box) { box.stage.on_ejected(ack, box.per_flow[ack.flow.index].state, call); });
  }
}

// Sends all held ACKs of a flow at the stages from `from` on, in order, unedited or as those stages edit
// them.
void AckChain::release_flow(const Flow& flow, std::size_t from, bool edited) noexcept {
  for (std::size_t k = stages_; k-- > from;) {
    while (flow.held > 0) {
      Sdu* const sdu = oldest_of(k, flow);
      if (sdu == nullptr) break;
      Ack ack = again(k, *sdu);
      if (edited) eject(k, stages_, ack);
      take(k, ack);
      leave(ack);
    }
  }
}

// Sends the oldest held ACK past the later stages, after the ACKs of its flow that they hold.
void AckChain::force_out_oldest() noexcept {
  std::size_t oldest = stages_;
  for (std::size_t k = 0; k < stages_; ++k) {
    const Sdu* const sdu = held_at(k).oldest();
    if (sdu == nullptr) continue;
    if (oldest == stages_ || sdu->held_since() < held_at(oldest).oldest()->held_since()) oldest = k;
  }
  DP_EXPECT(oldest < stages_);
  Ack ack = again(oldest, *held_at(oldest).oldest());
  count(oldest, AckEvent::overflowed);
  release_flow(ack.flow, oldest + 1, true);
  eject(oldest, stages_, ack);
  take(oldest, ack);
  leave(ack);
}

// Sends a held ACK unedited, past all stages.
void AckChain::send_held_now(std::size_t k, Sdu& sdu) noexcept {
  Ack ack = again(k, sdu);
  take(k, ack);
  track_forwarded(ack.flow, ack.segment, context_->now);
  context_->send_now(sdu, Side::core);
}

void AckChain::let_go_of(const UeAddress& ue, Context& context) noexcept {
  const Visit visit(context_, context);
  const std::size_t before = flows_.size();
  flows_.remove_all_of(ue, [&](Flow& flow) {
    for (std::size_t k = stages_; k-- > 0 && flow.held > 0;) {
      while (Sdu* const sdu = oldest_of(k, flow)) send_held_now(k, *sdu);
    }
    forget(flow);
  });
  stats_->flows.sub(before - flows_.size());
  arm();
}

void AckChain::send_all(Context& context) noexcept {
  const Visit visit(context_, context);
  for (std::size_t k = stages_; k-- > 0;) {
    while (Sdu* const sdu = held_at(k).oldest()) send_held_now(k, *sdu);
  }
  DP_EXPECT(held_ == 0);
  flows_.for_each([&](Flow& flow) { forget(flow); });
  for (std::size_t k = 0; k < stages_; ++k) {
    at_stage(k, [&]<class S>(Box<S>& box) {
      const typename S::Config config = box.stage.config();
      box.stage = S(config, box.rng);
    });
  }
  rest(context);
}

std::uint32_t StageContext::held() const noexcept { return chain_.held_at(stage_).size(); }

std::optional<Ack> StageContext::oldest() const noexcept {
  Sdu* const sdu = chain_.held_at(stage_).oldest();
  if (sdu == nullptr) return std::nullopt;
  return chain_.again(stage_, *sdu);
}

std::optional<Ack> StageContext::oldest_of(const Flow& flow) const noexcept {
  Sdu* const sdu = chain_.oldest_of(stage_, flow);
  if (sdu == nullptr) return std::nullopt;
  return chain_.again(stage_, *sdu);
}

std::uint32_t StageContext::held_of(const Flow& flow) const noexcept {
  return chain_.passage(stage_, flow).held;
}

std::uint32_t StageContext::held_bytes_of(const Flow& flow) const noexcept {
  const auto& here = chain_.passage(stage_, flow);
  return static_cast<std::uint32_t>(here.reached - here.left);
}

void StageContext::release(Ack& ack) noexcept { chain_.send_on(stage_, ack); }
void StageContext::count_edit() noexcept { count(AckEvent::edited); }
void StageContext::count(AckEvent event) noexcept { chain_.count(stage_, event); }
void StageContext::send_copies(Ack& ack, std::uint8_t copies) noexcept {
  DP_EXPECT(is_pure(ack.kind));
  ack.copies = copies;
  ack.copier = static_cast<std::uint8_t>(stage_);
}

}  // namespace dp
