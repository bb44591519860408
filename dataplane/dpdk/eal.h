// The EAL, which a process can start only once and which lives until the process ends: later starts join it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/base/result.h"

namespace dp::dpdk {

struct EalPlan {
  bool huge_pages = true;
  std::uint64_t memory_bytes = 0;  // what the pool will ask for
  unsigned main_cpu = 0;
  std::vector<std::string> pci_devices;  // the only ones to be probed
  std::vector<std::string> extra;        // appended
  std::uint64_t heap_bytes = 0;          // what others than the pool will take from EAL's heap
};

// The command line that EAL gets, without the program's name.
std::vector<std::string> eal_arguments(const EalPlan& plan);

Status start_eal(const EalPlan& plan);

// As it was started; empty before that.
const std::string& eal_line();

}  // namespace dp::dpdk
