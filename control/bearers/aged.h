// The reasons for which learnt bearers ended (ageing.h), and a count of each.
// Tests: tests/unit/control/bearers/ageing_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace control {

enum class AgedFor : std::uint8_t { idle, unanswered, displaced };
inline constexpr std::array<std::string_view, 3> kAgedForNames{"idle", "unanswered", "displaced"};
using AgedCounts = std::array<std::uint64_t, kAgedForNames.size()>;

}  // namespace control
