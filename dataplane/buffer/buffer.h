// One leg's store of SDUs, as an RNC's RLC holds it: those waiting, those in transmission and those that the
// peer RLC has not acknowledged yet. Buffer occupancy (BO) counts them all. Owns what it holds; an SDU whose
// transmission has started is never discarded by a policy.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <variant>

#include "dataplane/ack/chain.h"
#include "dataplane/aqm/engines.h"
#include "dataplane/base/drop_reason.h"
#include "dataplane/base/expect.h"
#include "dataplane/buffer/buffer_limit.h"
#include "dataplane/buffer/leg_buffer_counters.h"
#include "dataplane/buffer/waiting.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/ecn.h"
#include "dataplane/packet/sdu_list.h"

namespace dp {

class RlcBuffer : public LegBufferCounters {
 public:
  // Served at `rate` (bit/s), of which policies are told; they draw from `seed`. Requires: `flows` is there
  // just when the policy's queue_shape() has flow queues.
  RlcBuffer(const BufferLimit& limit, const AqmConfig& aqm, std::uint64_t rate, std::uint64_t seed,
            FlowQueues* flows = nullptr)
      : limit_(limit),
        waiting_(flows),
        aqm_(AqmEngines::make(aqm, Rng(seed))),
        policy_timer_(*this),
        seed_(seed) {
    DP_EXPECT((flows != nullptr) == (queue_shape(aqm).flows != 0));
    if (flows != nullptr) flows->set_quantum(queue_shape(aqm).quantum);
    set_rate(rate);
    look_at_policy();
  }
  RlcBuffer(const RlcBuffer&) = delete;
  RlcBuffer& operator=(const RlcBuffer&) = delete;

  bool waiting() const noexcept { return !waiting_.empty(); }
  std::uint32_t waiting_sdus() const noexcept { return waiting_.sdus(); }
  const Sdu* front() noexcept { return waiting_.first(); }                  // the next that start() looks at
  const Sdu* in_transmission() const noexcept { return started_.front(); }  // the oldest
  const SduLoop& all_in_transmission() const noexcept { return started_; }

  const BufferLimit& limit() const noexcept { return limit_; }
  // What is queued beyond a lower limit stays; only arrivals feel it.
  void set_limit(const BufferLimit& limit) noexcept { limit_ = limit; }

  // Whom to tell what happens here; null is nobody.
  void set_acks(AckChain* acks) noexcept { acks_ = acks; }

  const FlowQueues* flow_queues() const noexcept { return waiting_.flows(); }
  FlowQueues* flow_queues() noexcept { return waiting_.flows(); }

  // Another policy judges what is queued from here on, or the same one under other parameters; answers what
  // is in use no more. Requires: `fresh` is there when the new shape has flow queues and those at hand are
  // not as many.
  FlowQueues* set_aqm(const AqmConfig& aqm, FlowQueues* fresh, Time now, Context& context) noexcept {
    FlowQueues* const unused = reshape(queue_shape(aqm), fresh);
    const QueueView queue = view();
    const bool kept = std::visit(
        [&]<class P>(P& policy) {
          const auto* config = std::get_if<typename P::Config>(&aqm);
          if (config != nullptr && !(*config == policy.config())) policy.reconfigure(*config, queue, now);
          return config != nullptr;
        },
        aqm_);
    if (!kept) aqm_ = AqmEngines::make(aqm, Rng(seed_));
    look_at_policy();
    tell(context, [](auto&) {});
    return unused;
  }
  std::uint64_t rate() const noexcept { return rate_.get(); }
  void set_rate(std::uint64_t rate) noexcept { rate_.set(rate); }

  std::uint64_t dropped_sdus() const noexcept { return dropped_sdus_.get(); }
  std::uint64_t marked_sdus() const noexcept { return marked_sdus_.get(); }

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
    const Verdict verdict = judges_ ? judge_arrival(sdu, context) : Verdict::pass;
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
      const Verdict verdict = judges_ ? judge_departure(sdu, at, context) : Verdict::pass;
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

  // The short way of push(), start() and finish(), for a link with one SDU in transmission at a time and SDUs
  // that nobody judges, is told of or keeps in flow queues: it does the same without a look at the memory in
  // which all that would be. plain() says whether it may be taken; each change of policy or chain may change
  // that.
  bool plain() const noexcept { return !judges_ && acks_ == nullptr && waiting_.flows() == nullptr; }
  // These require: plain(). True when the SDU is in transmission, and so the only one.
  bool push_plain(Sdu& sdu, Context& context) noexcept {
    if (const auto refused = refusal(sdu, sdus(), bytes(), context))
      return drop(sdu, *refused, context), false;
    const bool only = sdus() == 0;
    enter(sdu, context.account);
    if (only) {
      begin_transmission(sdu);
    } else {
      waiting_.push_fifo(sdu);
    }
    return only;
  }
  // Null when nothing is left to send. Requires: nothing is in transmission.
  Sdu* start_plain() noexcept {
    if (sdus() == 0) return nullptr;
    Sdu& sdu = waiting_.take_fifo();
    begin_transmission(sdu);
    return &sdu;
  }
  // Requires: something is in transmission.
  Sdu& finish_plain(Time at, Context& context) noexcept { return release(started_.pop(), at, context); }

  // The same for SDUs that a policy judges and that are neither told of nor kept in flow queues: in one look
  // at the policy each time they come or go.
  bool judged() const noexcept { return judges_ && acks_ == nullptr && waiting_.flows() == nullptr; }
  // Calls f(policy).
  template <class F>
  decltype(auto) with_policy(F&& f) noexcept {
    return AqmEngines::visit_at(policy_, aqm_, f);
  }
  // These require: judged(), and `policy` is what with_policy() gives. True when there is something to start.
  template <class P>
  bool push_judged(P& policy, Sdu& sdu, Context& context) noexcept {
    if (const auto refused = refusal(sdu, sdus(), bytes(), context)) {
      drop(sdu, *refused, context);
    } else {
      const Verdict verdict = policy.on_enqueue(sdu, view_with(sdu), context.now);
      heed<P>(policy, context);
      if (verdict == Verdict::pass) [[likely]] {
        enter(sdu, context.account);
        waiting_.push_fifo(sdu);
      } else {
        obey(verdict, sdu, context);
      }
    }
    return started_.empty() && waiting();
  }
  // The next to start, of those that the policy lets through; null when none is left.
  template <class P>
  Sdu* start_judged(P& policy, Time at, Context& context) noexcept {
    while (waiting()) {
      Sdu& sdu = *waiting_.first();
      const Verdict verdict = policy.on_dequeue(sdu, view(), at);
      heed<P>(policy, context);
      if (verdict == Verdict::pass || (verdict == Verdict::mark && mark(sdu))) [[likely]] {
        waiting_.take_fifo();
        begin_transmission(sdu);
        return &sdu;
      }
      discard_first(context);
    }
    return nullptr;
  }
  template <class P>
  Sdu& finish_judged(P& policy, Time at, Context& context) noexcept {
    Sdu& sdu = release(started_.pop(), at, context);
    policy.on_delivered(sdu.ip_len, view(), at);
    heed<P>(policy, context);
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
    restart_policy();
    context.timers.cancel(policy_timer_);
  }

 private:
  // What it had learnt was of another queue; nor may its old deadlines come up in the backlog to be.
  void restart_policy() noexcept {
    std::visit(
        [&]<class P>(P& policy) {
          const typename P::Config config = policy.config();
          policy = P(config, Rng(seed_));
        },
        aqm_);
  }

  struct PolicyTimer : WorkerTimer {
    explicit PolicyTimer(RlcBuffer& b) : WorkerTimer(&RlcBuffer::on_timer), buffer(b) {}
    RlcBuffer& buffer;
  };

  QueueView view() const noexcept { return {sdus(), bytes(), rate(), waiting_.sdus(), waiting_.bytes()}; }

  std::optional<DropReason> full(const Sdu& sdu, const Context& context) const noexcept {
    const bool yields = waiting_.makes_room();
    return refusal(sdu, sdus() - (yields ? waiting_.sdus() : 0), bytes() - (yields ? waiting_.bytes() : 0),
                   context);
  }
  // Why an arrival is refused when so much of what is there cannot make room for it.
  std::optional<DropReason> refusal(const Sdu& sdu, std::uint32_t fixed_sdus, std::uint64_t fixed_bytes,
                                    const Context& context) const noexcept {
    if (fixed_sdus + 1 > limit_.sdus) return DropReason::buffer_sdus;
    if (fixed_bytes + sdu.ip_len > limit_.bytes) return DropReason::buffer_bytes;
    if (!context.pool_has_room(sdu.segments)) return DropReason::pool;
    return std::nullopt;
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

  QueueView view_with(const Sdu& sdu) const noexcept {
    return {sdus() + 1, bytes() + sdu.ip_len, rate(), waiting_.sdus() + 1, waiting_.bytes() + sdu.ip_len};
  }

  // What a policy wants of an arrival that it does not just let pass.
  [[gnu::noinline]] void obey(Verdict verdict, Sdu& sdu, Context& context) noexcept {
    if (verdict == Verdict::drop || (verdict == Verdict::mark && !mark(sdu))) {
      return drop(sdu, DropReason::aqm, context);
    }
    append(sdu, context.account);
    const bool front = verdict == Verdict::drop_front || verdict == Verdict::mark_front;
    if (front && (verdict == Verdict::drop_front || !mark(*waiting_.first()))) discard_first(context);
  }

  // Its deadline may have changed, if it is of those that have one.
  template <class P>
  void heed(const P& policy, Context& context) noexcept {
    if constexpr (!std::same_as<decltype(&P::deadline), decltype(&IdlePolicy::deadline)>) {
      arm(policy.deadline(), context);
    }
  }

  void look_at_policy() noexcept {
    judges_ = std::visit([]<class P>(const P&) { return judges<P>(); }, aqm_);
    policy_ = static_cast<std::uint8_t>(aqm_.index());
  }
  // The SDU is counted already.
  Verdict judge_arrival(const Sdu& sdu, Context& context) noexcept {
    return ask(context, [&](auto& p) { return p.on_enqueue(sdu, view_with(sdu), context.now); });
  }
  Verdict judge_departure(const Sdu& sdu, Time at, Context& context) noexcept {
    const QueueView queue{sdus(), bytes(), rate(), waiting_.sdus(), waiting_.bytes(), waiting_.codel()};
    return ask(context, [&](auto& p) { return p.on_dequeue(sdu, queue, at); });
  }

  // Whatever the policy was asked, its deadline may have changed.
  template <class Question>
  Verdict ask(Context& context, Question&& question) noexcept {
    return std::visit(
        [&](auto& policy) {
          const Verdict verdict = question(policy);
          arm(policy.deadline(), context);
          return verdict;
        },
        aqm_);
  }
  template <class News>
  void tell(Context& context, News&& news) noexcept {
    std::visit(
        [&](auto& policy) {
          news(policy);
          arm(policy.deadline(), context);
        },
        aqm_);
  }
  void arm(Time deadline, Context& context) noexcept {
    if (deadline == policy_timer_.deadline()) return;
    if (deadline == kNever) return context.timers.cancel(policy_timer_);
    context.timers.arm(policy_timer_, deadline);
  }
  static void on_timer(WorkerTimer& timer, Time deadline, Context& context) {
    RlcBuffer& self = static_cast<PolicyTimer&>(timer).buffer;
    self.tell(context, [&](auto& policy) { policy.on_timer(self.view(), deadline); });
  }
  void tell_delivered(const Sdu& sdu, Time at, Context& context) noexcept {
    if (judges_) tell(context, [&](auto& policy) { policy.on_delivered(sdu.ip_len, view(), at); });
    if (acks_ != nullptr) acks_->on_buffer(state(), context);
  }

  BufferReading state() const noexcept {
    const std::uint64_t counter = std::visit(
        [](const auto& policy) -> std::uint64_t {
          if constexpr (requires { policy.counter(); }) return policy.counter();
          return 0;
        },
        aqm_);
    return {sdus(), bytes(), waiting_.sdus(), waiting_.bytes(), limit_.sdus, limit_.bytes, rate(), counter};
  }

  bool mark(Sdu& sdu) noexcept {
    const bool marked_before = sdu.ecn == kCe;
    if (!mark_ce(sdu)) return false;
    if (!marked_before) {
      marked_sdus_.add(1);
      count_mark_of_class(aqm_.index());
    }
    return true;
  }

  void append(Sdu& sdu, FrameAccount& account) noexcept {
    waiting_.push(sdu);
    enter(sdu, account);
  }
  void enter(const Sdu& sdu, FrameAccount& account) noexcept {
    account.buffered += 1;
    account.mbufs_held += sdu.segments;
    enter_occupancy(sdu);
  }
  void begin_transmission(Sdu& sdu) noexcept {
    sdu.fate = 0;
    started_.push(sdu);
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

  void drop(Sdu& sdu, DropReason reason, Context& context) noexcept {
    dropped_sdus_.add(1);
    count_drop_of_class(reason, aqm_.index());
    context.drop(sdu, reason);
  }

  Sdu& release(Sdu& sdu, Time at, Context& context) noexcept {
    leave_occupancy(sdu);
    forget(sdu, context.account);
    count_departure(sdu, at);
    return sdu;
  }

  static void forget(const Sdu& sdu, FrameAccount& account) noexcept {
    DP_EXPECT_HOT(account.buffered > 0 && account.mbufs_held >= sdu.segments);
    account.buffered -= 1;
    account.mbufs_held -= sdu.segments;
  }

  // These two and what LegBufferCounters has are all that the short way touches while nothing waits
  // (bearer/leg.h).
  BufferLimit limit_;
  SduLoop started_;  // in transmission, or not yet acknowledged by the peer RLC
  // From here on for what waits, or is judged.
  Waiting waiting_;
  Counter rate_;              // control may read it
  AckChain* acks_ = nullptr;  // control's; the bearer's, of a downlink leg
  bool judges_ = false;       // of the policy's kind; the same until another comes
  std::uint8_t policy_ = 0;   // its place in AqmEngines
  AnyAqm aqm_;
  PolicyTimer policy_timer_;
  Counter dropped_sdus_, marked_sdus_;  // control may read them
  const std::uint64_t seed_;            // of what policies draw
};

}  // namespace dp
