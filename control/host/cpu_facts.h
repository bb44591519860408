// Facts about CPUs for preflight, such as their other users. Plain values.
// Tests: tests/unit/control/host/preflight_cpus_test.cc
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace control {

struct CpuFacts {
  unsigned cpu = 0;
  // The kernel keeps its own balancing and its tick off it (isolcpus, nohz_full).
  bool isolated = false, tickless = false;
  std::vector<unsigned> siblings{};  // other hardware threads of its core that are on
  // Processes beside this one, and no kernel threads, whose affinity and cpuset let them run there. In a
  // container those of the host are not seen.
  std::size_t others = 0;
  std::vector<std::string> names{};  // names of the first of these
};

// "0-1,4", as the kernel writes CPUs; what is no number is left out.
std::vector<unsigned> cpu_list(std::string_view text);

// Looks once at all processes. `root`: where /proc and /sys are.
std::vector<CpuFacts> cpu_facts(std::span<const unsigned> cpus, const std::string& root = "");

}  // namespace control
