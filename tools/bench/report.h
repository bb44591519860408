// The figures of a run: as a table for people, as JSON for machines.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "dataplane/packet/burst.h"
#include "tools/bench/measure.h"
#include "tools/bench/options.h"

namespace bench {

// The words by which the options name them.
const char* load_of(const dp::yardstick::Traffic& traffic);
std::string aqm_of(const dp::yardstick::Traffic& traffic);
inline std::string encap_of(const dp::yardstick::Traffic& traffic) {
  return std::string(dp::yardstick::kEncapNames[static_cast<std::size_t>(traffic.encap)]);
}
// Adds the size of bursts and the tunnels to a cell of JSON, unless bursts are full and packets bare.
inline void add_variant(nlohmann::json& cell, const dp::yardstick::Traffic& traffic) {
  if (traffic.burst != dp::kBurst) cell["burst"] = traffic.burst;
  if (traffic.encap != dp::yardstick::Encap::none) cell["encap"] = encap_of(traffic);
}
// Empty without a tunnel.
inline std::string tunnel_words(const dp::yardstick::Traffic& traffic) {
  if (traffic.tunnel_bytes() == 0) return "";
  return " and " + std::to_string(traffic.tunnel_bytes()) + " B of " + encap_of(traffic);
}

// One row of the table. Cycles a frame: per turn the p50 and the p10 of its chunks; over the turns the median
// and the least.
struct Figures {
  dp::yardstick::Kind kind{};
  double p50 = 0, p50_least = 0, p10 = 0, p10_least = 0;
  double mean = 0;     // over everything, disturbances included
  double dropped = 0;  // share of the frames received
  double late = 0;     // share of the polls
  std::uint64_t state_bytes = 0;
};
std::optional<Figures> figures_of(const Series& series);  // none without a single chunk

// The setting in which the figures were taken.
struct Setting {
  std::string version;
  std::string dpdk;
  std::string eal;
  std::string cpu_model;
  double cycles_per_ns = 1;
  std::uint64_t reading_cycles = 0;  // cost of a clock reading, taken off each poll
  unsigned cpu = 0;
  Spell spell{};
  bool interrupted = false;
};

// Books that do not add up, one sentence each; empty when all do.
std::vector<std::string> faults_of(const std::vector<CellResult>& cells);

// Bearers that met no hostile ACK, likewise.
std::vector<std::string> unmeasured(const std::vector<CellResult>& cells);

std::string table_of(const CellResult& cell, const Setting& setting);
std::string explanation(const Options& options, const Setting& setting);
nlohmann::json json_of(const std::vector<CellResult>& cells, const Options& options, const Setting& setting);

}  // namespace bench
