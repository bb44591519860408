// Packet discard prevention counter (Sagfors, Ludwig, Meyer, Peisa, VTC 2003; 000 section 3): one drop when
// the occupancy reaches a threshold, and no further one until as many bytes have been delivered as were
// queued then, so that the source has time to slow down.
#pragma once
#include <algorithm>

#include "dataplane/aqm/pdpc_config.h"
#include "dataplane/aqm/policy.h"
#include "dataplane/base/gauge.h"

namespace dp {

class Pdpc : public PdpcSpec, public IdlePolicy {
 public:
  Pdpc(const Config& config, Rng) noexcept : thresholds_(config.minth, config.maxth), config_(config) {}

  Verdict on_enqueue(const Sdu&, const QueueView& queue, Time) noexcept {
    const double occupancy = thresholds_.gauge.occupancy(queue);
    return config_.form == Form::one_threshold ? one_threshold(occupancy, queue) : two_thresholds(occupancy);
  }

  // 000 Fig. 3.
  void on_delivered(std::uint32_t bytes, const QueueView&, Time) noexcept {
    if (config_.form == Form::one_threshold) counter_ -= std::min<std::uint64_t>(counter_, bytes);
  }

  void reconfigure(const Config& config, const QueueView&, Time) noexcept {
    if (config.form != config_.form) counter_ = 0;  // its unit differs
    thresholds_ = Thresholds(config.minth, config.maxth);
    config_ = config;
  }
  const Config& config() const noexcept { return config_; }
  // Bytes, or SDUs in the original form, until the next drop may follow.
  std::uint64_t counter() const noexcept { return counter_; }

 private:
  Verdict one_threshold(double occupancy, const QueueView& queue) noexcept {
    if (occupancy < thresholds_.maxth || counter_ != 0) return Verdict::pass;
    counter_ = queue.bytes;
    return verdict(config_.ecn, true);
  }

  // Below minth the counter does not run; from minth to maxth a fraction of the SDUs is dropped; from maxth
  // on every SDU.
  Verdict two_thresholds(double occupancy) noexcept {
    if (occupancy < thresholds_.minth) return Verdict::pass;
    if (occupancy < thresholds_.maxth && counter_ != 0) {
      --counter_;
      return Verdict::pass;
    }
    counter_ = config_.counter;
    return verdict(config_.ecn, true);
  }

  Thresholds thresholds_;  // derived from config_
  std::uint64_t counter_ = 0;
  Config config_;
};

}  // namespace dp
