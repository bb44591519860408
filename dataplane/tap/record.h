// One captured frame on its way from a worker to control: what the worker knows about it, followed by its
// first bytes. Plain data in the slots of a ring (tap/ring.h).
// Tests: tests/unit/tap/ring_test.cc
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "dataplane/base/drop_reason.h"
#include "dataplane/base/ids.h"
#include "dataplane/base/named_enum.h"
#include "dataplane/base/time.h"

namespace dp {

// The places at which frames are captured.
#define DP_TAP_POINTS(X)                                \
  X(core_in, "received by the core port")               \
  X(radio_out, "handed to the radio port")              \
  X(radio_in, "received by the radio port")             \
  X(core_out, "handed to the core port")                \
  X(dropped, "dropped, with the reason in the comment") \
  X(rlc, "PDUs of RLC acknowledged mode, in UDP datagrams for a dissector")

DP_NAMED_ENUM(TapPoint, DP_TAP_POINTS)

// The most captures at a time: each has a bit.
inline constexpr std::size_t kMostCaptures = 8;
using CaptureBits = std::uint8_t;

inline constexpr std::size_t kTapSlot = 64;  // bytes

struct alignas(kTapSlot) TapRecord {
  static constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint8_t kNone = std::numeric_limits<std::uint8_t>::max();

  Time at{};                   // `now` of the poll
  std::uint64_t frame = 0;     // equal for all records of one frame while it is in the box
  std::uint32_t length = 0;    // bytes of the frame
  std::uint32_t captured = 0;  // the first of these, which follow the record
  // The queue of its bearer in this direction, if this worker serves it.
  std::uint32_t queued_sdus = kUnknown;
  std::uint32_t slots = 1;        // occupied by the record and its bytes
  std::uint16_t l4_offset = 0;    // from the first byte; 0 if unreadable
  CaptureBits captures = 0;       // that the record is for; none: it only fills the end of the ring
  std::uint8_t l3_offset = 0;     // of the user's packet; 0 without one
  std::uint8_t outer_offset = 0;  // of the tunnel's IP header; 0 without a tunnel
  std::uint8_t protocol = 0;      // of layer 4
  TapPoint point = TapPoint::core_in;
  Direction direction = Direction::downlink;
  OptionalDropReason reason{};   // at `dropped`
  std::uint8_t made = kNone;     // a Creation, for a frame that the box has made
  std::uint8_t policy = kNone;   // the index of the bearer's AQM in AqmList
  bool lost = false;             // at `rlc`: the channel loses it
  bool long_indicators = false;  // at `rlc`: length indicators have 15 bits

  const std::byte* bytes() const noexcept { return reinterpret_cast<const std::byte*>(this + 1); }
  std::byte* bytes() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};
static_assert(sizeof(TapRecord) == kTapSlot && std::is_trivially_copyable_v<TapRecord>);

}  // namespace dp
