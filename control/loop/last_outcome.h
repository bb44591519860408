// The outcome of the last operation of its kind, for the metrics: plain values.
// Tests: tests/unit/control/metrics/metrics_test.cc
#pragma once
#include <chrono>
#include <optional>

namespace control {

struct LastOutcome {
  using Moment = std::chrono::system_clock::time_point;
  bool good = true;
  std::optional<Moment> succeeded{};  // time of the last success
  void note(bool well) {
    good = well;
    if (well) succeeded = std::chrono::system_clock::now();
  }
};

}  // namespace control
