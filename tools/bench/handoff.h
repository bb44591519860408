// `rncbench handoff`: cycles a frame that one worker gives and another takes, by how many go together.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tools/bench/dpdk/handoff.h"

namespace bench {

struct HandoffOptions {
  std::vector<unsigned> batches{1, 8, 32, 64};
  std::uint64_t between = 1000;  // TSC cycles
  double seconds = 16;
  unsigned repetitions = 4;
  std::vector<unsigned> cpus;  // giver's and taker's; none: the last two that we may use
  std::string json;
};

void add_handoff_options(CLI::App& app, HandoffOptions& options);

// The turns of one batch size; `read`: the taker reads each frame's Sdu.
struct HandoffCell {
  unsigned batch = 0;
  bool read = false;
  std::vector<dp::yardstick::HandoffChunks> turns{};
};

struct HandoffSetting {
  std::string version, cpu_model;
  std::vector<unsigned> cpus;
  double cycles_per_ns = 1;
  bool interrupted = false;
};

// Percentiles of each turn, and the median of those over the turns. All zero if nothing was measured.
struct HandoffFigures {
  double p50 = 0, p10 = 0;
};
enum class HandoffPart : std::uint8_t { give, take, look };
HandoffFigures handoff_figures(const HandoffCell& cell, HandoffPart part);

std::string handoff_table(const std::vector<HandoffCell>& cells);
std::string handoff_explanation(const HandoffOptions& options, const HandoffSetting& setting);
nlohmann::ordered_json handoff_json(const std::vector<HandoffCell>& cells, const HandoffOptions& options,
                                    const HandoffSetting& setting);

// Answers the exit code: 0, 1 a fault, 2 fewer than two CPUs, 130 interrupted (what was measured is printed).
int run_handoff(const HandoffOptions& options, const std::string& version);

}  // namespace bench
