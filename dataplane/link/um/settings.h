// The settings of the `um` link: a channel with RLC unacknowledged mode, which loses SDUs and repairs none.
// Plain data, copied with a class's settings.
#pragma once
#include <cstdint>
#include <string_view>

#include "dataplane/base/fields.h"
#include "dataplane/base/time.h"

namespace dp {

struct UmLinkConfig {
  double loss = 0.01;
  double burst = 1;
  Duration delay = std::chrono::milliseconds{24};
  std::uint64_t seed = 1;

  friend bool operator==(const UmLinkConfig&, const UmLinkConfig&) = default;

  // clang-format off
  static constexpr FieldTable kFields{
      Field{"loss", &UmLinkConfig::loss, Unit::ratio, 0.0, 1.0,
            "share of the SDUs that the radio loses, after their last bit was sent",
            "004 section 4; TS 25.322 section 4.2.1.2"},
      Field{"burst", &UmLinkConfig::burst, Unit::number, 1.0, 10'000.0,
            "mean number of SDUs lost one after the other; never fewer than independent losses make, "
            "1 / (1 - loss), which is what 1 stands for", "Gilbert 1960"},
      Field{"delay", &UmLinkConfig::delay, Unit::duration, Duration{0}, Duration{std::chrono::seconds{1}},
            "from when the last bit of an SDU was sent to its delivery", "004 section 4"},
      Field{"seed", &UmLinkConfig::seed, Unit::count, std::uint64_t{0}, ~std::uint64_t{0} >> 1,
            "of the losses: the same seed loses the same SDUs, counted from when the bearer was made; each "
            "direction draws its own from it, and so does each bearer", ""},
  };
  // clang-format on
};

// The `um` link for configuration and control; the link itself is link/um/um.h.
struct UmSpec {
  static constexpr std::string_view kName = "um";
  static constexpr std::string_view kDoc =
      "a dedicated channel with RLC unacknowledged mode: serves at the bearer's rate, loses SDUs, repairs "
      "none, and delivers the others later";
  static constexpr bool kBuffers = true;
  using Config = UmLinkConfig;
};

}  // namespace dp
