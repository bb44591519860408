// One leg's store of SDUs, as an RNC's RLC holds it: SDUs that wait, those in transmission and those that the
// peer RLC has not acknowledged yet. Buffer occupancy (BO) counts them all. Owns its SDUs; an SDU whose
// transmission has started is never discarded by a policy. Here is the general path of an SDU through it, for
// every link, policy and chain of ACK stages; the fast path is in buffer/store.h and buffer/judged_store.h.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>

#include "dataplane/ack/chain.h"
#include "dataplane/base/expect.h"
#include "dataplane/buffer/judged_store.h"
#include "dataplane/buffer/parts.h"
#include "dataplane/buffer/waiting.h"
#include "dataplane/queue/registry.h"

namespace dp {

class RlcBuffer : public JudgedStore {
 public:
  // The buffer is served at `rate` (bit/s), which policies see. Requires: `parts` are those that the policy
  // calls for: set_aqm().
  RlcBuffer(const BufferLimit& limit, const AqmConfig& aqm, std::uint64_t rate, const LegParts& parts = {})
      : JudgedStore(limit, rate) {
    take(aqm, parts.judge, parts.queues);
  }

  // Sets the chain to notify of the buffer's events; null is none.
  void set_acks(AckChain* acks) noexcept { acks_ = acks; }
  bool watched() const noexcept { return acks_ != nullptr; }
  // Treats the SDU that the chain has sent again, and that is in transmission, as any other from here on, one
  // that arrived now: it is counted as delivered once more. For links with one SDU in transmission at a time.
  // Requires: the chain has let go of it.
  void adopt_again(Context& context) noexcept {
    Sdu* const sdu = in_transmission();
    if (sdu == nullptr || (sdu->fate & kFateAgain) == 0) return;
    end_apart(*sdu, context);
    sdu->fate = 0;
    sdu->arrival = context.link_time();
    context.create(*sdu, opposite(sdu->ingress), Creation::local_retransmission);
    context.account.buffered += 1;
    enter_occupancy(*sdu);
  }
  // An SDU that the chain has kept leaves the occupancy.
  void kept_left(const Sdu& sdu) noexcept { leave_occupancy(sdu); }

  // True if the fast path may be taken, for a link with one SDU in transmission at a time: no policy judges
  // SDUs, or one does; they wait in the FIFO, and nothing else is notified of them. Each change of policy,
  // queues or chain may change that.
  bool plain() const noexcept { return judge_ == nullptr && by_fifo(); }
  bool judged() const noexcept { return judge_ != nullptr && judge_->judges_at_once() && by_fifo(); }
  // The AQM instance; null if there is none.
  const Judge* judge() const noexcept { return judge_; }

  // The start of the wait of the next SDU that start() considers, or of one to be sent again. None if there
  // is neither.
  std::optional<Time> next_since() noexcept {
    if (sends_again()) return acks_->to_send_again_since();
    const Sdu* const first = waiting_.first();
    return first == nullptr ? std::nullopt : std::optional(first->arrival);
  }

  // True if it holds an SDU that arrived at `t` or earlier. Looks at one SDU of each queue that has some.
  bool holds_since(Time t) const noexcept {
    const Sdu* const started = in_transmission();
    return (started != nullptr && started->arrival <= t) || waiting_.holds_since(t);
  }

  // True if the SDU to be sent next is of a short flow: the one in transmission, else the first that waits.
  // False if there is none, or if short flows are not distinguished from long ones.
  bool head_is_short() const noexcept {
    const SfpQueues* const sfp = waiting_.sfp();
    if (sfp == nullptr) return false;
    return in_transmission() != nullptr ? SfpQueues::is_short(*in_transmission()) : sfp->first_is_short();
  }

  // Installs a policy for SDUs queued from here on, and makes SDUs wait as `queue` configures; returns the
  // parts no longer in use. Requires: `fresh` has a judge if the policy calls for one (judged(aqm)) and there
  // is none, and queues if some are wanted and the present ones are not of that kind.
  LegParts set_aqm(const AqmConfig& aqm, const QueueConfig& queue, const LegParts& fresh, Time now,
                   Context& context) noexcept {
    const LegParts present = parts();
    const QueuesWanted wanted = queues_wanted(aqm, queue);
    const bool keep = serve_for(present.queues, wanted, fresh.queues.none());
    const Queues queues = wanted.records() == 0 ? Queues{} : keep ? present.queues : fresh.queues;
    if (queues != present.queues) move_to(queues);
    if (wanted.sfp != nullptr) {
      DP_EXPECT(queues.sfp() != nullptr);
      queues.sfp()->reconfigure(*wanted.sfp);
    }
    Judge* const judge = !dp::judged(aqm) ? nullptr : present.judge != nullptr ? present.judge : fresh.judge;
    if (present.judge != nullptr && judge == nullptr) present.judge->rest(context);
    take(aqm, judge, queues);
    if (judge != nullptr) judge->set(aqm, now, context);
    return {judge == present.judge ? fresh.judge : present.judge,
            queues == present.queues ? fresh.queues : present.queues};
  }
  // The parts that it has from control.
  LegParts parts() const noexcept { return {judge_, waiting_.queues()}; }

  // The mode was `block` for `pause`.
  void postpone(Duration pause, Context& context) noexcept {
    waiting_.postpone(pause);
    if (judge_ != nullptr) judge_->tell(context, [&](auto& policy) { policy.postpone(pause); });
  }

  // Takes the SDU over, queues it or drops it with its reason; true if there is something to start.
  bool push(Sdu& sdu, Context& context) noexcept {
    waiting_.classify(sdu, context.now);
    auto refused = full(sdu, context);
    DataFate fate = DataFate::pass;
    if (acks_ != nullptr) {
      fate = acks_->on_arriving(sdu, refused.has_value(), state(), context);
      if (fate == DataFate::answer || fate == DataFate::swallow) tell_turned_away(sdu, context);
      if (fate == DataFate::answer) return waiting();
      if (fate == DataFate::swallow) return lose(sdu, DropReason::repeated, context), waiting();
      if (refused) refused = full(sdu, context);  // a stage may have made room
    }
    const bool admitted = refused && (fate == DataFate::admit || fate == DataFate::admit_first);
    if (refused && (!admitted || refused == DropReason::pool)) {
      return turn_away(sdu, *refused, context), waiting();
    }
    if (fate == DataFate::refuse) return turn_away(sdu, DropReason::ack_stage, context), waiting();
    if (fate == DataFate::admit_first) tell_turned_away(sdu, context);
    const bool judged = judge_ != nullptr && fate != DataFate::admit_first;
    const Verdict verdict = judged ? judge_arrival(sdu, context) : Verdict::pass;
    if (verdict == Verdict::drop || (verdict == Verdict::mark && !mark(sdu))) {
      return refuse(sdu, DropReason::aqm, context), waiting();
    }
    const BufferLimit before{sdus(), bytes()};
    waiting_.push(sdu);
    enter(sdu, context.account);
    if (acks_ != nullptr) acks_->on_arrival(sdu, true, admitted, state(), context);
    if (!waiting_.queues().none() && !admitted) make_room(before, context);
    const bool front = verdict == Verdict::drop_front || verdict == Verdict::mark_front;
    if (front && !passes(verdict, *waiting_.victim())) discard_victim(context);
    return waiting();
  }

  // Begins the transmission of the first waiting SDU that the policy lets through, dropping those it refuses.
  // Null if nothing is left to send.
  Sdu* start(Time at, Context& context) noexcept {
    if (sends_again()) {
      if (Sdu* const again = acks_->start_again(context)) return &begin_again(*again, context);
    }
    while (waiting()) {
      Sdu* const first = waiting_.first();
      DP_EXPECT_HOT(first != nullptr);
      Sdu& sdu = *first;
      const Verdict verdict = judge_ != nullptr ? judge_departure(sdu, at, context) : Verdict::pass;
      if (!passes(verdict, sdu)) {
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

  // Ends the oldest transmission at `at`: the SDU leaves the buffer and is the caller's. Requires, here and
  // below: something is in transmission.
  Sdu& finish(Time at, Context& context) noexcept {
    Sdu& sdu = started_.pop();
    if ((sdu.fate & kFateAgain) != 0) return end_again(sdu, at, context), sdu;
    if (acks_ != nullptr && acks_->keep(sdu, at, state(), context)) {
      count_departure(sdu, at);
    } else {
      release(sdu, at, context);
    }
    tell_delivered(sdu, at, context);
    return sdu;
  }

  // Ends the oldest transmission of an SDU that the radio loses behind its last bit, unknown to this end: it
  // is dropped, and kept like any other.
  void finish_lost(Time at, Context& context) noexcept {
    Sdu& sdu = started_.pop();
    if ((sdu.fate & kFateAgain) != 0) {
      end_again(sdu, at, context);
    } else {
      if (acks_ == nullptr || !acks_->keep(sdu, at, state(), context)) {
        leave_occupancy(sdu);
        forget(sdu, context.account);
      }
      tell_delivered(sdu, at, context);
    }
    drop(sdu, DropReason::radio, context);
  }

  // A link with acknowledgements takes an SDU in transmission through three steps instead of finish(): the
  // peer delivers a copy of it, or never does; it leaves the occupancy, acknowledged or given up; and last,
  // in order, its memory is freed.
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
  // Frees the oldest SDU in transmission, which has left the occupancy already. An SDU that the peer has
  // delivered is only freed, another is lost for `reason`.
  void retire(DropReason reason, Context& context) noexcept {
    Sdu& sdu = started_.pop();
    if (acks_ != nullptr) acks_->on_gone(sdu);
    if ((sdu.fate & kFateDelivered) == 0) {
      forget(sdu, context.account);
      return drop(sdu, reason, context);
    }
    DP_EXPECT(context.account.retained > 0 && context.account.mbufs_held >= sdu.segments);
    context.account.retained -= 1;
    context.account.mbufs_held -= sdu.segments;
    context.dropped.push(sdu);
  }
  // Like retire(), but an SDU that the peer has not delivered is returned to the caller; else null.
  Sdu* recall(Context& context) noexcept {
    DP_EXPECT(!started_.empty());
    if ((started_.front()->fate & kFateDelivered) != 0) return retire(DropReason::rlc, context), nullptr;
    Sdu& sdu = started_.pop();
    if (acks_ != nullptr) acks_->on_gone(sdu);
    forget(sdu, context.account);
    count_departure(sdu, context.now);
    return &sdu;
  }

  // The bearer moves to another worker, with all SDUs, or has arrived at one (Bearer::park).
  void park(Context& context) noexcept {
    if (judge_ != nullptr) judge_->park(context);
  }
  void unpark(Context& context) noexcept {
    if (judge_ != nullptr) judge_->unpark(context);
  }
  void add_to(Holdings& sum) const noexcept {
    started_.for_each([&](const Sdu& sdu) {
      sum.mbufs += sdu.segments;
      if ((sdu.fate & kFateAgain) != 0) {
        if ((sdu.fate & kFateApart) != 0) ++sum.retained;
        return;
      }
      ++((sdu.fate & kFateDelivered) != 0 ? sum.retained : sum.buffered);
    });
    waiting_.for_each([&](const Sdu& sdu) {
      ++sum.buffered;
      sum.mbufs += sdu.segments;
    });
  }

  // Empties the buffer in order, SDUs in transmission first; take(sdu) takes each over.
  template <class Take>
  void take_all(Context& context, Take&& take) noexcept {
    while (!started_.empty()) take(finish(context.now, context));
    while (waiting_.first() != nullptr) {
      Sdu& sdu = waiting_.take();
      if (acks_ != nullptr) acks_->on_gone(sdu);
      take(release(sdu, context.now, context));
    }
    if (judge_ != nullptr) judge_->restart(context);
  }

 private:
  std::optional<DropReason> full(const Sdu& sdu, const Context& context) const noexcept {
    const Waiting::Yield yields = waiting_.yields_to(sdu);
    return refusal(sdu, sdus() - yields.sdus, bytes() - yields.bytes, context);
  }
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
    if (acks_ != nullptr) acks_->sent_again(at, state(), context);
  }
  bool by_fifo() const noexcept { return acks_ == nullptr && waiting_.queues().none(); }

  // True if these queues are suitable; `only` if there are no others.
  static bool serve_for(Queues queues, const QueuesWanted& wanted, bool only) noexcept {
    if (wanted.sfp != nullptr) {
      return queues.sfp() != nullptr && (only || queues.sfp()->flows() == wanted.sfp->flows);
    }
    return queues.flows() != nullptr && (only || queues.flows()->flows() == wanted.flows.flows);
  }
  void move_to(Queues queues) noexcept {
    waiting_.move_to(queues);
    if (queues.sfp() != nullptr) started_.for_each([](Sdu& sdu) { SfpQueues::note_long(sdu); });
  }

  // Takes the queues, in which SDUs wait already.
  void take(const AqmConfig& aqm, Judge* judge, Queues queues) noexcept {
    const QueueShape shape = queue_shape(aqm);
    DP_EXPECT((judge != nullptr) == dp::judged(aqm));
    DP_EXPECT((queues.flows() != nullptr) == (shape.flows != 0));
    if (queues.flows() != nullptr) queues.flows()->set_quantum(shape.quantum);
    if (queues != waiting_.queues()) waiting_.use(queues);
    judge_ = judge;
    if (judge != nullptr) judge->sit_over(*this);
  }

  // Requires: the SDU is not counted yet.
  Verdict judge_arrival(const Sdu& sdu, Context& context) noexcept {
    const QueueView queue = view_with(sdu, fifo_.sdus(), fifo_.bytes());
    return judge_->ask(context, [&](auto& p) { return p.on_enqueue(sdu, queue, context.now); });
  }
  // Notifies the policy of an SDU that is refused without its verdict.
  void tell_turned_away(const Sdu& sdu, Context& context) noexcept {
    if (judge_ == nullptr) return;
    const QueueView queue = view_with(sdu, fifo_.sdus(), fifo_.bytes());
    judge_->tell(context, [&](auto& policy) { policy.on_turned_away(sdu, queue, context.now); });
  }
  // Requires: the SDU is the first.
  Verdict judge_departure(const Sdu& sdu, Time at, Context& context) noexcept {
    QueueView queue = view();
    if (FlowQueues* const flows = waiting_.flows()) queue.flow = &flows->codel();
    return judge_->ask(context, [&](auto& p) { return p.on_dequeue(sdu, queue, at); });
  }

  // Drops waiting SDUs for an arrival: no more than it brings, also if a lower limit was set.
  void make_room(const BufferLimit& before, Context& context) noexcept {
    const BufferLimit most{std::max(limit_.sdus, before.sdus), std::max(limit_.bytes, before.bytes)};
    while (sdus() > most.sdus || bytes() > most.bytes) {
      const auto why = sdus() > most.sdus ? DropReason::buffer_sdus : DropReason::buffer_bytes;
      discard(waiting_.make_room(), why, context);
    }
  }

  void tell_delivered(const Sdu& sdu, Time at, Context& context) noexcept {
    if (judge_ != nullptr) {
      judge_->tell(context, [&](auto& policy) { policy.on_delivered(sdu.ip_len, view(), at); });
    }
    if (acks_ != nullptr) acks_->on_buffer(state(), context);
  }

  BufferReading state() const noexcept {
    return {sdus(),       bytes(),
            fifo_.sdus(), fifo_.bytes(),
            limit_.sdus,  limit_.bytes,
            rate(),       judge_ == nullptr ? 0 : judge_->discard_prevention_counter()};
  }

  void discard_first(Context& context) noexcept {
    waiting_.first();
    discard(waiting_.discard(), DropReason::aqm, context);
  }
  void discard_victim(Context& context) noexcept {
    waiting_.victim();
    discard(waiting_.discard_victim(), DropReason::aqm, context);
  }
  void discard(Sdu& sdu, DropReason reason, Context& context) noexcept {
    leave_occupancy(sdu);
    forget(sdu, context.account);
    if (acks_ != nullptr) acks_->on_discard(sdu, state(), context);
    lose(sdu, reason, context);
  }
  void turn_away(Sdu& sdu, DropReason reason, Context& context) noexcept {
    tell_turned_away(sdu, context);
    refuse(sdu, reason, context);
  }
  void refuse(Sdu& sdu, DropReason reason, Context& context) noexcept {
    if (acks_ != nullptr) acks_->on_arrival(sdu, false, false, state(), context);
    lose(sdu, reason, context);
  }
  void lose(Sdu& sdu, DropReason reason, Context& context) noexcept {
    reason == DropReason::aqm ? drop_by_policy(sdu, context) : drop(sdu, reason, context);
  }

  Waiting waiting_{fifo_};
  AckChain* acks_ = nullptr;  // control's: the bearer's, for a downlink leg
};

}  // namespace dp
