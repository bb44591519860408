// Settings and reports of the wire's fail-safe (dataplane/xdp/wire.h): plain values.
// Tests: tests/unit/control/plane/shortcut_test.cc
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "dataplane/base/address.h"
#include "dataplane/base/result.h"
#include "dataplane/base/time.h"

namespace dp {

// The treatment of frames that no worker takes: they go to the other interface, or are dropped.
enum class OnFailure : std::uint8_t { open, closed };
inline constexpr std::array<std::string_view, 2> kOnFailureNames{"open", "closed"};
constexpr std::string_view name(OnFailure f) { return kOnFailureNames[static_cast<std::size_t>(f)]; }

// The frames concerned if one of several workers is dead or hangs: those of its UEs, or all.
enum class FailureScope : std::uint8_t { worker, wire };
inline constexpr std::array<std::string_view, 2> kFailureScopeNames{"worker", "wire"};
constexpr std::string_view name(FailureScope s) { return kFailureScopeNames[static_cast<std::size_t>(s)]; }

// The frames that go to the other interface within the kernel although the workers live, since they would
// only pass them: none; frames that are no IP packet; these, and IP packets of UEs that can have no bearer.
enum class Shortcut : std::uint8_t { none, unparsed, strangers };
inline constexpr std::array<std::string_view, 3> kShortcutNames{"none", "unparsed", "strangers"};
constexpr std::string_view name(Shortcut s) { return kShortcutNames[static_cast<std::size_t>(s)]; }

struct WireConfig {
  OnFailure on_failure = OnFailure::open;
  FailureScope failure_scope = FailureScope::worker;
  Duration stale_after{25'000'000};  // an older heartbeat belongs to a worker that hangs
  Shortcut shortcut = Shortcut::none;
  friend bool operator==(const WireConfig&, const WireConfig&) = default;
};

// The way of the frames that come in on a side, by the words that operators know: to the workers, to the
// other interface, nowhere.
enum class WireWay : std::uint8_t { normal, bypass, disconnect };
inline constexpr std::array<std::string_view, 3> kWireWayNames{"normal", "bypass", "disconnect"};
constexpr std::string_view name(WireWay w) { return kWireWayNames[static_cast<std::size_t>(w)]; }

// The fates of frames, in the order of the XDP program's counters: the ways, and the short-cut.
inline constexpr std::array<std::string_view, 4> kWireFateNames{"normal", "bypass", "disconnect", "shortcut"};

// The short-cut of a wire with two interfaces, and the set of UEs whose frames do not take it. No call waits.
// Belongs to the wire.
class WireShortcut {
 public:
  virtual ~WireShortcut() = default;
  // Applies from here on. Requires for `strangers`: the set has all UEs whose frames workers must see.
  virtual Status take(Shortcut which) = 0;
  // add() keeps members that are in the set already, remove() accepts ranges that are not in it.
  virtual Status add(const Prefix& ues) = 0;
  virtual Status remove(const Prefix& ues) = 0;
  // Removes up to `most` members, regardless of their origin. False: the set is empty.
  virtual Result<bool> clear(std::size_t most) = 0;
};

// A worker's sign of progress; shared with the XDP program (xdp/wire_layout.h), and kept for the next rncd.
struct WireHeartbeat {
  std::uint64_t beat = 0;     // CLOCK_MONOTONIC in nanoseconds
  std::uint64_t at_risk = 0;  // octets acknowledged to servers that UEs do not have
  std::array<std::uint64_t, 6> reserved{};
};

struct WireReport {
  struct Count {
    std::uint64_t frames = 0, bytes = 0;
  };
  struct Port {
    unsigned interface = 0;         // its index; 0: none
    std::uint32_t program = 0;      // the id of the XDP program on it; 0: none
    WireWay way = WireWay::bypass;  // of its frames; if workers differ, of those of some workers at least
    std::array<Count, kWireFateNames.size()> counts{};  // frames by their fate
    std::uint64_t failovers = 0;                        // from a worker to the bypass, of all workers
    std::uint64_t restored_tags = 0;                    // VLAN tags put back into frames
    std::optional<Duration> changed{};  // ago: frames of a worker began to go another way than before
  };
  WireWay ordered = WireWay::normal;    // by an operator, regardless of the workers
  std::optional<Duration> heartbeat{};  // the oldest of the workers', ago
  std::uint64_t at_risk = 0;            // octets, of the workers that are dead or hang now
  std::uint64_t at_risk_before = 0;     // those that the previous rncd left behind
  WireConfig config{};                  // in force
  std::array<Port, 2> ports{};          // by Side
};

}  // namespace dp
