// The parties that a buffer consults about an SDU: the AQM, the chain of ACK stages, and the queues in which
// SDUs wait. Each has a null object for legs without it, so that the steps of an SDU through the buffer
// (buffer/steps.h) are written once, and on a leg's fast path come to what that path needs.
// Tests: tests/unit/buffer/buffer_test.cc
#pragma once
#include <concepts>

#include "dataplane/ack/chain.h"
#include "dataplane/aqm/policy.h"
#include "dataplane/buffer/aqm_instance.h"
#include "dataplane/packet/context.h"

namespace dp {

// Queues are WaitingFifo, or Waiting for legs that may have others.
template <class Aqm, class Chain, class Queues>
struct Parties {
  [[no_unique_address]] Aqm aqm;
  [[no_unique_address]] Chain chain;
  Queues& queues;
};

// No AQM, or one that need not be consulted.
struct NoAqm {
  static Verdict on_arrival(const Sdu&, const QueueView&, Context&) noexcept { return Verdict::pass; }
  static void on_bypass(const Sdu&, const QueueView&, Context&) noexcept {}
  static Verdict on_departure(const Sdu&, const QueueView&, Time, Context&) noexcept { return Verdict::pass; }
  static void on_delivered(const Sdu&, const QueueView&, Time, Context&) noexcept {}
};

// An AQM whose policy is a P, on the fast path.
template <class P>
class AqmOf {
 public:
  AqmOf(P& policy, AqmInstance& instance) noexcept : policy_(policy), aqm_(instance) {}

  // The verdict on an arriving SDU, which the view already counts.
  Verdict on_arrival(const Sdu& sdu, const QueueView& queue, Context& context) noexcept {
    return ask(context, [&] {
      if constexpr (DecidesAtOnce<P>) return policy_.on_enqueue_at_once(queue);
      return policy_.on_enqueue(sdu, queue, context.now);
    });
  }
  // Reports an arrival without a verdict; the view counts it.
  void on_bypass(const Sdu& sdu, const QueueView& queue, Context& context) noexcept {
    // A policy that decides at once ignores these.
    if constexpr (DecidesAtOnce<P> ||
                  std::same_as<decltype(&P::on_bypass), decltype(&IdlePolicy::on_bypass)>) {
      return;
    }
    ask(context, [&] { return policy_.on_bypass(sdu, queue, context.now), Verdict::pass; });
  }
  // The verdict on an SDU whose transmission begins at `at`.
  Verdict on_departure(const Sdu& sdu, const QueueView& queue, Time at, Context& context) noexcept {
    return ask(context, [&] { return policy_.on_dequeue(sdu, queue, at); });
  }
  void on_delivered(const Sdu& sdu, const QueueView& queue, Time at, Context& context) noexcept {
    ask(context, [&] { return policy_.on_delivered(sdu.ip_len, queue, at), Verdict::pass; });
  }

 private:
  // Sets the timer if the policy has one and its deadline has changed. The timer is in another cache line.
  template <class Question>
  [[gnu::always_inline]] Verdict ask(Context& context, const Question& question) noexcept {
    if constexpr (std::same_as<decltype(&P::deadline), decltype(&IdlePolicy::deadline)>) return question();
    const Time was = policy_.deadline();
    const Verdict verdict = question();
    if (policy_.deadline() != was) [[unlikely]]
      aqm_.arm(policy_.deadline(), context);
    return verdict;
  }

  P& policy_;
  AqmInstance& aqm_;
};

// A leg's AQM, if it has one.
class AnyOrNoAqm {
 public:
  explicit AnyOrNoAqm(AqmInstance* instance) noexcept : aqm_(instance) {}

  Verdict on_arrival(const Sdu& sdu, const QueueView& queue, Context& context) noexcept {
    if (aqm_ == nullptr) return Verdict::pass;
    return aqm_->ask(context, [&](auto& policy) { return policy.on_enqueue(sdu, queue, context.now); });
  }
  void on_bypass(const Sdu& sdu, const QueueView& queue, Context& context) noexcept {
    if (aqm_ == nullptr) return;
    aqm_->tell(context, [&](auto& policy) { policy.on_bypass(sdu, queue, context.now); });
  }
  Verdict on_departure(const Sdu& sdu, const QueueView& queue, Time at, Context& context) noexcept {
    if (aqm_ == nullptr) return Verdict::pass;
    return aqm_->ask(context, [&](auto& policy) { return policy.on_dequeue(sdu, queue, at); });
  }
  void on_delivered(const Sdu& sdu, const QueueView& queue, Time at, Context& context) noexcept {
    if (aqm_ == nullptr) return;
    aqm_->tell(context, [&](auto& policy) { policy.on_delivered(sdu.ip_len, queue, at); });
  }

 private:
  AqmInstance* aqm_;
};

// No chain of ACK stages, and a link with one SDU in transmission at a time.
struct NoChain {
  static constexpr bool kMakesRoom = false;
  static constexpr bool kOneAtATime = true;
  static DataFate on_arriving(Sdu&, bool, Context&) noexcept { return DataFate::pass; }
  static void on_arrival(Sdu&, bool, bool, Context&) noexcept {}
  static bool sends_again() noexcept { return false; }
  static Sdu* start_again(Context&) noexcept { return nullptr; }
  static bool sent_again(const Sdu&) noexcept { return false; }
  static void on_dequeue(Sdu&, Context&) noexcept {}
  static void on_discard(Sdu&, Context&) noexcept {}
  static bool keep(Sdu&, Time, Context&) noexcept { return false; }
  static void on_buffer(Context&) noexcept {}
};

// A leg's chain, if it has one; AckChain describes the functions. `Buffer` is the RlcBuffer.
template <class Buffer>
class AnyOrNoChain {
 public:
  static constexpr bool kMakesRoom = true;
  static constexpr bool kOneAtATime = false;

  AnyOrNoChain(AckChain* chain, const Buffer& buffer) noexcept : chain_(chain), buffer_(buffer) {}

  DataFate on_arriving(Sdu& sdu, bool full, Context& context) noexcept {
    if (chain_ == nullptr) return DataFate::pass;
    return chain_->on_arriving(sdu, full, buffer_.reading(), context);
  }
  void on_arrival(Sdu& sdu, bool accepted, bool admitted, Context& context) noexcept {
    if (chain_ != nullptr) chain_->on_arrival(sdu, accepted, admitted, buffer_.reading(), context);
  }
  bool sends_again() const noexcept { return chain_ != nullptr && chain_->any_to_send_again(); }
  Sdu* start_again(Context& context) noexcept { return chain_->start_again(context); }
  // True if the SDU in transmission is one from start_again().
  static bool sent_again(const Sdu& sdu) noexcept { return (sdu.fate & kFateAgain) != 0; }
  void on_dequeue(Sdu& sdu, Context& context) noexcept {
    if (chain_ != nullptr) chain_->on_dequeue(sdu, buffer_.reading(), context);
  }
  void on_discard(Sdu& sdu, Context& context) noexcept {
    if (chain_ != nullptr) chain_->on_discard(sdu, buffer_.reading(), context);
  }
  bool keep(Sdu& sdu, Time at, Context& context) noexcept {
    return chain_ != nullptr && chain_->keep(sdu, at, buffer_.reading(), context);
  }
  void on_buffer(Context& context) noexcept {
    if (chain_ != nullptr) chain_->on_buffer(buffer_.reading(), context);
  }

 private:
  AckChain* chain_;
  const Buffer& buffer_;
};

}  // namespace dp
