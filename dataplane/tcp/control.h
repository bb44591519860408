// The interface of a congestion control to its sender: how the window grows on ACKs and where a loss
// takes it. How losses are found and repaired is apart from it (recovery.h); a member only names the way it
// belongs to. It lives inside its sender.
// Tests: tests/unit/tcp/congestion_test.cc
#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dataplane/base/time.h"
#include "dataplane/packet/seq.h"

namespace dp {

// Bytes; fractions of one accumulate.
struct CongestionWindow {
  double cwnd, ssthresh;
  std::uint32_t mss;

  bool slow_start() const noexcept { return cwnd < ssthresh; }
};

// An ACK, as the congestion control sees it.
struct AckSample {
  Time now;
  Offset acked;  // bytes newly acknowledged; 0 for a duplicate
  std::optional<Duration> rtt;
  Duration srtt;
};

// The ways to repair a loss: RFC 2001's Tahoe and Reno, RFC 6582, RFC 6675. A sender whose peer sends no SACK
// takes `newreno` for `sack`.
enum class Recovery : std::uint8_t { tahoe, reno, newreno, sack };

// observe() sees every ACK; on_ack() those with new data outside of loss recovery, and opens the window;
// after_loss() and after_timeout() give the new ssthresh, from the bytes in flight.
// clang-format off
template <class C>
concept CongestionControl =
    std::constructible_from<C, const typename C::Config&> &&
    requires(C& control, CongestionWindow& window, const AckSample& ack, double flight, Time now) {
      { C::kName } -> std::convertible_to<std::string_view>;
      { C::kDoc } -> std::convertible_to<std::string_view>;
      { C::kRecovery } -> std::convertible_to<Recovery>;
      C::Config::kFields;
      { control.observe(window, ack) } noexcept;
      { control.on_ack(window, ack) } noexcept;
      { control.after_loss(window, flight) } noexcept -> std::same_as<double>;
      { control.after_timeout(window, flight) } noexcept -> std::same_as<double>;
    };
// clang-format on

// RFC 5681 equation 4.
inline double half_of(double flight, std::uint32_t mss) noexcept { return std::max(flight / 2, 2.0 * mss); }

}  // namespace dp
