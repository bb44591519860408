// A store of SDUs and the policy that judges them. The second part of RlcBuffer (buffer/buffer.h), and all
// that is needed where nobody else is told of SDUs: the judged way.
#pragma once
#include <concepts>
#include <cstdint>
#include <variant>

#include "dataplane/aqm/engines.h"
#include "dataplane/buffer/store.h"

namespace dp {

class JudgedStore : public SduStore {
 public:
  // Policies draw from `seed`.
  JudgedStore(const BufferLimit& limit, const AqmConfig& aqm, std::uint64_t rate, std::uint64_t seed,
              FlowQueues* flows)
      : SduStore(limit, rate, flows),
        aqm_(AqmEngines::make(aqm, Rng(seed))),
        policy_timer_(*this),
        seed_(seed) {
    look_at_policy();
  }

  // Calls f(policy).
  template <class F>
  decltype(auto) with_policy(F&& f) noexcept {
    return AqmEngines::visit_at(policy_, aqm_, f);
  }

  // The short way of RlcBuffer's push(), start() and finish() for SDUs that a policy judges and that are
  // neither told of nor kept in flow queues: in one look at the policy each time they come or go. These
  // require: RlcBuffer::judged(), and `policy` is what with_policy() gives. True when there is something to
  // start.
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
      discard_front(context);
    }
    return nullptr;
  }
  // Requires: something is in transmission.
  template <class P>
  Sdu& finish_judged(P& policy, Time at, Context& context) noexcept {
    Sdu& sdu = release(started_.pop(), at, context);
    policy.on_delivered(sdu.ip_len, view(), at);
    heed<P>(policy, context);
    return sdu;
  }

 protected:
  // Another policy, or the same one under other parameters.
  void set_policy(const AqmConfig& aqm, const QueueView& queue, Time now, Context& context) noexcept {
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
  }
  // What it had learnt was of another queue; nor may its old deadlines come up in the backlog to be.
  void restart_policy(Context& context) noexcept {
    std::visit(
        [&]<class P>(P& policy) {
          const typename P::Config config = policy.config();
          policy = P(config, Rng(seed_));
        },
        aqm_);
    context.timers.cancel(policy_timer_);
  }

  bool judges() const noexcept { return judges_; }
  // The SDU is not counted yet.
  Verdict judge_arrival(const Sdu& sdu, Context& context) noexcept {
    return ask(context, [&](auto& p) { return p.on_enqueue(sdu, view_with(sdu), context.now); });
  }
  // The SDU is the first.
  Verdict judge_departure(const Sdu& sdu, Time at, Context& context) noexcept {
    QueueView queue = view();
    queue.flow = waiting_.codel();
    return ask(context, [&](auto& p) { return p.on_dequeue(sdu, queue, at); });
  }
  // Calls news(policy).
  template <class News>
  void tell(Context& context, News&& news) noexcept {
    std::visit(
        [&](auto& policy) {
          news(policy);
          arm(policy.deadline(), context);
        },
        aqm_);
  }
  // PDPC's, which ACK stages may look at; 0 of other policies.
  std::uint64_t discard_prevention_counter() const noexcept {
    return std::visit(
        [](const auto& policy) -> std::uint64_t {
          if constexpr (requires { policy.counter(); }) return policy.counter();
          return 0;
        },
        aqm_);
  }

 private:
  struct PolicyTimer : WorkerTimer {
    explicit PolicyTimer(JudgedStore& s) : WorkerTimer(&JudgedStore::on_timer), store(s) {}
    JudgedStore& store;
  };
  static void on_timer(WorkerTimer& timer, Time deadline, Context& context) {
    JudgedStore& self = static_cast<PolicyTimer&>(timer).store;
    self.tell(context, [&](auto& policy) { policy.on_timer(self.view(), deadline); });
  }

  void look_at_policy() noexcept {
    judges_ = std::visit([]<class P>(const P&) { return dp::judges<P>(); }, aqm_);
    policy_ = static_cast<std::uint8_t>(aqm_.index());
  }

  // What a policy wants of an arrival that it does not just let pass.
  [[gnu::noinline]] void obey(Verdict verdict, Sdu& sdu, Context& context) noexcept {
    if (verdict == Verdict::drop || (verdict == Verdict::mark && !mark(sdu))) {
      return drop(sdu, DropReason::aqm, context);
    }
    append(sdu, context.account);
    const bool front = verdict == Verdict::drop_front || verdict == Verdict::mark_front;
    if (front && (verdict == Verdict::drop_front || !mark(*waiting_.first()))) discard_front(context);
  }
  void discard_front(Context& context) noexcept {
    Sdu& sdu = waiting_.take_fifo();
    leave_occupancy(sdu);
    forget(sdu, context.account);
    drop(sdu, DropReason::aqm, context);
  }

  // Its deadline may have changed, if it is of those that have one.
  template <class P>
  void heed(const P& policy, Context& context) noexcept {
    if constexpr (!std::same_as<decltype(&P::deadline), decltype(&IdlePolicy::deadline)>) {
      arm(policy.deadline(), context);
    }
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
  void arm(Time deadline, Context& context) noexcept {
    if (deadline == policy_timer_.deadline()) return;
    if (deadline == kNever) return context.timers.cancel(policy_timer_);
    context.timers.arm(policy_timer_, deadline);
  }

  bool judges_ = false;  // of the policy's kind; the same until another comes
  AnyAqm aqm_;
  PolicyTimer policy_timer_;
  const std::uint64_t seed_;  // of what policies draw
};

}  // namespace dp
