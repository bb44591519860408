// Random early detection as the papers adapted it to RLC (002 section 2): judged by the instantaneous
// occupancy, since that of one bearer is no average over many flows (Floyd and Jacobson 1993 with w_q = 1).
#pragma once
#include <algorithm>

#include "dataplane/aqm/policy.h"
#include "dataplane/aqm/red_config.h"
#include "dataplane/base/gauge.h"

namespace dp {

class Red : public RedSpec, public IdlePolicy {
 public:
  Red(const Config& config, Rng rng) noexcept
      : thresholds_(config.minth, config.maxth), config_(config), rng_(rng) {}

  Verdict on_enqueue(const Sdu&, const QueueView& queue, Time) noexcept {
    const double p = probability(queue);
    if (p <= 0) return count_ = -1, Verdict::pass;
    if (p < 1) {
      ++count_;
      const double spaced = !config_.count ? p : count_ * p < 1 ? p / (1 - count_ * p) : 1;
      if (!rng_.chance(spaced)) return Verdict::pass;
    }
    count_ = 0;
    return verdict(config_.ecn && p < 1, config_.victim == Victim::front);
  }

  void reconfigure(const Config& config, const QueueView&, Time) noexcept {
    thresholds_ = Thresholds(config.minth, config.maxth);
    config_ = config;
  }
  const Config& config() const noexcept { return config_; }

 private:
  double probability(const QueueView& queue) const noexcept {
    const auto [gauge, minth, maxth] = thresholds_;
    const double occupancy = gauge.occupancy(queue);
    if (occupancy < minth) return 0;
    if (occupancy < maxth) return config_.maxp * (occupancy - minth) / (maxth - minth);
    if (!config_.gentle) return 1;
    return std::min(1.0, config_.maxp + (1 - config_.maxp) * (occupancy - maxth) / maxth);
  }

  Thresholds thresholds_;  // of config_
  int count_ = -1;         // SDUs since the last drop; -1 below minth
  Config config_;
  Rng rng_;
};

}  // namespace dp
