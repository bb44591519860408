// Proportional integral controller enhanced (RFC 8033): drops arriving SDUs with a probability that a timer
// adjusts by the difference of the queue's delay from a target and by its change (dataplane/decisions/022).
#pragma once
#include <algorithm>

#include "dataplane/aqm/pie_config.h"
#include "dataplane/aqm/policy.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/fields.h"

namespace dp {

class Pie : public PieSpec, public IdlePolicy {
 public:
  Pie(const Config& config, Rng rng) noexcept : config_(config), rng_(rng) {}

  Verdict on_enqueue(const Sdu& sdu, const QueueView& queue, Time now) noexcept {
    DP_EXPECT(queue.backlog >= sdu.ip_len);
    if (deadline_ == kNever) switch_on(now);
    if (burst_allowance_ > Duration{} || !drops(queue.backlog - sdu.ip_len)) return Verdict::pass;
    return verdict(config_.ecn && probability_ < kMarkBelow, false);
  }

  // The probability of a drop: section 4.2, with the bounds of 5.5.
  void on_timer(const QueueView& queue, Time now) noexcept {
    DP_EXPECT(deadline_ <= now);
    const Duration delay = delay_of(queue);
    double change = config_.alpha * seconds(delay - config_.target) + config_.beta * seconds(delay - delay_);
    change *= tuning();
    if (probability_ >= 0.1) change = std::min(change, 0.02);
    probability_ += change;
    if (delay == Duration{} && delay_ == Duration{}) probability_ *= 0.98;
    probability_ = std::clamp(probability_, 0.0, 1.0);
    const bool low = delay < config_.target / 2 && delay_ < config_.target / 2;
    const bool idle = delay == Duration{} && delay_ == Duration{};
    delay_ = delay;
    burst_allowance_ = std::max(burst_allowance_ - config_.t_update, Duration{});
    if (probability_ == 0 && low) burst_allowance_ = config_.max_burst;
    deadline_ = probability_ == 0 && idle ? kNever : now + config_.t_update;
  }

  Time deadline() const noexcept { return deadline_; }
  void postpone(Duration pause) noexcept {
    if (deadline_ != kNever) deadline_ += pause;
  }
  void reconfigure(const Config& config, const QueueView&, Time) noexcept { config_ = config; }
  const Config& config() const noexcept { return config_; }
  double probability() const noexcept { return probability_; }
  Duration burst_allowance() const noexcept { return burst_allowance_; }

 private:
  static constexpr double kMarkBelow = 0.1;
  static constexpr std::uint32_t kMeanPacket = 1500;

  static double seconds(Duration d) noexcept { return std::chrono::duration<double>(d).count(); }

  // Section 5.2 measures departures, since the rate is unknown there. Here it is known, and a change takes
  // effect at once.
  static Duration delay_of(const QueueView& queue) noexcept {
    if (queue.rate == 0) return {};
    const double bits = 8.0 * queue.backlog;
    return Duration{static_cast<std::int64_t>(bits * 1e9 / static_cast<double>(queue.rate))};
  }

  // Section 5.3: the timer runs only while the queue is active.
  void switch_on(Time now) noexcept {
    probability_ = accumulated_ = 0;
    delay_ = {};
    burst_allowance_ = config_.max_burst;
    deadline_ = now + config_.t_update;
  }

  // Section 4.2: steps are smaller at smaller probabilities.
  double tuning() const noexcept {
    if (probability_ < 0.000001) return 1.0 / 2048;
    if (probability_ < 0.00001) return 1.0 / 512;
    if (probability_ < 0.0001) return 1.0 / 128;
    if (probability_ < 0.001) return 1.0 / 32;
    if (probability_ < 0.01) return 1.0 / 8;
    return probability_ < 0.1 ? 1.0 / 2 : 1.0;
  }

  // Section 4.1; with derandomise section 5.4. `queued`: bytes before the arriving SDU.
  bool drops(std::uint32_t queued) noexcept {
    if ((delay_ < config_.target / 2 && probability_ < 0.2) || queued <= 2 * kMeanPacket) return false;
    if (!config_.derandomise) return rng_.chance(probability_);
    if (probability_ == 0) accumulated_ = 0;
    accumulated_ += probability_;
    if (accumulated_ < 0.85) return false;
    if (accumulated_ < 8.5 && !rng_.chance(probability_)) return false;
    accumulated_ = 0;
    return true;
  }

  // Members that every arrival reads come first.
  Time deadline_ = kNever;
  Duration burst_allowance_{};
  Duration delay_{};  // delay at the last update
  double probability_ = 0;
  double accumulated_ = 0;
  Config config_;
  Rng rng_;
};

}  // namespace dp
