// `rncbench counts`: instructions, cache misses and mispredicted branches a packet, counted by callgrind,
// which neither the machine nor its other programs touch. The worker runs over ports of memory under a clock
// of its own, moved by a burst's time at each poll.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace bench {

struct CountOptions {
  std::vector<std::uint32_t> bearers{1, 1000, 100'000};
  std::vector<std::string> loads{"below", "above"};
  std::vector<std::string> aqms{"drop-tail"};
  std::vector<std::uint32_t> bursts{64};
  std::vector<std::string> encaps;    // each cell once more in these tunnels
  std::uint32_t frames = 64'000;      // counted in each cell
  std::optional<double> most;         // instructions a packet; more is a fault
  std::optional<double> most_misses;  // second-level misses a packet
  std::optional<double> most_more;    // instructions that a packet in a tunnel takes more than without
  std::string json;
  bool inside = false;  // under callgrind: one cell, whose number of frames is printed
  bool alone = false;   // there, the ports without the worker
};

void add_count_options(CLI::App& app, CountOptions& options);

struct CountCell {
  std::uint32_t bearers;
  std::string load, aqm;
  std::uint32_t burst;
  std::string encap = "none";
};

// A packet's share, the making of the frames left out.
struct Counts {
  double instructions = 0, loads = 0, stores = 0;
  double l1_misses = 0, l2_misses = 0;  // data cache; the second level has 2 MiB
  double mispredicted = 0;
};

// The counts in callgrind's file, divided by `frames`. Throws if the file has no such counts.
Counts counts_of(const std::string& file, double frames);

struct CountedCell {
  CountCell cell;
  Counts counts;
  std::optional<double> more{};  // in a tunnel: instructions beyond those of bare IP
};
std::string counts_table(const std::vector<CountedCell>& cells);
nlohmann::ordered_json counts_json(const std::vector<CountedCell>& cells, const std::string& version);

// Answers the exit code.
int run_counts(const CountOptions& options, const std::string& version);

}  // namespace bench
