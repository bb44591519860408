// The channel of a mobile in an HDR (CDMA2000 1xEV-DO) cell: Rayleigh fading about a mean SNR, and the
// highest rate that this SNR carries. Part of its cell.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>

#include "dataplane/base/rng.h"
#include "dataplane/sched/radio/rayleigh.h"
#include "dataplane/sched/radio/settings.h"

namespace dp {

// Slots of 5/3 ms.
inline constexpr std::uint32_t kHdrSlots = 600;

struct HdrRate {
  double snr_db;       // lowest SNR for this rate
  std::uint64_t rate;  // bit/s
};

// Bender et al., "CDMA/HDR: a bandwidth-efficient high-speed wireless data service", IEEE Communications
// Magazine 38(7), 2000: SNR for 1 % packet errors.
inline constexpr std::array kHdrRates{
    HdrRate{-12.5, 38'400},  HdrRate{-9.5, 76'800},   HdrRate{-8.5, 102'600},  HdrRate{-6.5, 153'600},
    HdrRate{-5.7, 204'800},  HdrRate{-4.0, 307'200},  HdrRate{-1.0, 614'400},  HdrRate{1.3, 921'600},
    HdrRate{3.0, 1'228'800}, HdrRate{7.2, 1'843'200}, HdrRate{9.5, 2'457'600},
};

class HdrChannel {
 public:
  // `number` distinguishes the mobiles of one cell.
  HdrChannel(const RadioSettings& settings, std::uint64_t number) noexcept
      : doppler_(settings.doppler), fading_(doppler_ / kHdrSlots, Rng(settings.seed).fork(number)) {
    for (std::size_t i = 0; i < kHdrRates.size(); ++i) {
      least_[i] = std::pow(10, (kHdrRates[i].snr_db - settings.snr) / 10);
    }
  }

  // Bit/s in that slot at `per_second` slots a second; 0 if even the lowest rate would not get through.
  // Fading depends on the start time of the slot, also across changes of `per_second`.
  std::uint64_t rate(std::uint64_t slot, std::uint32_t per_second = kHdrSlots) noexcept {
    if (per_second != per_second_) {
      per_second_ = per_second;
      fading_.set_step(doppler_ / per_second);
    }
    return rate_of(fading_.power(slot));
  }

  // Rate at a fading power with mean 1.
  std::uint64_t rate_of(double power) const noexcept {
    std::size_t i = kHdrRates.size();
    while (i > 0 && power < least_[i - 1]) --i;
    return i == 0 ? 0 : kHdrRates[i - 1].rate;
  }

 private:
  double doppler_;  // Hz
  Rayleigh fading_;
  std::uint32_t per_second_ = kHdrSlots;
  std::array<double, kHdrRates.size()> least_;  // least power for each rate
};

}  // namespace dp
