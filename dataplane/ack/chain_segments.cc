// Kept segments: put into the store as they enter the buffer, kept by reference after transmission, sent
// again, and discarded.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "dataplane/ack/answer.h"
#include "dataplane/ack/chain.h"
#include "dataplane/ack/chain_stages.h"
#include "dataplane/base/expect.h"
#include "dataplane/flow/quoted.h"
#include "dataplane/flow/signed.h"
#include "dataplane/packet/tcp_checksum.h"

namespace dp {

// Invariants between two calls:
//
// - A segment of the store is of a flow in the table, and came the way that the flow's data come. Its SDU
//   waits in the buffer or is in transmission there (sent is false), or its last bit has left (sent is true).
// - For each that was sent, and for no other, the chain keeps one reference to the SDU; it is in retained and
//   mbufs_held of the worker's account, and in the occupancy of the leg if in_buffer is true.
// - resending_ is the one whose SDU, or a copy of it, start_again() gave last, until sent_again(); null when
// it
//   was let go meanwhile.
// - stats_->kept counts the segments of the store, and Flow::kept those of a flow.

// Adds an SDU that entered the buffer; `reached` is the end of the data that arrived before it.
void AckChain::put(Sdu& sdu, Flow& flow, const FlowSegment& segment, Offset reached) noexcept {
  // A segment of an unproved flow may be of no connection, and would never be acknowledged.
  if (flow.asymmetric || flow.sealed() || !flow.proved() || is_signed(segment.tcp)) return;
  if (segment.payload == 0 || segment.tcp.has(TcpView::kSyn | TcpView::kRst)) return;
  const Offset begin = flow.space.offset(segment.tcp.seq(), flow.arrived);
  const auto length = static_cast<std::uint16_t>(segment.length());
  if (begin + length <= flow.acked) return;
  KeptSegment* const same = store_->holding(flow.index, begin);
  if (same != nullptr && !same->sent) return;
  // The source has sent it again, perhaps in other pieces, and the stages passed it: it replaces the old one.
  if (same != nullptr) part_with(*same);
  if (!store_->has_space_for(flow.index)) return;
  if (store_->put(flow.index, begin, length, sdu, begin < reached) != nullptr) count_kept(flow, 1);
}

// The kept segment; null if it is not kept.
KeptSegment* AckChain::kept(const Sdu& sdu) noexcept {
  const Flow* const flow = store_ == nullptr ? nullptr : flows_.by_handle(sdu.flow);
  if (flow == nullptr || store_->count_of(flow->index) == 0) return nullptr;
  if (KeptSegment* const next = store_->next_of_frame(flow->index, sdu)) return next;
  const auto segment = flow_segment(sdu, Direction::downlink);
  if (!segment) return nullptr;
  const Offset begin = flow->space.offset(segment->tcp.seq(), flow->arrived);
  KeptSegment* const found = store_->holding(flow->index, begin);
  return found != nullptr && found->sdu == &sdu ? found : nullptr;
}

bool AckChain::keep(Sdu& sdu, Time at, const BufferReading& buffer, Context& context) noexcept {
  KeptSegment* const segment = kept(sdu);
  if (segment == nullptr) return false;
  // A quarter of the pool's share is reserved for arrivals, so that kept segments cause no drops.
  const bool memory = context.pool_has_room(context.mbuf_cap / 4);
  if (!memory || !context.frames->keep(sdu)) {
    on_gone(sdu);
    return false;
  }
  const Visit visit(context_, context);
  buffer_ = buffer;
  DP_EXPECT(!segment->sent && context.account.buffered > 0);
  context.account.buffered -= 1;
  context.account.retained += 1;
  store_->mark_sent(*segment);
  segment->mbufs = sdu.segments;
  segment->in_buffer = in_buffer_;
  if (!in_buffer_) leave_buffer(sdu);
  segment->sent_us = microseconds(at.time_since_epoch());
  // Halved, so that old events count little.
  if (++sent_ == kLossSample) sent_ /= 2, resent_ /= 2;
  notify_sent(*segment);
  arm();
  return true;
}

void AckChain::sent_again(Time at, const BufferReading& buffer, Context& context) noexcept {
  KeptSegment* const segment = std::exchange(resending_, nullptr);
  if (segment == nullptr) return;
  const Visit visit(context_, context);
  buffer_ = buffer;
  segment->sent_us = microseconds(at.time_since_epoch());
  notify_sent(*segment);
  arm();
}

// Reports to the stages that the segment's last bit has left.
void AckChain::notify_sent(KeptSegment& segment) noexcept {
  Flow& flow = flows_.at(segment.flow);
  const Sdu* const sdu = segment.sdu;
  for (std::size_t k = 0; k < stages_ && segment.sdu == sdu; ++k) {
    StageContext call(*this, k, context_->now, buffer_);
    at_stage(k, [&](auto& box) { box.stage.on_sent(flow, box.per_flow[flow.index].state, segment, call); });
  }
}

void AckChain::on_gone(const Sdu& sdu) noexcept {
  KeptSegment* const segment = kept(sdu);
  if (segment == nullptr || segment->sent) return;
  count_kept(flows_.at(segment->flow), -1);
  store_->remove(*segment);
}

void AckChain::count_kept(Flow& flow, int more) noexcept {
  flow.kept += static_cast<std::uint32_t>(more);
  more > 0 ? stats_->kept.add(1) : stats_->kept.sub(1);
}

Sdu* AckChain::start_again(Context& context) noexcept {
  const Visit visit(context_, context);
  while (KeptSegment* const segment = store_->first_to_go()) {
    store_->leave_to_go(*segment);
    Sdu& sdu = *segment->sdu;
    if (!to_ue_.fits(sdu)) {
      part_with(*segment);
      continue;
    }
    // It left a round trip ago, so that usually there is no other owner.
    Sdu* again = nullptr;
    copied_ = !context.frames->sole(sdu);
    if (copied_) {
      again = context.frames->copy(sdu);
    } else if (context.frames->keep(sdu)) {
      again = &sdu;
    }
    if (again != nullptr) {
      to_ue_.write_to(*again, *context.frames);
      resending_ = segment;
      return again;
    }
    // The stage retries as if this transmission had been lost.
    notify_sent(*segment);
  }
  arm();
  return nullptr;
}

bool AckChain::resend(KeptSegment& segment) noexcept {
  DP_EXPECT(segment.sent && !segment.to_go);
  if (&segment == resending_) return false;
  if (!segment.checked && !tcp_checksum_right(*segment.sdu)) {
    part_with(segment);
    return false;
  }
  if (too_old(segment) || too_big(segment) || !to_ue_.fits(*segment.sdu)) {
    part_with(segment);
    return false;
  }
  segment.checked = true;
  if (!store_->any_to_go()) asked_ = context_->link_time();
  store_->push_to_go(segment);
  if (resent_ < sent_) ++resent_;
  ++flows_.at(segment.flow).resent;
  leg_.wake(leg_.leg, *context_);
  return true;
}

void AckChain::on_too_big(Bytes quoted, std::uint32_t mtu, Context& context) noexcept {
  constexpr std::uint32_t kLeastMtu = 296;  // smallest MTU that is accepted (RFC 1191 section 7)
  const auto lost = store_ == nullptr ? std::nullopt : quoted_segment(quoted);
  Flow* const flow = lost ? flows_.find(lost->key) : nullptr;
  if (flow == nullptr || !flow->anchored || mtu < kLeastMtu) return;
  // RFC 5927: a report is accepted only if it quotes a segment in flight.
  const Offset at = flow->space.offset(lost->seq, flow->acked);
  if (at < flow->acked || at >= flow->arrived) return;
  UeSaid& said = ue_said_[flow->index];
  said.mtu = std::min(said.mtu, mtu);
  // The others are discarded at their retransmission (resend).
  const Visit visit(context_, context);
  KeptSegment* const awaited = store_->holding(flow->index, flow->acked);
  if (awaited != nullptr && awaited->sent && too_big(*awaited)) part_with(*awaited);
}

// RFC 7323 section 5.3: the UE drops what bears an older timestamp than the one it echoes. That happens to a
// segment that was kept before its source sent another one again.
bool AckChain::too_old(const KeptSegment& segment) const noexcept {
  const UeSaid& said = ue_said_[segment.flow];
  const auto found = said.stamped ? flow_segment(*segment.sdu, Direction::downlink) : std::nullopt;
  if (!found) return false;
  const auto stamps = found->tcp.timestamps();
  return stamps && stamp_before(stamps->value, said.echo);
}

// Removes the segment from the store.
void AckChain::part_with(KeptSegment& segment) noexcept {
  DP_EXPECT(context_ != nullptr && stats_ != nullptr);
  Sdu& sdu = *segment.sdu;
  // True only if the frame itself, and not a copy, is being sent again.
  const bool resending = &segment == resending_ && !copied_;
  if (&segment == resending_) resending_ = nullptr;
  const bool sent = segment.sent, in_buffer = segment.in_buffer;
  const std::uint32_t mbufs = segment.mbufs;  // the frame itself was touched a round trip ago
  count_kept(flows_.at(segment.flow), -1);
  store_->remove(segment);
  if (!sent) return;
  DP_EXPECT(context_->account.retained > 0 && context_->account.mbufs_held >= mbufs);
  // During transmission it is accounted as retained by itself.
  if (resending) {
    sdu.fate |= kFateApart;
  } else {
    context_->account.retained -= 1;
  }
  context_->account.mbufs_held -= mbufs;
  if (in_buffer) leave_buffer(sdu);
  context_->frames->let_go(sdu);
}
void AckChain::leave_buffer(const Sdu& sdu) noexcept {
  leg_.left(leg_.leg, sdu);
  buffer_.sdus -= std::min(buffer_.sdus, 1u);
  buffer_.bytes -= std::min(buffer_.bytes, sdu.ip_len);
}

void AckChain::forget_kept(const Flow& flow) noexcept {
  if (store_ == nullptr) return;
  while (KeptSegment* const segment = store_->oldest(flow.index)) part_with(*segment);
  ue_said_[flow.index] = {};
}

// Notes the timestamps of the UE's segment, which belongs to the connection.
void AckChain::note_stamps(const Ack& ack) noexcept {
  if (store_ == nullptr) return;
  UeSaid& said = ue_said_[ack.flow.index];
  const auto stamps = ack.segment.tcp.timestamps();
  said.heard = true;
  said.stamped = stamps.has_value();
  if (!stamps) return;
  said.stamp = stamps->value;
  said.echo = stamps->echo;
}

void AckChain::note_passed(const Ack& ack) noexcept {
  if (store_ == nullptr) return;
  UeSaid& said = ue_said_[ack.flow.index];
  said.passed = true;
  said.window = ack.segment.tcp.window();
  said.ece = ack.segment.tcp.has(TcpView::kEce);
}

// True if the source would miss nothing but a number that it knows, and SACK blocks.
bool AckChain::droppable(const Ack& ack) noexcept {
  if (store_ == nullptr || !is_pure(ack.kind) || ack.number > ack.flow.forwarded_ack) return false;
  const UeSaid& said = ue_said_[ack.flow.index];
  const TcpView& tcp = ack.segment.tcp;
  if (!said.passed || tcp.window() != said.window || tcp.has(TcpView::kEce) != said.ece) return false;
  if (tcp.has(TcpView::kCwr | TcpView::kUrg)) return false;
  for (const TcpOption option : tcp.options()) {
    if (option.kind != TcpOption::kSack && option.kind != TcpOption::kTimestamps) return false;
  }
  return true;
}

// Returns the source's repeated segment as an ACK of what the UE has. False if that is impossible.
bool AckChain::answer(Sdu& sdu, const Flow& flow) noexcept {
  const UeSaid& said = ue_said_[flow.index];
  const bool tunnelled = sdu.outer_offset != 0;
  if (!said.heard || (tunnelled && !to_core_.fits(sdu))) return false;
  const TcpOption::Timestamps stamps{said.stamp, said.echo};
  if (!turn_into_ack(sdu, flow, said.stamped ? &stamps : nullptr, *context_->frames)) return false;
  if (tunnelled) to_core_.write_to(sdu, *context_->frames);
  context_->send(sdu, Side::core);
  return true;
}

SegmentStore* StageContext::store() const noexcept { return chain_.store_.get(); }
bool StageContext::resend(KeptSegment& segment) noexcept {
  const bool again = chain_.resend(segment);
  if (again) count(AckEvent::resent);
  return again;
}
bool StageContext::sending(const KeptSegment& segment) const noexcept {
  return chain_.resending_ == &segment;
}
void StageContext::acknowledged(KeptSegment& segment) noexcept { chain_.part_with(segment); }
void StageContext::let_go(KeptSegment& segment) noexcept {
  DP_EXPECT(segment.sent);
  count(AckEvent::let_go);
  chain_.part_with(segment);
}
double StageContext::local_loss() const noexcept {
  return chain_.sent_ == 0 ? 0 : static_cast<double>(chain_.resent_) / chain_.sent_;
}

}  // namespace dp
