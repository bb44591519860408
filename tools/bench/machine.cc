#include "tools/bench/machine.h"

#include <cstdlib>
#include <fstream>
#include <iostream>

#include <sched.h>
#include <unistd.h>

#include "dataplane/dpdk/huge_pages.h"

namespace bench {
namespace {

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

}  // namespace

std::string cpu_model() { return value_in("/proc/cpuinfo", "model name"); }

std::vector<unsigned> last_cpus(std::size_t most) {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof(set), &set);
  std::vector<unsigned> cpus;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  if (cpus.size() > most) cpus.erase(cpus.begin(), cpus.end() - static_cast<std::ptrdiff_t>(most));
  return cpus;
}

unsigned last_cpu() {
  const auto last = last_cpus(1);
  return last.empty() ? 0 : last.front();
}

bool run_on(unsigned cpu) {
  if (cpu >= CPU_SETSIZE) return false;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof(set), &set) == 0;
}

bool memory_there(std::uint64_t wanted, const std::string& advice) {
  const auto found = std::strtoull(value_in("/proc/meminfo", "MemAvailable").c_str(), nullptr, 10) * 1024;
  if (found == 0 || found >= wanted) return true;
  std::cerr << "rncbench: memory: found " << dp::dpdk::mib(found) << " available, need "
            << dp::dpdk::mib(wanted) << "; " << advice << "\n";
  return false;
}

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::cell(const std::string& text) {
  clear();
  std::cerr << text << std::flush << (terminal_ ? "" : "\n");
  cell_ = text;
}

void Progress::step(const std::string& text) {
  if (terminal_) std::cerr << "\r\033[K" << cell_ << ": " << text << std::flush;
}

void Progress::clear() {
  if (terminal_) std::cerr << "\r\033[K" << std::flush;
}

}  // namespace bench
