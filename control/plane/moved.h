// The reasons for which bearers moved to other workers, and a count of each.
// Tests: tests/unit/control/plane/balancer_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace control {

enum class MovedFor : std::uint8_t { request, load, cell };
inline constexpr std::array<std::string_view, 3> kMovedForNames{"request", "load", "cell"};
using MovedCounts = std::array<std::uint64_t, kMovedForNames.size()>;

}  // namespace control
