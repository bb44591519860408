// One leg's store of SDUs, as an RNC's RLC holds it: those waiting, those in transmission and those that the
// peer RLC has not acknowledged yet. Buffer occupancy (BO) counts them all. Owns what it holds; an SDU whose
// transmission has started is never discarded by a policy. Here is the general way of an SDU through it, for
// every link, policy and chain of ACK stages; the short ways are in buffer/store.h and buffer/judged_store.h.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>

#include "dataplane/ack/chain.h"
#include "dataplane/base/expect.h"
#include "dataplane/buffer/judged_store.h"

namespace dp {

class RlcBuffer : public JudgedStore {
 public:
  // Served at `rate` (bit/s), of which policies are told; they draw from `seed`. Requires: `flows` is there
  // just when the policy's queue_shape() has flow queues.
  RlcBuffer(const BufferLimit& limit, const AqmConfig& aqm, std::uint64_t rate, std::uint64_t seed,
            FlowQueues* flows = nullptr)
      : JudgedStore(limit, aqm, rate, seed, flows) {
    DP_EXPECT((flows != nullptr) == (queue_shape(aqm).flows != 0));
    if (flows != nullptr) flows->set_quantum(queue_shape(aqm).quantum);
  }

  // Whom to tell what happens here; null is nobody.
  void set_acks(AckChain* acks) noexcept { acks_ = acks; }

  // Whether the short ways may be taken, for a link with one SDU in transmission at a time: nobody judges
  // SDUs, or a policy does; and they are neither told of nor kept in flow queues. Each change of policy or
  // chain may change that.
  bool plain() const noexcept { return !judges() && acks_ == nullptr && flow_queues() == nullptr; }
  bool judged() const noexcept { return judges() && acks_ == nullptr && flow_queues() == nullptr; }

  // Another policy judges what is queued from here on, or the same one under other parameters; answers what
  // is in use no more. Requires: `fresh` is there when the new shape has flow queues and those at hand are
  // not as many.
  FlowQueues* set_aqm(const AqmConfig& aqm, FlowQueues* fresh, Time now, Context& context) noexcept {
    FlowQueues* const unused = reshape(queue_shape(aqm), fresh);
    set_policy(aqm, view(), now, context);
    return unused;
  }

  // The mode was `block` for so long.
  void postpone(Duration pause, Context& context) noexcept {
    if (waiting_.flows() != nullptr) waiting_.flows()->postpone(pause);
    tell(context, [&](auto& policy) { policy.postpone(pause); });
  }

  // Takes the SDU over, queues it or drops it with its reason; true when there is something to start.
  bool push(Sdu& sdu, Context& context) noexcept {
    if (const auto refused = full(sdu, context)) return refuse(sdu, *refused, context), waiting();
    if (acks_ != nullptr && acks_->refuses(sdu, state(), context)) {
      return refuse(sdu, DropReason::ack_stage, context), waiting();
    }
    const Verdict verdict = judges() ? judge_arrival(sdu, context) : Verdict::pass;
    if (verdict == Verdict::drop || (verdict == Verdict::mark && !mark(sdu))) {
      return refuse(sdu, DropReason::aqm, context), waiting();
    }
    const BufferLimit before{sdus(), bytes()};
    append(sdu, context.account);
    if (acks_ != nullptr) acks_->on_arrival(sdu, true, state(), context);
    if (waiting_.makes_room()) make_room(before, context);
    const bool front = verdict == Verdict::drop_front || verdict == Verdict::mark_front;
    if (front && (verdict == Verdict::drop_front || !mark(*waiting_.first()))) discard_first(context);
    return waiting();
  }

  // Begins the transmission of the first waiting SDU that the policy lets through, dropping those it refuses.
  // Null when nothing is left to send.
  Sdu* start(Time at, Context& context) noexcept {
    while (waiting()) {
      DP_EXPECT_HOT(waiting_.first() != nullptr);
      Sdu& sdu = *waiting_.first();
      const Verdict verdict = judges() ? judge_departure(sdu, at, context) : Verdict::pass;
      if (verdict != Verdict::pass && (verdict != Verdict::mark || !mark(sdu))) {
        discard_first(context);
        continue;
      }
      waiting_.take();
      begin_transmission(sdu);
      if (acks_ != nullptr) acks_->on_dequeue(sdu, state(), context);
      return &sdu;
    }
    return nullptr;
  }

  // Ends the oldest transmission at `at`: the SDU leaves the buffer and is the caller's. This and what
  // follows require: something is in transmission.
  Sdu& finish(Time at, Context& context) noexcept {
    Sdu& sdu = release(started_.pop(), at, context);
    tell_delivered(sdu, at, context);
    return sdu;
  }

  // A link with acknowledgements takes an SDU in transmission through three steps instead of finish(): the
  // peer delivers a copy of it, or never does; it leaves the occupancy, acknowledged or given up; and last,
  // in order, its memory is free.
  void delivered_by_peer(Sdu& sdu, Time at, Context& context) noexcept {
    DP_EXPECT_HOT((sdu.fate & kFateDelivered) == 0 && context.account.buffered > 0);
    sdu.fate |= kFateDelivered;
    context.account.buffered -= 1;
    context.account.retained += 1;
    count_departure(sdu, at);
  }
  void given_up(const Sdu& sdu, Context& context) noexcept {
    leave_occupancy(sdu);
    if (acks_ != nullptr) acks_->on_buffer(state(), context);
  }
  void acknowledged(const Sdu& sdu, Time at, Context& context) noexcept {
    leave_occupancy(sdu);
    tell_delivered(sdu, at, context);
  }
  // The oldest in transmission, out of the occupancy already. One that the peer has delivered is only freed,
  // another is lost for `reason`.
  void retire(DropReason reason, Context& context) noexcept {
    Sdu& sdu = started_.pop();
    if ((sdu.fate & kFateDelivered) == 0) {
      forget(sdu, context.account);
      return drop(sdu, reason, context);
    }
    DP_EXPECT(context.account.retained > 0 && context.account.mbufs_held >= sdu.segments);
    context.account.retained -= 1;
    context.account.mbufs_held -= sdu.segments;
    context.dropped.push(sdu);
  }
  // The same, but one that the peer has not delivered is the caller's; else null.
  Sdu* recall(Context& context) noexcept {
    DP_EXPECT(!started_.empty());
    if ((started_.front()->fate & kFateDelivered) != 0) return retire(DropReason::rlc, context), nullptr;
    Sdu& sdu = started_.pop();
    forget(sdu, context.account);
    count_departure(sdu, context.now);
    return &sdu;
  }

  // The bearer goes to another worker, with everything in it, or has come to one (Bearer::park).
  void park(Context& context) noexcept { context.timers.park(policy_timer_); }
  void unpark(Context& context) noexcept { context.timers.unpark(policy_timer_); }
  void add_to(Holdings& sum) const noexcept {
    started_.for_each([&](const Sdu& sdu) {
      ++((sdu.fate & kFateDelivered) != 0 ? sum.retained : sum.buffered);
      sum.mbufs += sdu.segments;
    });
    waiting_.for_each([&](const Sdu& sdu) {
      ++sum.buffered;
      sum.mbufs += sdu.segments;
    });
  }

  // Empties the buffer in order, what is in transmission first; take(sdu) takes each over.
  template <class Take>
  void take_all(Context& context, Take&& take) noexcept {
    while (!started_.empty()) take(finish(context.now, context));
    while (waiting_.first() != nullptr) take(release(waiting_.take(), context.now, context));
    restart_policy(context);
  }

 private:
  std::optional<DropReason> full(const Sdu& sdu, const Context& context) const noexcept {
    const bool yields = waiting_.makes_room();
    return refusal(sdu, sdus() - (yields ? waiting_.sdus() : 0), bytes() - (yields ? waiting_.bytes() : 0),
                   context);
  }
  // An arrival displaces no more than it brings, also when a lower limit was set.
  void make_room(const BufferLimit& before, Context& context) noexcept {
    const BufferLimit most{std::max(limit_.sdus, before.sdus), std::max(limit_.bytes, before.bytes)};
    while (sdus() > most.sdus || bytes() > most.bytes) {
      const auto why = sdus() > most.sdus ? DropReason::buffer_sdus : DropReason::buffer_bytes;
      discard(waiting_.discard_from_fattest(), why, context);
    }
  }

  FlowQueues* reshape(const QueueShape& shape, FlowQueues* fresh) noexcept {
    FlowQueues* const present = waiting_.flows();
    const bool keep = present != nullptr && (fresh == nullptr || present->flows() == shape.flows);
    FlowQueues* const wanted = shape.flows == 0 ? nullptr : keep ? present : fresh;
    DP_EXPECT(shape.flows == 0 || wanted != nullptr);
    if (wanted != nullptr) wanted->set_quantum(shape.quantum);
    return wanted == present ? fresh : waiting_.move_to(wanted);
  }

  void tell_delivered(const Sdu& sdu, Time at, Context& context) noexcept {
    if (judges()) tell(context, [&](auto& policy) { policy.on_delivered(sdu.ip_len, view(), at); });
    if (acks_ != nullptr) acks_->on_buffer(state(), context);
  }

  BufferReading state() const noexcept {
    return {sdus(),      bytes(),      waiting_.sdus(), waiting_.bytes(),
            limit_.sdus, limit_.bytes, rate(),          discard_prevention_counter()};
  }

  void discard_first(Context& context) noexcept {
    waiting_.first();
    discard(waiting_.discard(), DropReason::aqm, context);
  }
  void discard(Sdu& sdu, DropReason reason, Context& context) noexcept {
    leave_occupancy(sdu);
    forget(sdu, context.account);
    if (acks_ != nullptr) acks_->on_discard(sdu, state(), context);
    drop(sdu, reason, context);
  }
  void refuse(Sdu& sdu, DropReason reason, Context& context) noexcept {
    if (acks_ != nullptr) acks_->on_arrival(sdu, false, state(), context);
    drop(sdu, reason, context);
  }

  AckChain* acks_ = nullptr;  // control's; the bearer's, of a downlink leg
};

}  // namespace dp
