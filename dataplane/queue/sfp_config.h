// The `sfp` queue, short flows first, for configuration and control; the queue itself is queue/sfp.h.
// Tests: tests/unit/queue/sfp_test.cc
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "dataplane/base/fields.h"
#include "dataplane/base/time.h"

namespace dp {

struct SfpSpec {
  static constexpr std::string_view kName = "sfp";
  static constexpr std::string_view kDoc =
      "two FIFOs: SDUs of flows that have sent little go before those of the others, and displace them when "
      "the buffer is full";
  enum class DropFrom : std::uint8_t { tail, front };
  static constexpr std::array<std::string_view, 2> kDropFromNames{"tail", "front"};
  enum class Count : std::uint8_t { departure, arrival };
  static constexpr std::array<std::string_view, 2> kCounts{"departure", "arrival"};

  struct Config {
    std::uint32_t short_bytes = 15'000;
    Duration reset = std::chrono::seconds(1);
    std::uint32_t flows = 64;
    DropFrom victim = DropFrom::tail;
    Count count = Count::departure;
    friend bool operator==(const Config&, const Config&) = default;

    // clang-format off
    static constexpr FieldTable kFields{
        Field{"short", &Config::short_bytes, Unit::bytes, 0u, 1'000'000'000u,
              "IP bytes up to which a flow is short", "001 section 6.3"},
        Field{"reset", &Config::reset, Unit::duration, Duration(std::chrono::milliseconds(1)), Duration(std::chrono::hours(1)),
              "without a packet for longer than this, and none of its long ones waiting, a flow is short again",
              "001 section 6.1"},
        Field{"flows", &Config::flows, Unit::count, 1u, 4'096u,
              "flows that are followed, those beyond are long; 34 bytes of memory each, for each bearer", ""},
        Field{"victim", &Config::victim, kDropFromNames,
              "which of the waiting long SDUs an arriving short one displaces: the last or the first",
              "open in 001 section 6.1"},
        Field{"count", &Config::count, kCounts,
              "when the bytes of an SDU count for its flow: as it is sent, or as it comes", "001 section 6.1"},
    };
    // clang-format on
  };
};

}  // namespace dp
