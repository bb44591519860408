#include "tools/bench/path.h"

#include <fstream>
#include <iostream>
#include <stdexcept>

#include <unistd.h>

#include "tools/bench/measure.h"
#include "tools/bench/report.h"
#include "tools/common/interrupt.h"
#include "tools/common/output.h"

namespace bench {
namespace {

enum Exit { kOk = 0, kFault = 1, kUsage = 2, kMemory = 4, kInterrupted = tools::kInterruptedExit };

// The value of "key: value" or "key : value" in a file of such lines.
std::string value_in(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const auto at = line.find_first_not_of(" \t", line.find(':') + 1);
    return at == std::string::npos ? "" : line.substr(at);
  }
  return "";
}

std::string mib(std::uint64_t bytes) { return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB"; }

// A run that does not fit would be killed by the kernel half-way. About 2.5 KiB an mbuf.
bool memory_there(const Need& need) {
  const std::uint64_t eal = need.rig.mbufs * 2560 + need.rig.sched_bytes + (64u << 20);
  const std::uint64_t wanted = need.beside + (need.rig.huge_pages ? 0 : eal);
  const auto found = std::strtoull(value_in("/proc/meminfo", "MemAvailable").c_str(), nullptr, 10) * 1024;
  if (found == 0 || found >= wanted) return true;
  std::cerr << "rncbench: memory: found " << mib(found) << " available, need " << mib(wanted)
            << "; ask for fewer bearers with --bearers 1,1000, or for less with --subjects\n";
  return false;
}

// One line on a terminal, nothing in a log but the cells.
class Progress {
 public:
  void cell(const std::string& text) {
    clear();
    std::cerr << text << std::flush << (terminal_ ? "" : "\n");
    cell_ = text;
  }
  void step(const std::string& text) {
    if (terminal_) std::cerr << "\r\033[K" << cell_ << ": " << text << std::flush;
  }
  void clear() {
    if (terminal_) std::cerr << "\r\033[K" << std::flush;
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::string cell_;
};

std::vector<CellResult> measure_all(const std::vector<Cell>& cells, dp::yardstick::Rig& rig,
                                    const Spell& spell, const Options& options, std::ostream& out,
                                    const Setting& setting) {
  std::vector<CellResult> results;
  Progress progress;
  const Run run{rig, spell, options.repetitions, tools::interrupted(),
                [&](const std::string& s) { progress.step(s); }};
  std::uint32_t frame_bytes = 0;
  for (const Cell& cell : cells) {
    if (tools::interrupted()) break;
    progress.cell("cell " + std::to_string(results.size() + 1) + " of " + std::to_string(cells.size()));
    if (cell.traffic.frame_bytes != frame_bytes) {
      frame_bytes = cell.traffic.frame_bytes;
      if (auto opened = rig.use_frames(frame_bytes); !opened)
        throw std::runtime_error(opened.error().message);
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
  setting.interrupted = tools::interrupted();
  if (!options.json.empty()) tools::write_json(json_of(results, options, setting), options.json);
  const auto faults = faults_of(results);
  for (const auto& fault : faults) std::cerr << "rncbench: " << fault << "\n";
  if (!faults.empty()) return kFault;
  return setting.interrupted ? kInterrupted : kOk;
}

}  // namespace

int run_path(const Options& options, const std::string& version) {
  const auto cells = cells_of(options);
  if (cells.empty()) {
    std::cerr << "rncbench: nothing to measure: sched-unlimited needs a backlog, add --load above\n";
    return kUsage;
  }
  tools::catch_interrupts();
  const Need need = need_of(options, cells);
  if (!memory_there(need)) return kMemory;
  auto rig = dp::yardstick::Rig::start(need.rig);
  if (!rig) {
    std::cerr << "rncbench: " << rig.error().message << "\n";
    return rig.error().exit_code;
  }
  Setting setting;
  setting.version = version;
  setting.dpdk = (*rig)->dpdk_version();
  setting.eal = (*rig)->eal_line();
  setting.cpu_model = value_in("/proc/cpuinfo", "model name");
  setting.cycles_per_ns = (*rig)->cycles_per_ns();
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
