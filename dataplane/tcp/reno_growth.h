// The window growth that Tahoe, Reno, NewReno, SACK and Westwood share: RFC 5681 section 3.1, a step per ACK
// whatever it acknowledges, or RFC 3465's bytes counted.
// Tests: tests/unit/tcp/congestion_test.cc
#pragma once
#include <algorithm>
#include <cstdint>

#include "dataplane/base/fields.h"
#include "dataplane/tcp/control.h"

namespace dp {

class RenoGrowth {
 public:
  struct Config {
    std::uint8_t abc_limit = 0;
    static constexpr FieldTable kFields{
        Field{"abc_limit", &Config::abc_limit, Unit::count, std::uint8_t{0}, std::uint8_t{8},
              "0: one step an ACK; else acknowledged bytes count, at most so many segments an ACK",
              "RFC 5681 3.1, RFC 3465 2"},
    };
    friend bool operator==(const Config&, const Config&) = default;
  };

  explicit RenoGrowth(const Config& config) noexcept : limit_(config.abc_limit) {}

  void observe(const CongestionWindow&, const AckSample&) noexcept {}

  void on_ack(CongestionWindow& w, const AckSample& ack) noexcept {
    const auto acked = static_cast<double>(ack.acked);
    const double mss = w.mss;
    if (w.slow_start()) {
      w.cwnd += std::min(acked, mss * std::max<double>(limit_, 1));
      return;
    }
    if (limit_ == 0) {
      w.cwnd += mss * mss / w.cwnd;
      return;
    }
    counted_ += acked;
    if (counted_ < w.cwnd) return;
    counted_ -= w.cwnd;
    w.cwnd += mss;
  }

  double after_loss(const CongestionWindow& w, double flight) noexcept {
    counted_ = 0;
    return half_of(flight, w.mss);
  }
  double after_timeout(const CongestionWindow& w, double flight) noexcept { return after_loss(w, flight); }

 private:
  std::uint8_t limit_;
  double counted_ = 0;  // RFC 3465's bytes_acked
};

}  // namespace dp
