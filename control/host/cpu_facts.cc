#include "control/host/cpu_facts.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/core.h>
#include <unistd.h>

namespace control {
namespace {

constexpr std::size_t kNamed = 2;
constexpr unsigned kMostCpus = 4096;
constexpr int kKernelThreads = 2;  // the process whose children they are

std::vector<unsigned> cpus_in(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return cpu_list(line);
}

bool has(const std::vector<unsigned>& cpus, unsigned cpu) {
  return std::ranges::find(cpus, cpu) != cpus.end();
}

struct Neighbour {
  std::string name{};
  int parent = 0;
  std::vector<unsigned> cpus{};
};

// An ended one has no CPUs.
Neighbour read_process(const std::filesystem::path& folder) {
  Neighbour process;
  std::ifstream in(folder / "status");
  for (std::string key, line; in >> key && std::getline(in >> std::ws, line);) {
    if (key == "Name:") process.name = line;
    if (key == "PPid:") process.parent = std::atoi(line.c_str());
    if (key == "Cpus_allowed_list:") process.cpus = cpu_list(line);
  }
  return process;
}

void count(const Neighbour& process, std::vector<CpuFacts>& out) {
  for (CpuFacts& facts : out) {
    if (!has(process.cpus, facts.cpu)) continue;
    if (facts.others++ < kNamed) facts.names.push_back(process.name);
  }
}

}  // namespace

std::vector<unsigned> cpu_list(std::string_view text) {
  std::vector<unsigned> cpus;
  std::istringstream parts{std::string(text)};
  for (std::string part; std::getline(parts, part, ',');) {
    unsigned first = 0, last = 0;
    const char* const end = part.data() + part.size();
    const auto [at, error] = std::from_chars(part.data(), end, first);
    if (error != std::errc{}) continue;
    last = first;
    if (at != end && *at == '-') std::from_chars(at + 1, end, last);
    for (unsigned cpu = first; cpu <= std::min(last, kMostCpus); ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::vector<CpuFacts> cpu_facts(std::span<const unsigned> cpus, const std::string& root) {
  const std::string system = root + "/sys/devices/system/cpu/";
  const auto isolated = cpus_in(system + "isolated"), tickless = cpus_in(system + "nohz_full");
  std::vector<CpuFacts> out;
  for (const unsigned cpu : cpus) {
    CpuFacts& facts = out.emplace_back();
    facts.cpu = cpu;
    facts.isolated = has(isolated, cpu);
    facts.tickless = has(tickless, cpu);
    facts.siblings = cpus_in(fmt::format("{}cpu{}/topology/thread_siblings_list", system, cpu));
    std::erase(facts.siblings, cpu);
  }
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(root + "/proc", error)) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0 || pid == kKernelThreads || (root.empty() && pid == ::getpid())) continue;
    if (const Neighbour process = read_process(entry.path()); process.parent != kKernelThreads)
      count(process, out);
  }
  return out;
}

}  // namespace control
