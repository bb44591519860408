// The settings of the radio models, which determine the rates of a cell's slots for one bearer, as plain
// values with their field table.
// Tests: tests/unit/sched/radio/radio_test.cc, tests/contract/radio_contract_test.cc
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dataplane/base/fields.h"
#include "dataplane/base/time.h"

namespace dp {

// Times at which a recorded link let 1500 bytes leave: mahimahi's format. Created by control, shared by all
// bearers that replay it. Requires: `at` ascends, and its last element is not 0.
struct RadioTrace {
  static constexpr std::uint64_t kBits = 1500 * 8, kNsPerMs = 1'000'000;
  std::string path;
  std::vector<std::uint32_t> at;  // ms from the start; the last is the length after which it repeats

  // Number of packets that may have left by `t`.
  std::uint64_t until(Time t) const noexcept {
    const std::uint64_t ms = static_cast<std::uint64_t>(std::max<std::int64_t>(ns(t), 0)) / kNsPerMs;
    const auto upto = std::upper_bound(at.begin(), at.end(), ms % at.back());
    return ms / at.back() * at.size() + static_cast<std::uint64_t>(upto - at.begin());
  }
  // Time at which packet `n`, counted from 0, may leave.
  Time time_of(std::uint64_t n) const noexcept {
    const std::uint64_t ms = n / at.size() * at.back() + at[n % at.size()];
    return time_ns(static_cast<std::int64_t>(ms * kNsPerMs));
  }
  // The largest number of packets in one millisecond.
  std::uint64_t most() const noexcept {
    std::uint64_t most = 0;
    for (std::size_t i = 0, first = 0; i < at.size(); ++i) {
      if (at[i] != at[first]) first = i;
      most = std::max<std::uint64_t>(most, i - first + 1);
    }
    return most;
  }
  friend bool operator==(const RadioTrace&, const RadioTrace&) = default;
};

// All models take these settings; each uses some of them.
struct RadioSettings {
  double doppler = 2;                         // Hz
  double snr = 1;                             // dB
  std::uint64_t seed = 1;                     // seed of the fading
  std::uint64_t rate = 1'000'000;             // bit/s
  std::uint64_t initial = 300'000;            // bit/s
  Duration valid{500'000'000};                // lifetime of a report
  std::shared_ptr<const RadioTrace> trace{};  // for `trace` only; null: nothing is carried

  friend bool operator==(const RadioSettings& a, const RadioSettings& b) {
    const bool same_trace = a.trace == b.trace || (a.trace && b.trace && *a.trace == *b.trace);
    return a.doppler == b.doppler && a.snr == b.snr && a.seed == b.seed && a.rate == b.rate &&
           a.initial == b.initial && a.valid == b.valid && same_trace;
  }
};

// clang-format off
inline constexpr FieldTable kHdrFields{
    Field{"doppler", &RadioSettings::doppler, Unit::number, 0.01, 300.0,
          "of `hdr`: Doppler frequency f_d in Hz: how fast the channel fades", "open; fitted to 001 section 5"},
    Field{"snr", &RadioSettings::snr, Unit::number, -30.0, 60.0, "of `hdr`: mean SNR in dB",
          "open; fitted to 001 section 5"},
    Field{"seed", &RadioSettings::seed, Unit::count, std::uint64_t{0}, ~std::uint64_t{0} >> 1,
          "of the fading of `hdr`; each bearer draws its own from it", ""},
};
inline constexpr FieldTable kConstantFields{
    Field{"rate", &RadioSettings::rate, Unit::rate, std::uint64_t{0}, std::uint64_t{100'000'000'000},
          "of `constant`: what a slot carries, as a rate; 0: nothing", ""},
};
inline constexpr FieldTable kReportedFields{
    Field{"initial", &RadioSettings::initial, Unit::rate, std::uint64_t{0}, std::uint64_t{100'000'000'000},
          "of `reported`: what a slot carries until a rate was reported, and when the last report is too old", ""},
    Field{"valid", &RadioSettings::valid, Unit::duration, Duration{1'000'000}, Duration{60'000'000'000},
          "of `reported`: for so long a report counts", ""},
};
// clang-format on
inline constexpr auto kRadioFields = joined(kHdrFields, kConstantFields, kReportedFields);

// A bearer's model: its index in RadioList (sched/radio/registry.h).
enum class RadioChoice : std::uint8_t {};

}  // namespace dp
