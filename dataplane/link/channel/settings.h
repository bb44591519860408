// The settings of the channel models, as plain values with their field table.
// Tests: tests/contract/channel_contract_test.cc, tests/unit/config/error_trace_test.cc
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dataplane/base/fields.h"

namespace dp {

// The frames lost on a measured channel. Made by control, shared by all that replay it.
struct ErrorTrace {
  std::string path;
  std::vector<bool> lost;  // one a TTI, repeated from the start at the end
  friend bool operator==(const ErrorTrace&, const ErrorTrace&) = default;
};

// All models take the same settings; each uses those of its own. A frame is the payload of one TTI.
struct ChannelSettings {
  double fer = 0.1;                         // share of frames lost
  double doppler = 0.01;                    // f_d * T, T the length of a frame
  std::shared_ptr<const ErrorTrace> trace;  // for `trace` only; null: no frame is lost

  friend bool operator==(const ChannelSettings& a, const ChannelSettings& b) {
    const bool same_trace = a.trace == b.trace || (a.trace && b.trace && *a.trace == *b.trace);
    return a.fer == b.fer && a.doppler == b.doppler && same_trace;
  }
};

// clang-format off
inline constexpr Field kFerField{
    "fer", &ChannelSettings::fer, Unit::ratio, 0.0, 1.0,
    "frame error ratio: the share of frames lost", "000 Table 1"};
inline constexpr Field kDopplerField{
    "doppler", &ChannelSettings::doppler, Unit::number, 0.0001, 1.0,
    "normalized Doppler frequency f_d*T, T the length of a frame: how fast `markov` fades",
    "000 Table 1; Chockalingam and Zorzi, ICC 1999"};
// clang-format on
inline constexpr FieldTable kChannelFields{kFerField, kDopplerField};

// The model of a link: its index in ChannelList (link/channel/registry.h).
enum class ChannelChoice : std::uint8_t {};

}  // namespace dp
