// Settings and texts, for configuration and control, of the stage `ack-regulator`; the stage itself is
// ack/stages/ack_regulator.h.
#pragma once
#include <chrono>
#include <cstdint>
#include <string_view>

#include "dataplane/base/fields.h"
#include "dataplane/base/time.h"

namespace dp {

struct AckRegulatorSpec {
  static constexpr std::string_view kName = "ack-regulator";
  static constexpr std::string_view kDoc =
      "lets ACKs go as the buffer has places, and loses one packet when the source's window is too large; a "
      "reconstruction";
  static constexpr std::string_view kBypass = "safe: nothing is rewritten; held ACKs are sent first";
  static constexpr std::string_view kAsymmetric = "flows whose data come another way are left alone";

  struct Config {
    Amount buffer{0};
    double pipes = 3;
    std::uint32_t spare = 1;
    Duration horizon = std::chrono::milliseconds{120};
    Duration min_rto = std::chrono::seconds{1};
    friend bool operator==(const Config&, const Config&) = default;

    // clang-format off
    static constexpr FieldTable kFields{
        Field{"buffer", &Config::buffer, Unit::sdus, Amount{0}, Amount{1'000'000},
              "buffer of each flow, B; 0: the downlink's limit less what is in transmission, divided by the "
              "flows that have data outstanding", "001 section 2"},
        Field{"pipes", &Config::pipes, Unit::number, 0.0, 100.0,
              "one packet is lost when the source's window reaches B and so many times the data in the pipe",
              "reconstruction"},
        Field{"spare", &Config::spare, Unit::count, 0u, 1'000u,
              "places beyond those for what an ACK makes room for, lest the source's window has grown",
              "reconstruction"},
        Field{"horizon", &Config::horizon, Unit::duration, Duration{0}, Duration{10'000'000'000},
              "what an ACK has brought about is awaited for so long", "reconstruction"},
        Field{"min_rto", &Config::min_rto, Unit::duration, Duration{1'000'000}, Duration{60'000'000'000},
              "the sources' shortest timeout; a stored ACK leaves after 0.8 of it without another",
              "RFC 6298 2.4"},
    };
    // clang-format on
  };
};

}  // namespace dp
