// The AQM instance of one leg: its policy and the policy's timer. It stands beside the leg, and exists only
// if the policy has decisions to take, so that a leg without one takes no memory for it. Made and freed by
// control (worker/prepare.h), and lent to a worker with the bearer.
// Tests: tests/unit/buffer/sfp_buffer_test.cc, tests/unit/buffer/bypass_test.cc
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "dataplane/aqm/engines.h"
#include "dataplane/base/expect.h"
#include "dataplane/buffer/store.h"
#include "dataplane/packet/context.h"

namespace dp {

class alignas(64) AqmInstance {
 public:
  // The policies that are notified of each SDU that has left, by their index in AqmEngines.
  static constexpr std::array kNotified = AqmEngines::each([]<class P>(TypeTag<P>) {
    return !std::same_as<decltype(&P::on_delivered), decltype(&IdlePolicy::on_delivered)>;
  });

  // Policies draw from `seed`. Requires: is_active(aqm).
  AqmInstance(const AqmConfig& aqm, std::uint64_t seed)
      : policy_(AqmEngines::make(aqm, Rng(seed))), timer_(*this), seed_(seed) {
    DP_EXPECT(is_active(aqm));
  }
  AqmInstance(const AqmInstance&) = delete;
  AqmInstance& operator=(const AqmInstance&) = delete;

  // Binds the store whose SDUs it decides about. All other functions require that this was called.
  void bind(const SduStore& store) noexcept { store_ = &store; }

  // The policy's index in AqmEngines.
  std::size_t policy_index() const noexcept { return policy_.index(); }
  AnyAqm& policy() noexcept { return policy_; }

  // True if it may decide about arrivals on the fast path: DecidesAtOnce.
  bool decides_at_once() const noexcept {
    return std::visit(
        []<class P>(const P& policy) {
          if constexpr (DecidesAtOnce<P>) return policy.at_once();
          return true;
        },
        policy_);
  }

  // PassesAlone, for packets of any length.
  bool passes_alone() const noexcept {
    return std::visit(
        []<class P>(const P& policy) {
          if constexpr (PassesAlone<P>) return policy.passes_alone(BufferLimit::kLongestPacket);
          return false;
        },
        policy_);
  }

  // Installs another policy, or the same one with other parameters. Requires: is_active(aqm).
  void set(const AqmConfig& aqm, Time now, Context& context) noexcept {
    DP_EXPECT(is_active(aqm));
    const bool kept = std::visit(
        [&]<class P>(P& policy) {
          const auto* config = std::get_if<typename P::Config>(&aqm);
          if (config != nullptr && !(*config == policy.config())) {
            policy.reconfigure(*config, store_->view(), now);
          }
          return config != nullptr;
        },
        policy_);
    if (!kept) policy_ = AqmEngines::make(aqm, Rng(seed_));
    tell(context, [](auto&) {});
  }
  // Resets the policy: it had adapted to another queue, and its old deadlines must not come up in the new
  // backlog.
  void restart(Context& context) noexcept {
    std::visit(
        [&]<class P>(P& policy) {
          const typename P::Config config = policy.config();
          policy = P(config, Rng(seed_));
        },
        policy_);
    rest(context);
  }
  // Ends the use of its timer.
  void rest(Context& context) noexcept { context.timers.cancel(timer_); }

  // The bearer moves to another worker, or has arrived at one (Bearer::park).
  void park(Context& context) noexcept { context.timers.park(timer_); }
  void unpark(Context& context) noexcept { context.timers.unpark(timer_); }

  // Returns question(policy). Any call of a policy may change its deadline.
  template <class Question>
  Verdict ask(Context& context, Question&& question) noexcept {
    return std::visit(
        [&](auto& policy) {
          const Verdict verdict = question(policy);
          arm(policy.deadline(), context);
          return verdict;
        },
        policy_);
  }
  // Calls news(policy).
  template <class News>
  void tell(Context& context, News&& news) noexcept {
    std::visit(
        [&](auto& policy) {
          news(policy);
          arm(policy.deadline(), context);
        },
        policy_);
  }
  // Arms the timer for the policy's deadline, which may be the same as before.
  [[gnu::noinline]] void arm(Time deadline, Context& context) noexcept {
    if (deadline == timer_.deadline()) return;
    if (deadline == kNever) return context.timers.cancel(timer_);
    context.timers.arm(timer_, deadline);
  }

  // PDPC's counter, which ACK stages may read; 0 for other policies.
  std::uint64_t discard_prevention_counter() const noexcept {
    return std::visit(
        [](const auto& policy) -> std::uint64_t {
          if constexpr (requires { policy.counter(); }) return policy.counter();
          return 0;
        },
        policy_);
  }

 private:
  struct PolicyTimer : WorkerTimer {
    explicit PolicyTimer(AqmInstance& i) : WorkerTimer(&AqmInstance::on_timer), instance(i) {}
    AqmInstance& instance;
  };
  static void on_timer(WorkerTimer& timer, Time deadline, Context& context) {
    AqmInstance& self = static_cast<PolicyTimer&>(timer).instance;
    self.tell(context, [&](auto& policy) { policy.on_timer(self.store_->view(), deadline); });
  }

  // Between two calls the timer is armed for the policy's deadline, or idle if it has none.
  //
  // The members that a policy reads for each SDU come first in it, mostly in one cache line.
  AnyAqm policy_;
  PolicyTimer timer_;
  const SduStore* store_ = nullptr;
  const std::uint64_t seed_;  // policies draw from it
};

}  // namespace dp
