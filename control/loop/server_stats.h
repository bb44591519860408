// Statistics of a control socket's clients. Written by the control thread.
// Tests: tests/unit/control/rpc/server_test.cc
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace control {

// The reason why a client got no connection, or lost it, other than closing it itself.
enum class Cut { refused, evicted, half_sent, memory, stalled, idle };
inline constexpr std::array<std::string_view, 6> kCutNames{"refused", "evicted", "half_sent",
                                                           "memory",  "stalled", "idle"};
inline constexpr std::array<std::string_view, 6> kCutTexts{
    "had no place: as many were open as are taken, and none was idle",
    "the longest idle one, closed to make room for another",
    "a request was begun and not ended in time",
    "the buffers of all together were full, and it held much of them for long",
    "answers waited, and the client took none in time",
    "nothing was asked in a long time",
};

struct ServerStats {
  std::string_view socket;  // "control" or "read_only"
  std::size_t connections = 0;
  std::size_t memory = 0;  // bytes in their buffers
  std::array<std::uint64_t, kCutNames.size()> cut{};

  std::uint64_t& operator[](Cut why) { return cut[static_cast<std::size_t>(why)]; }
};

}  // namespace control
