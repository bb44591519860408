// Turns the `auto`s of a configuration into figures for this host. Pure.
// Tests: tests/unit/control/host/preflight_test.cc
#pragma once
#include <cstdint>

#include "config/model.h"
#include "control/host/host_facts.h"
#include "dataplane/base/result.h"
#include "dataplane/dpdk/start.h"

namespace control {

// DPDK's memory in addition to the frames.
inline constexpr std::uint64_t kDpdkOverhead = std::uint64_t{32} << 20;

// `auto` memory: three quarters of the free huge pages up to 1 GiB a worker; without huge pages an eighth of
// the memory available, from 64 to 512 MiB a worker. `auto` bearers: 65,536, or twice what the file asks for
// if that is more. Exit code 3 in the error. Requires: the host has a CPU.
dp::Result<dp::dpdk::Settings> size_for(const config::Config& config, const HostFacts& host);

}  // namespace control
