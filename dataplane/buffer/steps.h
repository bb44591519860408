// The steps in which an SDU passes through a leg's buffer: push(), start() and finish(). Each is written
// once, as a template of the parties that it consults (buffer/parties.h). Links call them with all parties
// that the leg may have; the leg's fast path (bearer/leg_fast.h) knows that some are absent, and has
// push_first() in addition. The rest of the buffer is RlcBuffer (buffer/buffer.h).
// Tests: tests/unit/buffer/buffer_test.cc
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

#include "dataplane/ack/chain.h"
#include "dataplane/base/expect.h"
#include "dataplane/buffer/parties.h"
#include "dataplane/buffer/store.h"
#include "dataplane/buffer/waiting.h"
#include "dataplane/packet/ecn.h"

namespace dp {

class BufferSteps : public SduStore {
 public:
  using SduStore::SduStore;

  // The parties of any leg, and those of a leg on its fast path with an AQM that aqm_as() returned or NoAqm.
  // The latter requires: fast_without_aqm() or fast_with_aqm().
  auto any_parties() noexcept {
    return Parties<AnyOrNoAqm, AnyOrNoChain<BufferSteps>, Waiting>{
        AnyOrNoAqm(aqm_), AnyOrNoChain<BufferSteps>(acks_, *this), waiting_};
  }
  template <class Aqm>
  Parties<Aqm, NoChain, WaitingFifo> fast_parties(Aqm aqm) noexcept {
    return {aqm, {}, fifo_};
  }
  // The AQM with its policy as a P. Requires: the policy is a P.
  template <class P>
  AqmOf<P> aqm_as() noexcept {
    DP_EXPECT_HOT(aqm_ != nullptr && std::holds_alternative<P>(aqm_->policy()));
    P* const policy = std::get_if<P>(&aqm_->policy());
    if (policy == nullptr) __builtin_unreachable();
    return {*policy, *aqm_};
  }
  // Calls f(aqm_as<P>()) for the policy's type P. Requires: `place` is the policy's in AqmEngines.
  template <class F>
  decltype(auto) with_aqm(std::size_t place, F&& f) noexcept {
    DP_EXPECT_HOT(aqm_ != nullptr && place == aqm_->policy_index());
    return AqmEngines::visit_at(place, aqm_->policy(), [&]<class P>(P& policy) -> decltype(auto) {
      return f(AqmOf<P>(policy, *aqm_));
    });
  }

  // The buffer as ACK stages see it.
  BufferReading reading() const noexcept {
    return {
        sdus(),      bytes(),      fifo_.sdus(), fifo_.bytes(),
        limit_.sdus, limit_.bytes, rate(),       aqm_ == nullptr ? 0 : aqm_->discard_prevention_counter()};
  }

  // Takes the SDU over, queues it or drops it with its reason; true if there is something to start.
  bool push(Sdu& sdu, Context& context) noexcept { return push(sdu, any_parties(), context), waiting(); }
  template <class Aqm, class Chain, class Queues>
  void push(Sdu& sdu, Parties<Aqm, Chain, Queues> ask, Context& context) noexcept {
    // 1. Look for room, and ask the chain, which may make some.
    ask.queues.classify(sdu, context.now);
    std::optional<DropReason> refused = refusal(sdu, ask.queues.yields_to(sdu), context);
    const DataFate fate = ask.chain.on_arriving(sdu, refused.has_value(), context);
    if (fate == DataFate::answer || fate == DataFate::swallow) return not_needed(sdu, fate, ask, context);
    if (Chain::kMakesRoom && refused) refused = refusal(sdu, ask.queues.yields_to(sdu), context);
    // 2. Refuse it without the AQM's verdict.
    const bool admitted = refused && (fate == DataFate::admit || fate == DataFate::admit_first);
    if (refused && (!admitted || refused == DropReason::pool)) [[unlikely]]
      return reject(sdu, *refused, ask, context);
    if (fate == DataFate::reject) return reject(sdu, DropReason::ack_stage, ask, context);
    // 3. Get the verdict.
    const Verdict verdict = fate == DataFate::admit_first ? bypass(sdu, ask, context)
                                                          : ask.aqm.on_arrival(sdu, view_with(sdu), context);
    if (verdict == Verdict::drop || (verdict == Verdict::mark && !mark(sdu)))
      return refuse(sdu, DropReason::aqm, ask, context);
    // 4. Queue it, then do what it costs others.
    const BufferLimit before{own_sdus(), own_bytes()};
    ask.queues.push(sdu);
    enter(sdu, context.account);
    ask.chain.on_arrival(sdu, true, admitted, context);
    if (Queues::kDisplaces && !admitted) make_room(before, context);
    const bool front = verdict == Verdict::drop_front || verdict == Verdict::mark_front;
    if (front && !passes(verdict, *ask.queues.head_to_drop())) drop_head(ask, context);
  }

  // push() and start() of an SDU that is to begin its transmission at `start`, on the fast path: it does not
  // cross the FIFO. True if it has begun. With `any_first` the limit is not consulted. Requires: the store is
  // empty; with `any_first`, BufferLimit::takes_any_first().
  template <class Aqm>
  [[gnu::always_inline]] bool push_first(Sdu& sdu, Aqm aqm, bool any_first, Time start,
                                         Context& context) noexcept {
    DP_EXPECT_HOT(own_sdus() == 0 && sdu.ip_len <= BufferLimit::kLongestPacket);
    DP_EXPECT_HOT(!any_first || limit_.takes_any_first());
    if (any_first ? !context.pool_has_room(sdu.segments) : refusal(sdu, {}, context).has_value()) [[unlikely]]
      return reject(sdu, *refusal(sdu, {}, context), fast_parties(aqm), context), false;
    const QueueView alone = view_with(sdu);
    if (!passes(aqm.on_arrival(sdu, alone, context), sdu) ||
        !passes(aqm.on_departure(sdu, alone, start, context), sdu)) {
      return drop_by_policy(sdu, context), false;
    }
    enter(sdu, context.account);
    begin_transmission<true>(sdu);
    return true;
  }

  // Begins the transmission of the first waiting SDU that the policy lets through, dropping those it refuses.
  // Null if nothing is left to send.
  Sdu* start(Time at, Context& context) noexcept { return start(at, any_parties(), context); }
  template <class Aqm, class Chain, class Queues>
  Sdu* start(Time at, Parties<Aqm, Chain, Queues> ask, Context& context) noexcept {
    if (ask.chain.sends_again()) {
      if (Sdu* const again = ask.chain.start_again(context)) return &begin_again(*again, context);
    }
    while (waiting()) {
      Sdu* const first = ask.queues.first();
      DP_EXPECT_HOT(first != nullptr);
      Sdu& sdu = *first;
      QueueView queue = view();
      queue.flow = ask.queues.codel();
      if (!passes(ask.aqm.on_departure(sdu, queue, at, context), sdu)) {
        discard(ask.queues.discard(), DropReason::aqm, ask, context);
        continue;
      }
      ask.queues.take();
      begin_transmission<Chain::kOneAtATime>(sdu);
      ask.chain.on_dequeue(sdu, context);
      return &sdu;
    }
    return nullptr;
  }

  // Ends the oldest transmission at `at`: the SDU leaves the buffer and is the caller's. Requires, here and
  // below: something is in transmission.
  Sdu& finish(Time at, Context& context) noexcept { return finish(at, any_parties(), context); }
  template <class Aqm, class Chain, class Queues>
  [[gnu::always_inline]] Sdu& finish(Time at, Parties<Aqm, Chain, Queues> ask, Context& context) noexcept {
    Sdu& sdu = Chain::kOneAtATime ? started_.pop_only() : started_.pop();
    if (ask.chain.sent_again(sdu)) return end_again(sdu, at, context), sdu;
    if (ask.chain.keep(sdu, at, context)) {
      count_departure(sdu, at);
    } else {
      release(sdu, at, context);
    }
    notify_delivered(sdu, at, ask, context);
    return sdu;
  }

 protected:
  bool sends_again() const noexcept { return acks_ != nullptr && acks_->any_to_send_again(); }
  // Begins to send a kept SDU again, or a copy of it: it counts as a frame only when it leaves.
  Sdu& begin_again(Sdu& sdu, Context& context) noexcept {
    context.account.mbufs_held += sdu.segments;
    begin_transmission(sdu);
    sdu.fate = kFateAgain;
    if (!acks_->repeats_kept(sdu)) {
      sdu.fate |= kFateApart;
      context.account.retained += 1;
    }
    return sdu;
  }
  static void end_apart(const Sdu& sdu, Context& context) noexcept {
    if ((sdu.fate & kFateApart) == 0) return;
    DP_EXPECT(context.account.retained > 0);
    context.account.retained -= 1;
  }
  void end_again(Sdu& sdu, Time at, Context& context) noexcept {
    DP_EXPECT(context.account.mbufs_held >= sdu.segments);
    end_apart(sdu, context);
    context.account.mbufs_held -= sdu.segments;
    context.create(sdu, opposite(sdu.ingress), Creation::local_retransmission);
    if (acks_ != nullptr) acks_->sent_again(at, reading(), context);
  }

  // The steps of push() that few SDUs take.

  // The chain disposes of an arrival.
  template <class Ask>
  [[gnu::noinline]] void not_needed(Sdu& sdu, DataFate fate, Ask ask, Context& context) noexcept {
    bypass(sdu, ask, context);
    if (fate == DataFate::swallow) drop(sdu, DropReason::repeated, context);
  }
  // Reports an arrival that bypasses the AQM.
  template <class Ask>
  Verdict bypass(Sdu& sdu, Ask ask, Context& context) noexcept {
    return ask.aqm.on_bypass(sdu, view_with(sdu), context), Verdict::pass;
  }
  // Drops an arrival without the AQM's verdict, and by its verdict.
  template <class Ask>
  [[gnu::noinline]] void reject(Sdu& sdu, DropReason reason, Ask ask, Context& context) noexcept {
    bypass(sdu, ask, context);
    refuse(sdu, reason, ask, context);
  }
  template <class Ask>
  [[gnu::noinline]] void refuse(Sdu& sdu, DropReason reason, Ask ask, Context& context) noexcept {
    ask.chain.on_arrival(sdu, false, false, context);
    lose(sdu, reason, context);
  }
  // True if the verdict lets the SDU pass. Not for a verdict about the front, unless the SDU is the front.
  bool passes(Verdict verdict, Sdu& sdu) noexcept {
    if (verdict == Verdict::pass) [[likely]]
      return true;
    return (verdict == Verdict::mark || verdict == Verdict::mark_front) && mark(sdu);
  }
  // Sets CE, if it is not set already; false if the SDU does not support it.
  [[gnu::noinline]] bool mark(Sdu& sdu) noexcept {
    const bool marked_before = sdu.ecn == kCe;
    if (!mark_ce(sdu)) return false;
    if (!marked_before) count_mark(aqm_->policy_index());
    return true;
  }
  [[gnu::noinline]] void drop_by_policy(Sdu& sdu, Context& context) noexcept {
    count_drop_of_policy(aqm_->policy_index());
    drop(sdu, DropReason::aqm, context);
  }

  // Drops waiting SDUs for an arrival: no more than it brings, also if a lower limit was set.
  void make_room(const BufferLimit& before, Context& context) noexcept {
    const BufferLimit most{std::max(limit_.sdus, before.sdus), std::max(limit_.bytes, before.bytes)};
    while (sdus() > most.sdus || bytes() > most.bytes) {
      const auto why = sdus() > most.sdus ? DropReason::buffer_sdus : DropReason::buffer_bytes;
      discard(waiting_.make_room(), why, any_parties(), context);
    }
  }

  template <class Ask>
  void notify_delivered(const Sdu& sdu, Time at, Ask ask, Context& context) noexcept {
    ask.aqm.on_delivered(sdu, view(), at, context);
    ask.chain.on_buffer(context);
  }

  template <class Ask>
  void drop_head(Ask ask, Context& context) noexcept {
    ask.queues.head_to_drop();
    discard(ask.queues.drop_head(), DropReason::aqm, ask, context);
  }
  template <class Ask>
  [[gnu::noinline]] void discard(Sdu& sdu, DropReason reason, Ask ask, Context& context) noexcept {
    leave_occupancy(sdu);
    forget(sdu, context.account);
    ask.chain.on_discard(sdu, context);
    lose(sdu, reason, context);
  }
  void lose(Sdu& sdu, DropReason reason, Context& context) noexcept {
    reason == DropReason::aqm ? drop_by_policy(sdu, context) : drop(sdu, reason, context);
  }

  Waiting waiting_{fifo_};
  AckChain* acks_ = nullptr;  // control's: the bearer's, for a downlink leg
};

}  // namespace dp
