#include "tools/bench/path.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <stdexcept>

#include "tools/bench/machine.h"
#include "tools/bench/measure.h"
#include "tools/bench/path_targets.h"
#include "tools/bench/report.h"
#include "tools/common/interrupt.h"
#include "tools/common/output.h"

namespace bench {
namespace {

enum Exit { kOk = 0, kFault = 1, kUsage = 2, kInterrupted = tools::kInterruptedExit };

// About 2.5 KiB an mbuf.
bool memory_for(const Need& need) {
  const std::uint64_t eal = need.rig.mbufs * 2560 + need.rig.sched_bytes + (64u << 20);
  return memory_there(need.beside + (need.rig.huge_pages ? 0 : eal),
                      "ask for fewer bearers with --bearers 1,1000, or for less with --subjects");
}

std::vector<CellResult> measure_all(const std::vector<Cell>& cells, dp::yardstick::Rig& rig,
                                    const Spell& spell, const Options& options, std::ostream& out,
                                    const Setting& setting) {
  std::vector<CellResult> results;
  Progress progress;
  const Run run{rig,
                setting.reading_cycles,
                spell,
                options.repetitions,
                tools::interrupted(),
                [&](const std::string& s) { progress.step(s); }};
  std::uint32_t wire_bytes = 0;
  for (const Cell& cell : cells) {
    if (tools::interrupted()) break;
    progress.cell("cell " + std::to_string(results.size() + 1) + " of " + std::to_string(cells.size()));
    if (cell.traffic.wire_bytes() != wire_bytes) {
      wire_bytes = cell.traffic.wire_bytes();
      if (auto opened = rig.use_frames(wire_bytes); !opened) throw std::runtime_error(opened.error().message);
    }
    results.push_back(measure(cell, run));
    progress.clear();
    out << table_of(results.back(), setting) << std::endl;
  }
  return results;
}

int run_on(dp::yardstick::Rig& rig, const Options& options, const std::vector<Cell>& cells, Setting setting) {
  std::ostream& out = tools::table_stream(options.json);
  out << explanation(options, setting) << std::flush;
  const auto results = measure_all(cells, rig, setting.spell, options, out, setting);
  out << path_targets_table(path_targets(results)) << std::flush;
  setting.interrupted = tools::interrupted();
  if (!options.json.empty()) tools::write_json(json_of(results, options, setting), options.json);
  auto faults = faults_of(results);
  if (!setting.interrupted) std::ranges::move(unmeasured(results), std::back_inserter(faults));
  for (const auto& fault : faults) std::cerr << "rncbench: " << fault << "\n";
  if (!faults.empty()) return kFault;
  return setting.interrupted ? kInterrupted : kOk;
}

}  // namespace

int run_path(const Options& options, const std::string& version) {
  const auto cells = cells_of(options);
  if (cells.empty()) {
    std::cerr << "rncbench: nothing to measure: sched-unlimited needs a backlog, add --load above; bursts of "
                 "less than 64 need worker-memory, add --subjects worker-memory\n";
    return kUsage;
  }
  tools::catch_interrupts();
  const Need need = need_of(options, cells);
  if (!memory_for(need)) return kMemoryExit;
  auto rig = dp::yardstick::Rig::start(need.rig);
  if (!rig) {
    std::cerr << "rncbench: " << rig.error().message << "\n";
    return rig.error().exit_code;
  }
  Setting setting;
  setting.version = version;
  setting.dpdk = (*rig)->dpdk_version();
  setting.eal = (*rig)->eal_line();
  setting.cpu_model = cpu_model();
  setting.cycles_per_ns = (*rig)->cycles_per_ns();
  setting.reading_cycles = reading_cycles();
  setting.cpu = need.rig.cpu;
  setting.spell = spell_of(options, cells);
  try {
    return run_on(**rig, options, cells, setting);
  } catch (const std::exception& error) {
    std::cerr << "rncbench: " << error.what() << "\n";
    return kFault;
  }
}

}  // namespace bench
