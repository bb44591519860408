// The settings of a cell, as plain values with their field table. The cell itself is sched/cell.h.
// Tests: tests/unit/sched/cell_rules_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "dataplane/base/fields.h"
#include "dataplane/sched/registry.h"

namespace dp {

// A_i of a bearer in its first backlogged slot after entering the cell. `paper` is 0+, as in 001: among n
// others it then gets all slots in a row until its mean has risen to theirs, which is ln((n + 1) / n) / alpha
// of them. `fair` is the fraction of R_i that the other waiting bearers have of theirs: it enters at their
// level, and their means and its own fall together.
enum class CellNewcomer : std::uint8_t { fair, paper };
inline constexpr std::array<std::string_view, 2> kCellNewcomers{"fair", "paper"};

// The mean rate of an idle bearer: it decays in every slot, as in 001, or is held.
enum class CellIdle : std::uint8_t { decay, hold };
inline constexpr std::array<std::string_view, 2> kCellIdles{"decay", "hold"};

// The bits of a slot are a whole number of the unit 1 / kCellUnitsPerBit bit for every number of slots a
// second that divides it, so that a bearer keeps the carried part of an SDU when it moves to another cell.
inline constexpr std::uint64_t kCellUnitsPerBit = 24'000;

struct CellSettings {
  static constexpr std::uint32_t kMostMembers = 4096, kMostSlots = 8'000;

  SchedulerConfig scheduler = ProportionalFairSpec::Config{};
  std::uint32_t slots = 600;  // slots a second; a divisor of kCellUnitsPerBit
  std::uint32_t members = 64;
  double share = 1;
  double short_share = 1;
  CellNewcomer newcomer = CellNewcomer::fair;
  CellIdle idle = CellIdle::decay;
  friend bool operator==(const CellSettings&, const CellSettings&) = default;

  bool slots_allowed() const { return slots != 0 && kCellUnitsPerBit % slots == 0; }

  // clang-format off
  static constexpr FieldTable kFields{
      Field{"slots", &CellSettings::slots, Unit::count, 100u, kMostSlots,
            "slots a second, a divisor of 24000; slot n begins at n / slots", "001 section 5: HDR, 600"},
      Field{"members", &CellSettings::members, Unit::count, 1u, kMostMembers,
            "places for bearers; a cell keeps as many as it was made with", ""},
      Field{"share", &CellSettings::share, Unit::ratio, 0.01, 1.0,
            "of the slots, those that are given away; the others are nobody's", ""},
      Field{"short_share", &CellSettings::short_share, Unit::ratio, 0.01, 1.0,
            "of the slots that are given away, those that short flows may have before long ones that wait", ""},
      Field{"newcomer", &CellSettings::newcomer, kCellNewcomers,
            "the mean rate that a bearer begins with: a fair part, or that of the paper, with which it has all "
            "slots at first", "`paper`: 001 section 6.2"},
      Field{"idle", &CellSettings::idle, kCellIdles,
            "the mean rate of a bearer with nothing to send: decays, or is held", "`decay`: 001 section 6.2"},
  };
  // clang-format on
};

}  // namespace dp
