// The settings of the split proxy, as plain values with their field table (paper 003, split/proxy.h).
// Tests: tests/unit/config/proxy_test.cc
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dataplane/base/fields.h"
#include "dataplane/base/time.h"

namespace dp {

// The congestion controls that the proxy's sender may use; names as in tcp/registry.h.
enum class SplitCongestion : std::uint8_t { newreno, cubic };
inline constexpr std::array<std::string_view, 2> kSplitCongestionNames{"newreno", "cubic"};

// The server ports whose connections are split; none: all.
struct SplitPorts {
  static constexpr std::size_t kMost = 16;
  std::array<std::uint16_t, kMost> port{};
  std::uint8_t count = 0;
  bool takes(std::uint16_t server_port) const noexcept {
    return count == 0 || std::find(port.begin(), port.begin() + count, server_port) != port.begin() + count;
  }
  friend bool operator==(const SplitPorts&, const SplitPorts&) = default;
};

struct SplitConfig {
  std::uint16_t initial_window = 10;
  std::uint32_t window = 65'536;
  Duration initial_rto{3'000'000'000};
  Duration min_rto{1'000'000'000};
  SplitCongestion congestion = SplitCongestion::newreno;
  std::uint16_t ack_every = 2;
  Duration ack_delay{40'000'000};
  std::uint16_t retries = 15;
  std::uint32_t max_flows = 64;
  std::uint32_t store = 524'288;
  Duration idle{300'000'000'000};
  Duration give_way{10'000'000'000};
  SplitPorts ports{};

  // Connections that a bearer splits at a time: each may fill its window.
  std::uint32_t flows() const noexcept { return std::max(1u, std::min(max_flows, store / window)); }
  friend bool operator==(const SplitConfig&, const SplitConfig&) = default;

  // clang-format off
  static constexpr FieldTable kFields{
      Field{"initial_window", &SplitConfig::initial_window, Unit::count, std::uint16_t{1}, std::uint16_t{1000},
            "segments that the proxy sends to the UE before the UE has acknowledged any", "003, RFC 6928"},
      Field{"window", &SplitConfig::window, Unit::bytes, 4096u, 1u << 24,
            "octets of one connection that the server may have sent and the UE has not acknowledged: they wait here, "
            "and are lost with the box. Never more than the UE's own window", "003"},
      Field{"initial_rto", &SplitConfig::initial_rto, Unit::duration, Duration{10'000'000},
            Duration{60'000'000'000},
            "retransmission timeout towards the UE if the handshake's round trip could not be measured, since the "
            "server repeated its SYN or SYN-ACK",
            "RFC 6298 2.1, 5.7"},
      Field{"min_rto", &SplitConfig::min_rto, Unit::duration, Duration{10'000'000}, Duration{60'000'000'000},
            "floor of the retransmission timeout towards the UE", "RFC 6298 2.4"},
      Field{"congestion", &SplitConfig::congestion, kSplitCongestionNames,
            "congestion control towards the UE", "RFC 6582, RFC 9438"},
      Field{"ack_every", &SplitConfig::ack_every, Unit::count, std::uint16_t{1}, std::uint16_t{1000},
            "segments in order that an ACK to the server is for", "RFC 5681 4.2"},
      Field{"ack_delay", &SplitConfig::ack_delay, Unit::duration, Duration{0}, Duration{500'000'000},
            "longest wait for the next of them", "RFC 5681 4.2"},
      Field{"retries", &SplitConfig::retries, Unit::count, std::uint16_t{1}, std::uint16_t{1000},
            "timeouts in a row, or probes of a closed window without an answer, before a connection is reset at both "
            "ends",
            "RFC 9293 3.8.3, 3.8.6.1"},
      Field{"max_flows", &SplitConfig::max_flows, Unit::count, 1u, 4096u,
            "connections that are split at a time; further ones pass unsplit", ""},
      Field{"store", &SplitConfig::store, Unit::bytes, 4096u, 1u << 30,
            "octets that the connections of a bearer may have here together: as many are split at a time as may each "
            "fill its window", ""},
      Field{"idle", &SplitConfig::idle, Unit::duration, Duration{1'000'000'000}, Duration{86'400'000'000'000},
            "a connection is split no more after this time without a segment; with octets at risk that the bearer's "
            "buffer has no room for, it is reset at both ends after this time without an ACK of the UE's",
            ""},
      Field{"give_way", &SplitConfig::give_way, Unit::duration, Duration{100'000'000},
            Duration{3'600'000'000'000},
            "a connection of a bearer beyond its share of dataplane.proxy_store is reset for another bearer's if the "
            "UE has acknowledged less than a segment in this time",
            ""},
  };
  // clang-format on
};

// A proxy of the one can go on under the other, in place: as many connections of the same window.
inline bool same_proxy(const SplitConfig& a, const SplitConfig& b) noexcept {
  return a.flows() == b.flows() && a.window == b.window;
}

}  // namespace dp
