#include "tools/bench/counts.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "dataplane/aqm/registry.h"
#include "dataplane/packet/burst.h"
#include "tools/bench/dpdk/counted.h"
#include "tools/bench/options.h"
#include "tools/common/interrupt.h"
#include "tools/common/output.h"
#include "tools/common/process.h"
#include "tools/common/table.h"

namespace bench {
namespace {

using dp::yardstick::Load;
using dp::yardstick::Traffic;

constexpr std::string_view kCountsExplanation =
    "a packet's share of what callgrind counts around Worker::poll_once(), ports of memory left out; data\n"
    "misses of a first level of 32 KiB and of a second of 2 MiB, without any prefetch\n";

Traffic traffic_of(const CountCell& cell) {
  Traffic traffic;
  traffic.bearers = cell.bearers;
  traffic.load = cell.load == "below" ? Load::below : Load::above;
  traffic.burst = cell.burst;
  traffic.aqm = dp::AqmList::index_of(cell.aqm);
  traffic.encap = dp::yardstick::encap_named(cell.encap);
  return traffic;
}

Counts less(Counts a, const Counts& b) {
  return {a.instructions - b.instructions, a.loads - b.loads,         a.stores - b.stores,
          a.l1_misses - b.l1_misses,       a.l2_misses - b.l2_misses, a.mispredicted - b.mispredicted};
}

// This program again, under callgrind, for one cell.
Counts run_inside(const CountCell& cell, const CountOptions& options, bool alone) {
  const tools::ScratchFolder folder;
  const auto out = folder.path() / "callgrind.out";
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  std::vector<std::string> argv{"valgrind",
                                "--tool=callgrind",
                                "--instr-atstart=no",
                                "--collect-atstart=no",
                                "--cache-sim=yes",
                                "--branch-sim=yes",
                                "--D1=32768,8,64",
                                "--LL=2097152,16,64",
                                "--callgrind-out-file=" + out.string(),
                                self,
                                "counts",
                                "--inside"};
  if (alone) argv.push_back("--alone");
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"--bearers", std::to_string(cell.bearers)},
                                          {"--load", cell.load},
                                          {"--aqm", cell.aqm},
                                          {"--burst", std::to_string(cell.burst)},
                                          {"--encap", cell.encap},
                                          {"--frames", std::to_string(options.frames)}}) {
    argv.insert(argv.end(), {name, value});
  }
  const tools::Ended ended = tools::run_program(argv, "valgrind", folder.path());
  const auto at = ended.said.find("frames ");
  if (ended.status != 0 || at == std::string::npos) {
    throw std::runtime_error(fmt::format("valgrind ended with {} and said:\n{}", ended.status, ended.said));
  }
  std::ifstream file(out);
  std::stringstream text;
  text << file.rdbuf();
  return counts_of(text.str(), std::stod(ended.said.substr(at + 7)));
}

std::vector<CountCell> cells_of(const CountOptions& options) {
  std::vector<CountCell> cells;
  for (const auto& aqm : options.aqms) {
    for (const auto bearers : options.bearers) {
      for (const auto& load : options.loads) {
        for (const auto burst : options.bursts) {
          cells.push_back({bearers, load, aqm, burst});
          for (const auto& encap : options.encaps) {
            if (encap != cells.back().encap) cells.push_back({bearers, load, aqm, burst, encap});
          }
        }
      }
    }
  }
  return cells;
}

int tell_inside(const CountOptions& options) {
  const CountCell cell = cells_of(options).back();
  const Traffic traffic = traffic_of(cell);
  const auto counted =
      options.alone ? count_ports(traffic, options.frames) : count_worker(traffic, options.frames);
  std::cout << "frames " << counted << "\n";
  return 0;
}

// The budget of a packet without an AQM that does not wait, and of a tunnel around it (meson.build holds it).
constexpr double kBudget = 500, kBudgetOfSingle = 1000, kBudgetOfMisses = 7, kBudgetOfTunnel = 60;

// Shown for 1,000 and 100,000 bearers in bursts of 64, for 1,000 bearers with a frame a poll, and for
// tunnels.
std::string target_of(const CountedCell& counted) {
  const auto& [cell, counts, more] = counted;
  if (more) {
    return fmt::format("<= {:g} more: {:+.1f}, {}", kBudgetOfTunnel, *more,
                       *more <= kBudgetOfTunnel ? "met" : "not met");
  }
  const bool full = cell.burst == dp::kBurst && (cell.bearers == 1000 || cell.bearers == 100'000);
  const bool single = cell.burst == 1 && cell.bearers == 1000;
  if (cell.load != "below" || cell.aqm != "drop-tail" || !(full || single)) return "-";
  const double most = single ? kBudgetOfSingle : kBudget;
  const bool missing = cell.bearers == 100'000;
  const bool met = counts.instructions <= most && (!missing || counts.l2_misses <= kBudgetOfMisses);
  return fmt::format("<= {:g} instr{}: {}", most, missing ? fmt::format(", <= {:g} L2", kBudgetOfMisses) : "",
                     met ? "met" : "not met");
}

std::string words_of(const CountCell& cell) {
  const std::string tunnel = cell.encap == "none" ? "" : ", in " + cell.encap;
  return fmt::format("{} bearers, {}, {}, bursts of {}{}", cell.bearers, cell.load, cell.aqm, cell.burst,
                     tunnel);
}

// A sentence for each cell above a bound.
std::string beyond(const std::vector<CountedCell>& cells, const CountOptions& options) {
  std::string text;
  for (const auto& [cell, counts, more] : cells) {
    const auto tell = [&](double found, std::string_view what, std::optional<double> most) {
      if (!most || found <= *most) return;
      text += fmt::format("rncbench: found {:.1f} {} a packet ({}), expected at most {:g}\n", found, what,
                          words_of(cell), *most);
    };
    if (more) {
      tell(*more, "instructions more than bare IP", options.most_more);
      continue;
    }
    tell(counts.instructions, "instructions", options.most);
    tell(counts.l2_misses, "second-level misses", options.most_misses);
  }
  return text;
}

}  // namespace

void add_count_options(CLI::App& app, CountOptions& o) {
  app.add_option("--bearers", o.bearers, "numbers of bearers")
      ->delimiter(',')
      ->check(CLI::Range(1u, dp::yardstick::kMaxBearers))
      ->capture_default_str();
  app.add_option("--load", o.loads, "traffic below or above the bearers' rate, or both")
      ->delimiter(',')
      ->check(CLI::IsMember({"below", "above"}))
      ->capture_default_str();
  app.add_option("--aqm", o.aqms, "the bearers' policies")
      ->delimiter(',')
      ->check(CLI::IsMember({"drop-tail", "red", "pdpc", "sbd", "codel", "pie"}))
      ->capture_default_str();
  app.add_option("--burst", o.bursts, "frames that a poll receives")
      ->delimiter(',')
      ->check(CLI::Range(1u, static_cast<unsigned>(dp::kBurst)))
      ->capture_default_str();
  app.add_option("--encap", o.encaps, kEncapHelp)->delimiter(',')->check(CLI::IsMember(names_of_encaps()));
  app.add_option("--frames", o.frames, "counted in each cell")
      ->check(CLI::Range(1000u, 100'000'000u))
      ->capture_default_str();
  app.add_option("--at-most", o.most, "instructions a packet; a cell with more ends the run with 1");
  app.add_option("--misses-at-most", o.most_misses, "the same for second-level misses a packet");
  app.add_option("--more-at-most", o.most_more,
                 "instructions that a packet in a tunnel takes more than bare IP");
  app.add_option("--json", o.json, "write the figures to this file as JSON; - is stdout");
  app.add_flag("--inside", o.inside)->group("");
  app.add_flag("--alone", o.alone)->group("");
}

Counts counts_of(const std::string& file, double frames) {
  const auto words_after = [&](const std::string& key) {
    const auto at = ("\n" + file).find("\n" + key);
    if (at == std::string::npos) throw std::runtime_error("callgrind's file has no line `" + key + "`");
    std::istringstream line(file.substr(at + key.size(), file.find('\n', at) - at - key.size()));
    std::vector<std::string> words;
    for (std::string word; line >> word;) words.push_back(word);
    return words;
  };
  const auto names = words_after("events:");
  const auto numbers = words_after("totals:");
  std::map<std::string, double> sums;  // zeros at the end of the line are left out
  for (std::size_t i = 0; i < numbers.size() && i < names.size(); ++i) sums[names[i]] = std::stod(numbers[i]);
  if (sums["Ir"] == 0) throw std::runtime_error("callgrind counted no instruction");
  const auto share = [&](std::initializer_list<const char*> of) {
    double sum = 0;
    for (const char* name : of) sum += sums[name];
    return sum / frames;
  };
  return {share({"Ir"}),           share({"Dr"}),           share({"Dw"}),
          share({"D1mr", "D1mw"}), share({"DLmr", "DLmw"}), share({"Bcm", "Bim"})};
}

std::string counts_table(const std::vector<CountedCell>& cells) {
  tools::Table table({">BEARERS", "LOAD", "AQM", ">BURST", "ENCAP", ">INSTR", ">LOADS", ">STORES",
                      ">L1 MISSES", ">L2 MISSES", ">MISPREDICTED", "TARGET"});
  for (const CountedCell& counted : cells) {
    const auto& [cell, c, more] = counted;
    table.add_cells(
        cell.bearers, cell.load, cell.aqm, cell.burst, cell.encap, fmt::format("{:.0f}", c.instructions),
        fmt::format("{:.0f}", c.loads), fmt::format("{:.0f}", c.stores), fmt::format("{:.1f}", c.l1_misses),
        fmt::format("{:.1f}", c.l2_misses), fmt::format("{:.2f}", c.mispredicted), target_of(counted));
  }
  return table.text();
}

nlohmann::ordered_json counts_json(const std::vector<CountedCell>& cells, const std::string& version) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& [cell, c, more] : cells) {
    rows.push_back({{"bearers", cell.bearers},
                    {"load", cell.load},
                    {"aqm", cell.aqm},
                    {"burst", cell.burst},
                    {"instructions", c.instructions},
                    {"loads", c.loads},
                    {"stores", c.stores},
                    {"l1_misses", c.l1_misses},
                    {"l2_misses", c.l2_misses},
                    {"mispredicted", c.mispredicted}});
    if (!more) continue;
    rows.back()["encap"] = cell.encap;
    rows.back()["instructions_more"] = *more;
  }
  return {{"benchmark", "counts"}, {"version", version}, {"cells", std::move(rows)}};
}

int run_counts(const CountOptions& options, const std::string& version) {
  tools::catch_interrupts();
  try {
    if (options.inside) return tell_inside(options);
    std::vector<CountedCell> counted;
    double bare = 0;
    for (const CountCell& cell : cells_of(options)) {
      if (tools::interrupted()) return tools::kInterruptedExit;
      std::cerr << fmt::format("counting: {}\n", words_of(cell));
      const Counts all = run_inside(cell, options, false), own = less(all, run_inside(cell, options, true));
      // Bare IP comes before its tunnels.
      if (cell.encap == "none") bare = own.instructions;
      counted.push_back({cell, own});
      if (cell.encap != "none") counted.back().more = own.instructions - bare;
    }
    tools::table_stream(options.json) << counts_table(counted) << kCountsExplanation << std::flush;
    if (!options.json.empty()) tools::write_json(counts_json(counted, version), options.json);
    const std::string faults = beyond(counted, options);
    std::cerr << faults;
    return faults.empty() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "rncbench: " << error.what() << "\n";
    return 1;
  }
}

}  // namespace bench
