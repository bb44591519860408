// One leg's store of SDUs, as an RNC's RLC holds it: SDUs that wait, those in transmission and those that the
// peer RLC has not acknowledged yet. Buffer occupancy (BO) counts them all. Owns its SDUs; an SDU whose
// transmission has started is never discarded by a policy. SDUs pass through it in the steps of
// buffer/steps.h.
#pragma once
#include <cstdint>
#include <optional>

#include "dataplane/ack/chain.h"
#include "dataplane/base/expect.h"
#include "dataplane/buffer/parts.h"
#include "dataplane/buffer/steps.h"
#include "dataplane/queue/registry.h"

namespace dp {

class RlcBuffer : public BufferSteps {
 public:
  // The buffer is served at `rate` (bit/s), which policies see. Requires: `parts` are those that the policy
  // calls for: set_aqm().
  RlcBuffer(const BufferLimit& limit, const AqmConfig& aqm, std::uint64_t rate, const LegParts& parts = {})
      : BufferSteps(limit, rate) {
    take(aqm, parts.aqm, parts.queues);
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

  // True if the fast path may be taken, for a link with one SDU in transmission at a time: SDUs wait in the
  // FIFO, no chain is notified of them, and there is no AQM, or one that decides at once. Each change of
  // policy, queues or chain may change that.
  bool fast_without_aqm() const noexcept { return aqm_ == nullptr && by_fifo(); }
  bool fast_with_aqm() const noexcept { return aqm_ != nullptr && aqm_->decides_at_once() && by_fifo(); }
  // The AQM instance; null if there is none.
  const AqmInstance* aqm() const noexcept { return aqm_; }

  // While the buffer is held no transmission starts, as if nothing waited; SDUs in transmission leave.
  bool held() const noexcept { return held_; }
  void set_held(bool held) noexcept { held_ = held; }
  // BufferSteps::start with all parties, for links; once, so that the worker's unit has room for its path.
  [[gnu::noinline]] Sdu* start(Time at, Context& context) noexcept {
    return held_ ? nullptr : BufferSteps::start(at, context);
  }
  using BufferSteps::start;

  // The start of the wait of the next SDU that start() considers, or of one to be sent again. None if there
  // is neither, or the buffer is held.
  std::optional<Time> next_since() noexcept { return held_ ? std::nullopt : waiting_since(); }
  // next_since(), held or not.
  std::optional<Time> waiting_since() noexcept {
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
  // parts no longer in use. Requires: `fresh` has an instance if the policy calls for one (is_active(aqm))
  // and there is none, and queues if some are wanted and the present ones are not of that kind.
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
    AqmInstance* const instance = !dp::is_active(aqm)      ? nullptr
                                  : present.aqm != nullptr ? present.aqm
                                                           : fresh.aqm;
    if (present.aqm != nullptr && instance == nullptr) present.aqm->rest(context);
    take(aqm, instance, queues);
    if (instance != nullptr) instance->set(aqm, now, context);
    return {instance == present.aqm ? fresh.aqm : present.aqm,
            queues == present.queues ? fresh.queues : present.queues};
  }
  // The parts that it has from control.
  LegParts parts() const noexcept { return {aqm_, waiting_.queues()}; }

  // The mode was `block` for `pause`.
  void postpone(Duration pause, Context& context) noexcept {
    waiting_.postpone(pause);
    if (aqm_ != nullptr) aqm_->tell(context, [&](auto& policy) { policy.postpone(pause); });
  }

  // Ends the oldest transmission of an SDU that the radio loses behind its last bit, unknown to this end: it
  // is dropped, and kept like any other.
  void finish_lost(Time at, Context& context) noexcept {
    Sdu& sdu = started_.pop();
    if ((sdu.fate & kFateAgain) != 0) {
      end_again(sdu, at, context);
    } else {
      if (!any_parties().chain.keep(sdu, at, context)) {
        leave_occupancy(sdu);
        forget(sdu, context.account);
      }
      notify_delivered(sdu, at, any_parties(), context);
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
    any_parties().chain.on_buffer(context);
  }
  void acknowledged(const Sdu& sdu, Time at, Context& context) noexcept {
    leave_occupancy(sdu);
    notify_delivered(sdu, at, any_parties(), context);
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
    context.release(sdu);
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

  // Drops an arrival for a reason that neither its limits nor its AQM have; and all SDUs that wait.
  void refuse_arrival(Sdu& sdu, DropReason reason, Context& context) noexcept {
    reject(sdu, reason, any_parties(), context);
  }
  void discard_waiting(DropReason reason, Context& context) noexcept {
    while (waiting()) {
      waiting_.first();  // chooses the one that is discarded
      discard(waiting_.discard(), reason, any_parties(), context);
    }
  }

  // The bearer moves to another worker, with all SDUs, or has arrived at one (Bearer::park).
  void park(Context& context) noexcept {
    if (aqm_ != nullptr) aqm_->park(context);
  }
  void unpark(Context& context) noexcept {
    if (aqm_ != nullptr) aqm_->unpark(context);
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
    if (aqm_ != nullptr) aqm_->restart(context);
  }

 private:
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
  void take(const AqmConfig& aqm, AqmInstance* instance, Queues queues) noexcept {
    const QueueShape shape = queue_shape(aqm);
    DP_EXPECT((instance != nullptr) == dp::is_active(aqm));
    DP_EXPECT((queues.flows() != nullptr) == (shape.flows != 0));
    if (queues.flows() != nullptr) queues.flows()->set_quantum(shape.quantum);
    if (queues != waiting_.queues()) waiting_.use(queues);
    aqm_ = instance;
    if (instance != nullptr) instance->bind(*this);
  }

  bool held_ = false;
};

}  // namespace dp
