// What is set of the wire's fail-safe (dataplane/xdp/wire.h), and what it tells: plain values.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dataplane/base/time.h"

namespace dp {

// What becomes of frames that no worker takes: they go to the other interface, or nowhere.
enum class OnFailure : std::uint8_t { open, closed };
inline constexpr std::array<std::string_view, 2> kOnFailureNames{"open", "closed"};
constexpr std::string_view name(OnFailure f) { return kOnFailureNames[static_cast<std::size_t>(f)]; }

struct WireConfig {
  OnFailure on_failure = OnFailure::open;
  Duration stale_after{25'000'000};  // a heartbeat older than this is a worker's that hangs
  friend bool operator==(const WireConfig&, const WireConfig&) = default;
};

// The way of the frames that come in on a side, by the words that operators know: to the workers, to the
// other interface, nowhere.
enum class WireWay : std::uint8_t { normal, bypass, disconnect };
inline constexpr std::array<std::string_view, 3> kWireWayNames{"normal", "bypass", "disconnect"};
constexpr std::string_view name(WireWay w) { return kWireWayNames[static_cast<std::size_t>(w)]; }

struct WireReport {
  struct Count {
    std::uint64_t frames = 0, bytes = 0;
  };
  struct Port {
    unsigned interface = 0;  // its index; 0: none
    WireWay way = WireWay::bypass;
    std::array<Count, kWireWayNames.size()> counts{};  // of the frames that went each way
    std::uint64_t failovers = 0;                       // from the workers to the bypass
    std::optional<Duration> changed{};                 // ago, that frames began to go another way than before
    std::optional<Duration> heartbeat{};  // ago, that the worker of the first queue told it makes progress
  };
  std::uint32_t program = 0;  // the XDP program's id
  WireConfig config{};
  std::array<Port, 2> ports{};  // by Side
};

}  // namespace dp
