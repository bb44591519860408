// `rncbench memory`: the bytes of an idle bearer, the worker's part and control's, those of a worker
// without any, and those of a bearer's split proxy. Each number of bearers is measured in a process of its
// own.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "tools/bench/dpdk/worker_memory.h"

namespace bench {

struct MemoryOptions {
  std::vector<std::uint32_t> bearers{1000, 100'000, 1'000'000};
  std::uint64_t seed = 1;  // for the order in which control receives the UEs
  std::string json;
  bool inside = false;  // the measured process: one number of bearers, whose figures it prints
};

void add_memory_options(CLI::App& app, MemoryOptions& options);

// The project's target for the memory of a bearer, on each side.
inline constexpr std::uint64_t kMemoryTargetBytes = 512;

// The target for a connection that is split, with a window of kSplitTargetWindow octets.
inline constexpr std::uint64_t kSplitTargetBytes = 2048;
inline constexpr std::uint32_t kSplitTargetWindow = 32 << 10;

inline constexpr std::uint64_t kSplitProxies = 200;  // made to measure one
// The split proxy of one bearer, with the settings' defaults but for the window.
struct SplitMemory {
  std::uint32_t window = 0, connections = 0;
  std::uint64_t connection = 0;  // computed, of one
  dp::yardstick::Bytes proxy{};  // with all of them and its table of flows
  bool judged() const { return window == kSplitTargetWindow; }
  bool met() const { return connection <= kSplitTargetBytes; }
};

struct MemoryCell {
  std::uint32_t bearers = 0;
  dp::yardstick::WorkerMemory worker{};
  dp::yardstick::Bytes control{};  // all records and their map nodes
  std::vector<SplitMemory> splits{};
};

// The memory of control's registry for idle bearers.
dp::yardstick::Bytes measure_control_memory(std::uint32_t bearers, std::uint64_t seed);
// The memory of proxies with a window of 32 KiB, and with one of 64 KiB.
std::vector<SplitMemory> measure_split_memory();

// One line of the table, and one row of the JSON.
struct MemoryRow {
  std::uint32_t bearers = 0;
  std::string side, part;
  double computed = 0, resident = 0;  // bytes a bearer
  bool judged = false;                // against kMemoryTargetBytes
  bool met() const { return computed <= static_cast<double>(kMemoryTargetBytes); }
};
std::vector<MemoryRow> memory_rows(const std::vector<MemoryCell>& cells);
// A sentence for each part of which more is in memory than is computed and than whole pages explain:
// something is not counted.
std::string memory_faults(const std::vector<MemoryCell>& cells);

std::string memory_table(const std::vector<MemoryCell>& cells);
nlohmann::ordered_json memory_json(const std::vector<MemoryCell>& cells, const std::string& version,
                                   bool interrupted);

// Answers the exit code: 0, 1 a fault, 4 memory, 130 interrupted (what was measured is printed).
int run_memory(const MemoryOptions& options, const std::string& version);

}  // namespace bench
