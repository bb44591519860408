// The settings of the channel of a mobile in an HDR cell (sched/radio/hdr_channel.h), as plain values.
#pragma once
#include <cstdint>
#include <tuple>

#include "dataplane/base/fields.h"

namespace dp {

struct HdrSettings {
  double doppler = 2;
  double snr = 1;
  std::uint64_t seed = 1;
  friend bool operator==(const HdrSettings&, const HdrSettings&) = default;

  // clang-format off
  static constexpr std::tuple kFields{
      Field{"doppler", &HdrSettings::doppler, Unit::number, 0.01, 300.0,
            "Doppler frequency f_d in Hz: how fast the channel fades", "open; fitted to 001 section 5"},
      Field{"snr", &HdrSettings::snr, Unit::number, -30.0, 60.0, "mean SNR in dB",
            "open; fitted to 001 section 5"},
      Field{"seed", &HdrSettings::seed, Unit::count, std::uint64_t{0}, ~std::uint64_t{0} >> 1,
            "of the fading; each bearer draws its own from it", ""},
  };
  // clang-format on
};

}  // namespace dp
