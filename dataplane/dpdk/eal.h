// The EAL, which a process can start only once and which lives until the process ends: later starts join it.
// Tests: tests/system/dpdk_pool_test.cc
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/base/result.h"

namespace dp::dpdk {

struct EalPlan {
  bool huge_pages = true;
  std::uint64_t memory_bytes = 0;  // the size of the pool
  unsigned main_cpu = 0;
  std::vector<std::string> pci_devices;  // the only ones to be probed
  std::vector<std::string> extra;        // appended
  std::uint64_t heap_bytes = 0;          // memory from EAL's heap that others than the pool will allocate
};

// The command line that is passed to EAL, without the program's name.
std::vector<std::string> eal_arguments(const EalPlan& plan);

Status start_eal(const EalPlan& plan);

// The command line that EAL was started with; empty before the start.
const std::string& eal_line();

}  // namespace dp::dpdk
