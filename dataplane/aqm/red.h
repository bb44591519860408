// Random early detection as the papers adapted it to RLC (002 section 2): decides by the instantaneous
// occupancy, since a bearer carries too few flows for an average (Floyd and Jacobson 1993 with w_q = 1); or,
// with a lower weight, by its average, as in the original and in 004 (dataplane/decisions/058).
#pragma once
#include <algorithm>
#include <cmath>

#include "dataplane/aqm/policy.h"
#include "dataplane/aqm/red_config.h"
#include "dataplane/base/gauge.h"

namespace dp {

class Red : public RedSpec, public IdlePolicy {
 public:
  Red(const Config& config, Rng rng) noexcept
      : thresholds_(config.minth, config.maxth), config_(config), rng_(rng) {}

  Verdict on_enqueue(const Sdu& sdu, const QueueView& queue, Time now) noexcept {
    if (at_once()) return on_enqueue_at_once(queue);
    move_average(sdu, queue, now);
    return draw(probability(average_));
  }
  // True if arrivals are decided by the instantaneous occupancy, in on_enqueue_at_once():
  // aqm/policy.h.
  bool at_once() const noexcept { return config_.weight >= 1; }
  Verdict on_enqueue_at_once(const QueueView& queue) noexcept {
    return draw(probability(thresholds_.gauge.occupancy(queue)));
  }
  // Such an SDU finds less than minth, so it passes, and the count of SDUs since the last drop restarts.
  // Skipping the call makes no difference if the next SDU, which finds two, restarts the count too.
  bool passes_alone(std::uint32_t longest) const noexcept {
    return at_once() && thresholds_.gauge.occupancy(2, 2 * longest) <= thresholds_.minth;
  }
  // The average covers all arrivals.
  void on_bypass(const Sdu& sdu, const QueueView& queue, Time now) noexcept {
    if (!at_once()) move_average(sdu, queue, now);
  }

  void reconfigure(const Config& config, const QueueView& queue, Time) noexcept {
    const Thresholds fresh(config.minth, config.maxth);
    const bool same_unit = thresholds_.gauge.occupancy(0, 1) == fresh.gauge.occupancy(0, 1);
    if (at_once() || !same_unit) average_ = fresh.gauge.occupancy(queue);
    thresholds_ = fresh;
    config_ = config;
  }
  void postpone(Duration pause) noexcept { empty_at_ += pause; }
  const Config& config() const noexcept { return config_; }
  // The average occupancy with a weight below 1: in SDUs, or in bytes if a threshold is.
  double average() const noexcept { return average_; }

 private:
  Verdict draw(double p) noexcept {
    if (p <= 0) {
      count_ = -1;
      return Verdict::pass;
    }
    if (p < 1) {
      ++count_;
      const double spaced = !config_.count ? p : count_ * p < 1 ? p / (1 - count_ * p) : 1;
      if (!rng_.chance(spaced)) return Verdict::pass;
    }
    count_ = 0;
    return verdict(config_.ecn && p < 1, config_.victim == DropFrom::front);
  }
  // Drop probability at an occupancy, or at its average.
  double probability(double occupancy) const noexcept {
    const auto [gauge, minth, maxth] = thresholds_;
    if (occupancy < minth) return 0;
    if (occupancy < maxth) return config_.maxp * (occupancy - minth) / (maxth - minth);
    if (!config_.gentle) return 1;
    return std::min(1.0, config_.maxp + (1 - config_.maxp) * (occupancy - maxth) / maxth);
  }

  // Floyd and Jacobson 1993 section 4: while the queue is empty the average decays as if m packets had
  // arrived and found nothing, where m is the idle time divided by the transmission time of a typical packet.
  // Its length is the average length of arrived packets, with the same weight. The idle time begins when the
  // bytes queued at the last arrival have been sent at the rate.
  void move_average(const Sdu& sdu, const QueueView& queue, Time now) noexcept {
    const double rate = static_cast<double>(queue.rate) / 8e9;  // bytes a nanosecond
    const double length = std::max(sdu.ip_len, 1u);
    if (length_ == 0) length_ = length;
    if (queue.sdus == 1 && now > empty_at_) {
      const double m = static_cast<double>((now - empty_at_).count()) * rate / length_;
      average_ *= std::pow(1 - config_.weight, m);
    }
    average_ += config_.weight * (thresholds_.gauge.occupancy(queue) - average_);
    length_ += config_.weight * (length - length_);
    empty_at_ = now + Duration{rate > 0 ? static_cast<std::int64_t>(queue.bytes / rate) : 0};
  }

  Thresholds thresholds_;  // derived from config_
  int count_ = -1;         // SDUs since the last drop; -1 below minth
  Config config_;
  Rng rng_;
  // The members below are for a weight below 1.
  double average_ = 0;
  double length_ = 0;  // length of a typical packet in bytes; 0 before the first
  Time empty_at_{};    // time from which the queue is empty if nothing arrives
};

}  // namespace dp
