// Prometheus metrics: made at scrape time from the workers' snapshots and counters and from the control
// thread's view; nothing of it is in the packet path. Called on the thread of their server.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include <prometheus/collectable.h>

#include "control/metrics/view.h"
#include "dataplane/worker/runtime.h"

namespace control {

// Requires: both outlive it.
class Metrics : public prometheus::Collectable {
 public:
  Metrics(dp::Runtime& runtime, const LatestView& view) : runtime_(runtime), view_(view) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  dp::Runtime& runtime_;
  const LatestView& view_;
};

// Serves them on an address such as 127.0.0.1:9464 as long as it lives.
class MetricsServer {
 public:
  virtual ~MetricsServer() = default;

  // Throws std::runtime_error, naming the address, when it cannot be bound.
  static std::unique_ptr<MetricsServer> open(const std::string& address, std::shared_ptr<Metrics> metrics);
};

}  // namespace control
