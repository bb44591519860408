// Slope based discard (002 section 3): a drop when the occupancy grows faster than allowed, where the allowed
// slope is steeper the further it is from maxth; then none for the time that the source needs to react. The
// slope is tested from one point to the next: the occupancy must not grow by alpha within C_n.
#pragma once
#include <algorithm>

#include "dataplane/aqm/policy.h"
#include "dataplane/aqm/sbd_config.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/gauge.h"

namespace dp {

class Sbd : public SbdSpec, public IdlePolicy {
 public:
  Sbd(const Config& config, Rng) noexcept
      : gauge_(gauge_of(config)), armed_from_(armed_from(config)), config_(config) {}

  Verdict on_enqueue(const Sdu&, const QueueView& queue, Time now) noexcept {
    if (reacting_) return Verdict::pass;
    if (deadline_ == kNever) {
      arm(queue, now);
      return Verdict::pass;
    }
    if (gauge_.occupancy(queue) < threshold_) return Verdict::pass;
    reacting_ = true;
    began_ = now;
    set_deadline(config_.t_r);
    return verdict(config_.ecn, true);
  }

  // Such an SDU neither starts C_n nor ends a running one. The running threshold is checked because earlier
  // parameters may have set it lower than the current ones would.
  bool passes_alone(std::uint32_t longest) const noexcept {
    const double alone = gauge_.occupancy(1, longest);
    return alone < armed_from_ && (deadline_ == kNever || alone < threshold_);
  }

  // Called at the end of C_n or T_r.
  void on_timer(const QueueView& queue, Time now) noexcept {
    DP_EXPECT(deadline_ <= now);
    reacting_ = false;
    deadline_ = kNever;
    arm(queue, now);
  }

  Time deadline() const noexcept { return deadline_; }
  void postpone(Duration pause) noexcept {
    began_ += pause;
    if (deadline_ != kNever) deadline_ += pause;
  }

  // 002 section 6: T_r continues; a running C_n becomes what it would have been under the new parameters.
  void reconfigure(const Config& config, const QueueView& queue, Time now) noexcept {
    gauge_ = gauge_of(config);
    armed_from_ = armed_from(config);
    config_ = config;
    if (reacting_ || deadline_ == kNever) return;
    if (gauge_.occupancy(queue) < armed_from_) {
      deadline_ = kNever;
      return;
    }
    threshold_ = std::min(started_from_ + gauge_.of(config_.alpha), gauge_.of(config_.maxth));
    set_deadline(c_n());
    deadline_ = std::max(deadline_, now);
  }

  const Config& config() const noexcept { return config_; }
  bool reacting() const noexcept { return reacting_; }
  double threshold() const noexcept { return threshold_; }  // th_n, while C_n runs

 private:
  static Gauge gauge_of(const Config& config) noexcept {
    return Gauge(config.minth, config.maxth, config.alpha);
  }
  static double armed_from(const Config& config) noexcept {
    const Gauge gauge = gauge_of(config);
    return gauge.of(config.minth) - gauge.of(config.alpha);
  }

  // th_n = BO + alpha, at most maxth.
  void arm(const QueueView& queue, Time now) noexcept {
    const double occupancy = gauge_.occupancy(queue);
    if (occupancy <= 0 || occupancy < armed_from_) return;
    started_from_ = occupancy;
    threshold_ = std::min(occupancy + gauge_.of(config_.alpha), gauge_.of(config_.maxth));
    began_ = now;
    set_deadline(c_n());
  }

  // C_n = alpha / r_c = alpha T_r / (maxth - th_n), at most T_r. Steps shorter than any TTI would only keep
  // the worker busy.
  static constexpr Duration kShortest{1'000'000};
  Duration c_n() const noexcept {
    const double room = gauge_.of(config_.maxth) - threshold_, alpha = gauge_.of(config_.alpha);
    if (room <= alpha) return config_.t_r;
    const Duration exact{static_cast<std::int64_t>(static_cast<double>(config_.t_r.count()) * alpha / room)};
    return std::max(exact, kShortest);
  }

  void set_deadline(Duration wait) noexcept {
    deadline_ = began_ + wait;
    if (config_.granularity > Duration{}) {
      const Duration over = deadline_.time_since_epoch() % config_.granularity;
      if (over > Duration{}) deadline_ += config_.granularity - over;
    }
  }

  Time deadline_ = kNever;
  double threshold_ = 0;
  bool reacting_ = false;  // T_r runs; otherwise C_n does if deadline_ is set
  Gauge gauge_;            // derived from config_, like the next
  double armed_from_;      // occupancy: minth less alpha
  Time began_{};           // start of the running period
  double started_from_ = 0;
  Config config_;
};

}  // namespace dp
