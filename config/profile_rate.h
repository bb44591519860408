// Interpolation of a profile's values, given at a few rates, for any rate.
// Tests: tests/unit/config/profiles_test.cc
#pragma once
#include <cstdint>
#include <string_view>

#include "dataplane/bearer/settings.h"

namespace config {

inline constexpr std::string_view kProfileRule =
    "Between two rates of a profile numbers are linear in the logarithm of the rate: the papers' rates are "
    "a factor apart, not a step. Amounts are rounded up. Below its lowest rate durations grow as 1/rate, "
    "since so does the time in which a queue drains; above its highest they are kept, since no source "
    "reacts sooner than its round trip. Other values are kept at either end; names and yes or no are those "
    "of the next lower rate. minth is never below 2 x BDP, BDP = rtt x rate (002 section 5); where that "
    "raises it, maxth is raised in proportion, and the buffer should hold as much.";

// The profile's keys at `rate`, with defaults for the others. Requires: the profile has a point; the rate is
// not 0.
dp::AqmConfig at_rate(const dp::AqmProfile& profile, std::uint64_t rate);

// Updates the AQM of a leg that follows a profile to the leg's rate, except for keys given beside the
// profile. Other legs are unchanged.
void follow_profile(dp::LegSettings& leg);

// f(row, bit) for each row of a policy's field table; `bit` is the row's bit in AqmProfile::keys.
template <class Settings, class F>
void for_each_key(F&& f) {
  std::uint32_t bit = 1;
  dp::for_each_field<Settings>([&](const auto& field) {
    f(field, bit);
    bit <<= 1;
  });
}

}  // namespace config
