// The retransmission timeout of RFC 6298: a smoothed round trip and its variation, a floor, a ceiling, the
// granularity of the clock, and exponential back-off, kept until a new sample comes (Karn). A value inside
// its engine.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/base/fields.h"
#include "dataplane/base/time.h"

namespace dp {

struct RtoSettings {
  Duration initial{1'000'000'000};
  Duration floor{1'000'000'000};
  Duration ceiling{60'000'000'000};
  Duration granularity{1'000'000};
  bool handshake = true;
  bool weigh = true;
  static constexpr FieldTable kFields{
      Field{"initial_rto", &RtoSettings::initial, Unit::duration, Duration{1'000'000},
            Duration{60'000'000'000}, "timeout before the first round trip is known", "RFC 6298 2.1"},
      Field{"min_rto", &RtoSettings::floor, Unit::duration, Duration{0}, Duration{60'000'000'000},
            "floor of the timeout", "RFC 6298 2.4"},
      Field{"max_rto", &RtoSettings::ceiling, Unit::duration, Duration{1'000'000}, Duration{600'000'000'000},
            "ceiling of the timeout, back-off included", "RFC 6298 2.5"},
      Field{"rto_granularity", &RtoSettings::granularity, Unit::duration, Duration{1},
            Duration{1'000'000'000}, "tick of the clock that times round trips", "RFC 6298 2"},
      Field{"time_handshake", &RtoSettings::handshake, Unit::count, false, true,
            "the handshake is the first round trip that is timed; no: data is, as in simulators whose TCP "
            "opens "
            "without one",
            "RFC 6298 2.2"},
      Field{"weigh_round_trips", &RtoSettings::weigh, Unit::count, false, true,
            "timestamps' samples of one round trip weigh as one; no: each in full, as before 2014",
            "RFC 7323 G"},
  };
  friend bool operator==(const RtoSettings&, const RtoSettings&) = default;
};

class RtoEstimator {
 public:
  // Requires: the granularity is above 0 and at most four seconds.
  explicit RtoEstimator(const RtoSettings& settings) noexcept
      : initial_(settings.initial),
        floor_(settings.floor),
        ceiling_(settings.ceiling),
        base_(settings.initial),
        granularity_(static_cast<std::uint32_t>(settings.granularity.count())),
        handshake_(settings.handshake),
        weigh_(settings.weigh) {
    DP_EXPECT(Duration{granularity_} == settings.granularity && granularity_ > 0);
  }

  // RFC 6298 sections 2.2 and 2.3. Of several samples a round trip each counts for a part (RFC 7323
  // appendix G). Requires: a time that is not negative, one sample at least.
  void sample(Duration rtt, std::uint32_t samples_per_rtt = 1) noexcept {
    DP_EXPECT(rtt >= Duration{} && samples_per_rtt > 0);
    const Duration tick{granularity_};
    const auto r = static_cast<double>((rtt + tick - Duration{1}) / tick * tick.count());
    if (!known_) {
      srtt_ = r;
      rttvar_ = r / 2;
      known_ = true;
    } else {
      const double n = weigh_ ? samples_per_rtt : 1;
      rttvar_ += (std::abs(srtt_ - r) - rttvar_) / (4 * n);
      srtt_ += (r - srtt_) / (8 * n);
    }
    const double spread = std::max(static_cast<double>(tick.count()), 4 * rttvar_);
    base_ = Duration{static_cast<std::int64_t>(srtt_ + spread)};
    shift_ = 0;
  }

  void sample_handshake(Duration rtt) noexcept {
    if (handshake_) sample(rtt);
  }

  // RFC 6298 section 5.5.
  void back_off() noexcept {
    if (rto() < ceiling_) ++shift_;
  }

  Duration rto() const noexcept { return after(shift_); }

  // The timeout of a probe timer, which backs off by its own count (RFC 9293 section 3.8.6.1).
  Duration after(unsigned doublings) const noexcept {
    const Duration base = std::max(base_, floor_);
    const std::int64_t largest_base = ceiling_.count() >> std::min(doublings, 62u);
    return base.count() > largest_base ? ceiling_ : Duration{base.count() << doublings};
  }

  // RFC 6298 section 5.7: a SYN's timer ran out, so the first data gets three seconds.
  void distrust_handshake() noexcept {
    base_ = std::max(initial_, Duration{3'000'000'000});
    shift_ = 0;
  }

  bool known() const noexcept { return known_; }
  Duration srtt() const noexcept { return Duration{static_cast<std::int64_t>(srtt_)}; }
  Duration rttvar() const noexcept { return Duration{static_cast<std::int64_t>(rttvar_)}; }

 private:
  Duration initial_, floor_, ceiling_;  // of the settings
  Duration base_;
  double srtt_ = 0, rttvar_ = 0;  // nanoseconds
  std::uint32_t granularity_;
  std::uint8_t shift_ = 0;  // no more than doublings that fit into the ceiling, and one
  bool handshake_, weigh_;
  bool known_ = false;
};

}  // namespace dp
