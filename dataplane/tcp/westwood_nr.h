// Westwood-NR: NewReno's recovery, but a loss sets ssthresh to what the path was seen to carry in a shortest
// round trip (Casetti et al., Wireless Networks 8, 2002). The bandwidth is acknowledged bytes, low-passed.
// Tests: tests/unit/tcp/congestion_test.cc
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "dataplane/tcp/reno_growth.h"

namespace dp {

class WestwoodNr {
 public:
  static constexpr std::string_view kName = "westwood-nr";
  static constexpr std::string_view kDoc = "NewReno whose ssthresh after a loss is the bandwidth seen";
  static constexpr Recovery kRecovery = Recovery::newreno;
  struct Config {
    Duration tau{500'000'000};
    static constexpr FieldTable kFields{
        Field{"tau", &Config::tau, Unit::duration, Duration{1'000'000}, Duration{60'000'000'000},
              "time constant of the bandwidth filter", "Westwood+ 2.1"},
    };
    friend bool operator==(const Config&, const Config&) = default;
  };

  explicit WestwoodNr(const Config& config) noexcept
      : tau_(static_cast<double>(config.tau.count())), growth_({}) {}

  void observe(const CongestionWindow& w, const AckSample& ack) noexcept {
    if (ack.rtt && (rtt_min_ == 0 || ack.rtt->count() < rtt_min_)) rtt_min_ = ack.rtt->count();
    pending_ += count(w.mss, ack.acked);
    if (!started_) {
      started_ = true;
      last_ = ack.now;
      return;
    }
    const auto gap = static_cast<double>((ack.now - last_).count());
    if (gap <= 0) return;
    // A first-order low-pass of a rate that was constant over the gap; stable for any gap.
    const double keep = std::exp(-gap / tau_);
    bandwidth_ = keep * bandwidth_ + (1 - keep) * pending_ / gap;
    pending_ = 0;
    last_ = ack.now;
  }

  void on_ack(CongestionWindow& w, const AckSample& ack) noexcept { growth_.on_ack(w, ack); }

  double after_loss(const CongestionWindow& w, double) noexcept {
    return std::max(bandwidth_ * static_cast<double>(rtt_min_), 2.0 * w.mss);
  }
  double after_timeout(const CongestionWindow& w, double flight) noexcept { return after_loss(w, flight); }

  // Bytes a second.
  double bandwidth() const noexcept { return bandwidth_ * 1e9; }

 private:
  // A duplicate stands for one segment that has left the network; the ACK that follows does not count those
  // again.
  double count(std::uint32_t mss, Offset acked) noexcept {
    const auto bytes = static_cast<double>(acked);
    if (acked == 0) {
      accounted_ += mss;
      return mss;
    }
    const double known = std::min(accounted_, bytes - std::min<double>(mss, bytes));
    accounted_ -= known;
    return bytes - known;
  }

  double tau_;
  RenoGrowth growth_;
  double bandwidth_ = 0;  // bytes a nanosecond
  double pending_ = 0;    // acknowledged since `last_`
  double accounted_ = 0;  // counted by duplicates already
  std::int64_t rtt_min_ = 0;
  Time last_{};
  bool started_ = false;
};

}  // namespace dp
