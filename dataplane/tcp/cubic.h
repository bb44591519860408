// CUBIC (RFC 9438): the window is a cubic of the time since the last loss, flat around the window at which it
// came, and never below what Reno would have. Equations in segments and seconds, as in the RFC.
// Tests: tests/unit/tcp/congestion_test.cc
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "dataplane/base/fields.h"
#include "dataplane/tcp/control.h"

namespace dp {

class Cubic {
 public:
  static constexpr std::string_view kName = "cubic";
  static constexpr std::string_view kDoc = "window by a cubic of the time since the last loss, with SACK";
  static constexpr Recovery kRecovery = Recovery::sack;
  struct Config {
    double c = 0.4;
    double beta = 0.7;
    bool fast_convergence = true;
    static constexpr FieldTable kFields{
        Field{"c", &Config::c, Unit::number, 0.001, 10.0, "how steep the cubic is", "RFC 9438 5"},
        Field{"beta", &Config::beta, Unit::ratio, 0.1, 0.95, "part of the window kept after a loss",
              "RFC 9438 4.6"},
        Field{"fast_convergence", &Config::fast_convergence,
              "give room to new flows when the window shrinks twice", "RFC 9438 4.7"},
    };
    friend bool operator==(const Config&, const Config&) = default;
  };

  explicit Cubic(const Config& config) noexcept : config_(config) {}

  void observe(const CongestionWindow&, const AckSample&) noexcept {}

  void on_ack(CongestionWindow& w, const AckSample& ack) noexcept {
    const double mss = w.mss;
    if (w.slow_start()) {
      w.cwnd += std::min(static_cast<double>(ack.acked), mss);
      return;
    }
    const double cwnd = w.cwnd / mss;
    if (!running_) begin(cwnd, ack.now);
    const double t = seconds(ack.now - epoch_);
    // RFC 9438 section 4.3: Reno's average window.
    const double alpha = w_est_ >= prior_ ? 1 : 3 * (1 - config_.beta) / (1 + config_.beta);
    w_est_ += alpha * (static_cast<double>(ack.acked) / mss) / cwnd;
    if (at(t) < w_est_) {
      w.cwnd = std::max(cwnd, w_est_) * mss;
      return;
    }
    // Sections 4.2, 4.4 and 4.5.
    const double target = std::clamp(at(t + seconds(ack.srtt)), cwnd, 1.5 * cwnd);
    w.cwnd += (target - cwnd) / cwnd * mss;
  }

  // RFC 9438 sections 4.6 and 4.7.
  double after_loss(const CongestionWindow& w, double flight) noexcept {
    prior_ = w.cwnd / w.mss;
    w_max_ = config_.fast_convergence && prior_ < w_max_ ? prior_ * (1 + config_.beta) / 2 : prior_;
    running_ = false;
    plateau_ = true;
    return std::max(flight * config_.beta, 2.0 * w.mss);
  }

  // Section 4.8: the cubic that follows begins at its flat place.
  double after_timeout(const CongestionWindow& w, double flight) noexcept {
    const double ssthresh = after_loss(w, flight);
    plateau_ = false;
    return ssthresh;
  }

  // W_cubic(t).
  double at(double t) const noexcept { return config_.c * std::pow(t - k_, 3) + w_max_; }
  double k() const noexcept { return k_; }
  double w_max() const noexcept { return w_max_; }

 private:
  static double seconds(Duration d) noexcept { return static_cast<double>(d.count()) * 1e-9; }

  void begin(double cwnd, Time now) noexcept {
    running_ = true;
    epoch_ = now;
    w_est_ = cwnd;
    if (!plateau_ || w_max_ <= cwnd) w_max_ = cwnd;
    k_ = std::cbrt((w_max_ - cwnd) / config_.c);
    if (prior_ == 0) prior_ = cwnd;
  }

  Config config_;
  double w_max_ = 0, k_ = 0, w_est_ = 0;
  double prior_ = 0;  // cwnd_prior
  Time epoch_{};
  bool running_ = false;
  bool plateau_ = false;  // a loss has set w_max_
};

}  // namespace dp
