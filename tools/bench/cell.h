// `rncbench cell`: cycles of a slot of a cell, by the number of cells and of bearers that wait in each.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tools/bench/dpdk/cells.h"

namespace bench {

struct SlotOptions {
  std::vector<std::uint32_t> cells{1, 1000};
  std::vector<std::uint32_t> bearers{1, 4, 16, 64};
  std::string scheduler = "pf";
  std::vector<std::string> radios{"constant", "reported", "hdr"};
  double seconds = 20;
  unsigned repetitions = 4;
  std::optional<unsigned> cpu;  // default: the last one we may use
  std::string json;
};

void add_slot_options(CLI::App& app, SlotOptions& options);

// The project's targets for a slot, in cycles: a constant, an amount for each bearer that waits, and one for
// each whose radio fades; and the share of a core of kSlotCoreHz for a thousand cells of four bearers.
inline constexpr double kSlotTarget = 400, kSlotTargetBearer = 12, kSlotTargetFading = 150;
inline constexpr double kSlotCoreHz = 3e9, kSlotCoreShare = 0.1;
double slot_target(std::uint32_t bearers, const std::string& radio);

// One row: the cycles of a slot in each chunk of rounds, by turn.
struct SlotCell {
  std::string radio;
  std::uint32_t cells = 0, bearers = 0;
  std::vector<std::vector<double>> turns{};
};
// Percentiles of each turn, and the median of those over the turns; none if nothing was measured.
struct SlotFigures {
  double p50 = 0, p10 = 0;
};
std::optional<SlotFigures> slot_figures(const SlotCell& cell);

std::string slot_table(const std::vector<SlotCell>& cells);
// The part of a core that a thousand cells of four waiting bearers each take; empty where it was not
// measured.
std::string slot_verdict(const std::vector<SlotCell>& cells);

// Answers the exit code: 0, 1 a fault, 2 usage, 4 memory, 130 interrupted (what was measured is printed).
int run_slots(const SlotOptions& options, const std::string& version);

}  // namespace bench
