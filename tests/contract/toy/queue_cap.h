// A policy of the tests' own: it drops an SDU when a configured number waits already. toy_test.cc shows that
// this file, that of its settings and its name in both lists are enough.
#pragma once

#include "dataplane/aqm/policy.h"
#include "tests/contract/toy/queue_cap_config.h"

namespace dp {

class QueueCap : public QueueCapSpec, public IdlePolicy {
 public:
  static constexpr bool kToy = true;

  QueueCap(const Config& config, Rng) noexcept : config_(config) {}
  Verdict on_enqueue(const Sdu&, const QueueView& queue, Time) noexcept {
    const bool ecn = config_.ecn && queue.waiting < config_.urgent;
    return queue.waiting > config_.most ? verdict(ecn, false) : Verdict::pass;
  }
  void reconfigure(const Config& config, const QueueView&, Time) noexcept { config_ = config; }
  const Config& config() const noexcept { return config_; }

 private:
  Config config_;
};

}  // namespace dp
