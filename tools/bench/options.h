// The options of `rncbench path`, and the cells of its table that follow from them.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/bench/dpdk/rig.h"

namespace bench {

// Names of all policies, stages or schedulers, for an option that names some.
template <class List>
std::vector<std::string> names_of() {
  return {List::kNames.begin(), List::kNames.end()};
}

// Names of all ways to travel, for an option that names some, and its help.
inline std::vector<std::string> names_of_encaps() {
  return {dp::yardstick::kEncapNames.begin(), dp::yardstick::kEncapNames.end()};
}
inline constexpr const char* kEncapHelp =
    "beside bare IP, the same packets in GTP-U tunnels over IPv4: gtp-u without extension headers, as in 3G "
    "and "
    "4G; gtp-u-5g with a PDU session container";

struct Options {
  std::vector<std::uint32_t> bearers;  // empty: 1, 1000 and 100000, or 10000 when quick
  std::vector<std::uint32_t> frames{64, 1500};
  std::vector<std::string> loads{"below", "above"};
  std::vector<std::string> aqms{"drop-tail"};
  std::vector<std::uint32_t> bursts{64};
  std::vector<std::string> acks;      // stages that the UEs' ACKs pass, or "none"; empty: no ACKs
  std::vector<std::string> hostile;   // patterns of ACKs that make no progress; empty: UEs that are honest
  std::vector<std::string> subjects;  // empty: all
  std::vector<std::string> encaps{"none"};  // the packets as they are, or in tunnels
  bool crafted = false;                     // the worker only, with random and with crafted addresses
  double mpps = 1;
  double seconds = 0;  // 0: 90, or 6 when quick
  unsigned repetitions = 3;
  std::uint64_t seed = 1;
  std::optional<unsigned> cpu;  // default: the last one we may use
  bool huge = false;
  bool quick = false;
  std::string json;
};

// Adds the options to a subcommand; parsing fills in `options`, which must outlive the app.
void add_options(CLI::App& app, Options& options);

// One case that all subjects meet side by side.
struct Cell {
  dp::yardstick::Traffic traffic;
  std::vector<dp::yardstick::Kind> kinds;
};

// In the order in which they are measured; frame sizes outermost.
std::vector<Cell> cells_of(const Options& options);

// The time for which one subject runs without a break, chosen so that all together take Options::seconds.
struct Spell {
  std::chrono::nanoseconds settle;  // not measured
  std::chrono::nanoseconds measure;
};
Spell spell_of(const Options& options, const std::vector<Cell>& cells);

// Memory that the run needs: for EAL, and beside it.
struct Need {
  dp::yardstick::RigPlan rig;
  std::uint64_t beside = 0;  // bytes
};
Need need_of(const Options& options, const std::vector<Cell>& cells);

}  // namespace bench
