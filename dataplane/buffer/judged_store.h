// A store of SDUs and its AQM instance, if any. The second part of RlcBuffer (buffer/buffer.h), and
// sufficient if nothing else is notified of SDUs.
// Tests: tests/unit/buffer/sfp_buffer_test.cc
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "dataplane/aqm/engines.h"
#include "dataplane/base/expect.h"
#include "dataplane/buffer/judge.h"
#include "dataplane/buffer/store.h"
#include "dataplane/packet/ecn.h"

namespace dp {

class JudgedStore : public SduStore {
 public:
  using SduStore::SduStore;

  // The policies that are notified of each SDU that has left, by their index in AqmEngines.
  static constexpr std::array kHears = AqmEngines::each([]<class P>(TypeTag<P>) {
    return !std::same_as<decltype(&P::on_delivered), decltype(&IdlePolicy::on_delivered)>;
  });

  // The fast path of RlcBuffer's push(), start() and finish() for SDUs that a policy judges, of which nothing
  // else is notified and which no queues beside the leg keep, over a link with one SDU in transmission at a
  // time. Everything here requires: RlcBuffer::judged().

  // Calls f(policy), for the functions below, which take a policy. Requires: `place` is the policy's in
  // AqmEngines.
  template <class F>
  decltype(auto) with_policy(std::size_t place, F&& f) noexcept {
    DP_EXPECT_HOT(judge_ != nullptr && place == judge_->place());
    return AqmEngines::visit_at(place, judge_->aqm(), f);
  }
  // The policy as a P. Requires: it is a P.
  template <class P>
  P& policy() noexcept {
    DP_EXPECT_HOT(judge_ != nullptr && std::holds_alternative<P>(judge_->aqm()));
    P* const held = std::get_if<P>(&judge_->aqm());
    if (held == nullptr) __builtin_unreachable();
    return *held;
  }
  // Pushes an SDU into an empty store, so that it is the next to start, at `start`. True if its transmission
  // has begun. Reads only the policy and the limit of the members behind started_. Requires: sdus() == 0.
  template <class P>
  [[gnu::flatten]] bool push_first(P& policy, Sdu& sdu, Time start, Context& context) noexcept {
    DP_EXPECT_HOT(own_sdus() == 0);
    if (!fits(sdu, 0, 0, context)) [[unlikely]]
      return turn_away(policy, sdu, context), false;
    const QueueView alone = view_with(sdu, 0, 0);
    const Verdict arrival =
        heeding(policy, context, [&] { return ask_arrival(policy, sdu, alone, context.now); });
    if (!passes(arrival, sdu)) return drop_by_policy(sdu, context), false;
    const Verdict departure = heeding(policy, context, [&] { return policy.on_dequeue(sdu, alone, start); });
    if (!passes(departure, sdu)) return drop_by_policy(sdu, context), false;
    enter(sdu, context.account);
    begin_only(sdu);
    return true;
  }
  // Pushes an SDU behind the others. Requires: something is in transmission.
  template <class P>
  [[gnu::noinline]] void push_behind(P& policy, Sdu& sdu, Context& context) noexcept {
    DP_EXPECT_HOT(!started_.empty());
    if (!fits(sdu, own_sdus(), own_bytes(), context)) [[unlikely]]
      return turn_away(policy, sdu, context);
    const QueueView queue = view_with(sdu, fifo_.sdus(), fifo_.bytes());
    const Verdict verdict =
        heeding(policy, context, [&] { return ask_arrival(policy, sdu, queue, context.now); });
    if (verdict != Verdict::pass) [[unlikely]]
      return obey(verdict, sdu, context);
    enter(sdu, context.account);
    fifo_.push(sdu);
  }
  // To be called after finish_fast(): the SDU has left. Only policies of kHears need it.
  template <class P>
  void hear(P& policy, const Sdu& sdu, Time at, Context& context) noexcept {
    heeding(policy, context, [&] { return policy.on_delivered(sdu.ip_len, view(), at), Verdict::pass; });
  }
  // Begins the transmission of the next SDU that the policy lets through, at `at`; null if none is left.
  template <class P>
  Sdu* start_judged(P& policy, Time at, Context& context) noexcept {
    while (waiting()) {
      Sdu& sdu = *fifo_.first();
      const Verdict verdict = heeding(policy, context, [&] { return policy.on_dequeue(sdu, view(), at); });
      if (passes(verdict, sdu)) [[likely]] {
        fifo_.take();
        begin_only(sdu);
        return &sdu;
      }
      discard_front(context);
    }
    return nullptr;
  }

 protected:
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
    if (!marked_before) count_mark(judge_->place());
    return true;
  }
  [[gnu::noinline]] void drop_by_policy(Sdu& sdu, Context& context) noexcept {
    count_drop_of_policy(judge_->place());
    drop(sdu, DropReason::aqm, context);
  }

 private:
  template <class P>
  [[gnu::always_inline]] static Verdict ask_arrival(P& policy, const Sdu& sdu, const QueueView& queue,
                                                    Time now) noexcept {
    if constexpr (JudgesAtOnce<P>) return policy.on_enqueue_at_once(queue);
    return policy.on_enqueue(sdu, queue, now);
  }
  // Drops an SDU that does not fit; the policy is notified if it implements that.
  template <class P>
  void turn_away(P& policy, Sdu& sdu, Context& context) noexcept {
    constexpr bool kTold = !JudgesAtOnce<P> &&
                           !std::same_as<decltype(&P::on_turned_away), decltype(&IdlePolicy::on_turned_away)>;
    if constexpr (kTold) {
      turn_away_told(policy, sdu, context);
    } else {
      SduStore::turn_away(sdu, context);
    }
  }
  template <class P>
  [[gnu::noinline]] void turn_away_told(P& policy, Sdu& sdu, Context& context) noexcept {
    const QueueView queue = view_with(sdu, fifo_.sdus(), fifo_.bytes());
    heeding(policy, context, [&] { return policy.on_turned_away(sdu, queue, context.now), Verdict::pass; });
    SduStore::turn_away(sdu, context);
  }
  // Executes a policy's verdict on an arrival, other than to let it pass.
  [[gnu::noinline]] void obey(Verdict verdict, Sdu& sdu, Context& context) noexcept {
    if (verdict == Verdict::drop || (verdict == Verdict::mark && !mark(sdu))) {
      return drop_by_policy(sdu, context);
    }
    enter(sdu, context.account);
    fifo_.push(sdu);
    const bool front = verdict == Verdict::drop_front || verdict == Verdict::mark_front;
    if (front && !passes(verdict, *fifo_.first())) discard_front(context);
  }
  void discard_front(Context& context) noexcept {
    Sdu& sdu = fifo_.take();
    leave_occupancy(sdu);
    forget(sdu, context.account);
    drop_by_policy(sdu, context);
  }

  // Returns the verdict of ask(), after which it sets the timer if the policy has one. The timer was at the
  // policy's deadline before, and is in another cache line.
  template <class P, class Ask>
  Verdict heeding(const P& policy, Context& context, const Ask& ask) noexcept {
    if constexpr (std::same_as<decltype(&P::deadline), decltype(&IdlePolicy::deadline)>) return ask();
    const Time was = policy.deadline();
    const Verdict verdict = ask();
    if (policy.deadline() != was) [[unlikely]]
      judge_->arm(policy.deadline(), context);
    return verdict;
  }
};

}  // namespace dp
