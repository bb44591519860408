// Starts the data plane on DPDK: EAL, memory pool, ports, one thread per worker. EAL starts once in a process
// and pins the calling thread to the first CPU; threads that the caller starts later inherit it. A plain
// header: no rte_ names.
// Tests: tests/system/dpdk_start_test.cc, tests/system/dpdk_restart_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dataplane/base/result.h"
#include "dataplane/base/wire.h"
#include "dataplane/worker/runtime.h"

namespace dp::dpdk {

enum class Power : std::uint8_t { poll, adaptive };

struct Settings {
  std::array<std::string, 2> devices;  // by Side: "af_xdp:eth1", "af_packet:eth1", "tap:NAME", "pcap:IN,OUT",
                                       // "null", "null:SIZE", "ring:NAME", "0000:03:00.0"
  bool huge_pages = true;
  std::uint32_t mbufs = 0;  // 0: as many as `memory_bytes` holds
  std::uint64_t memory_bytes = 0;
  std::uint32_t max_bearers = 0;  // capacity of each worker's table
  double proxy_store = 1;         // share of a worker's buffer capacity that split proxies may promise
  unsigned workers = 1;
  std::vector<unsigned> cpus;  // main first, then one a worker, and round again when there are fewer; none:
                               // the first this process may use
  Power power = Power::adaptive;
  bool tunnels = false;               // GTP-U is looked into: NICs are asked to hash what is within
  WireConfig wire;                    // for AF_XDP ports
  std::vector<std::string> eal_args;  // appended to ours
};

// Exit codes in the errors: 4 a port or the memory, 5 permission, 7 EAL.
Result<std::unique_ptr<Runtime>> start(const Settings& settings);

// The error that start() would return before it takes a port, with the output of EAL: EAL is started in a
// process of its own, which ends at once. Requires: there is a CPU in the settings.
Status try_start(const Settings& settings);

}  // namespace dp::dpdk
