// Turns the `auto`s of a configuration into figures for this host. Pure.
#pragma once
#include <cstdint>

#include "config/model.h"
#include "control/host_facts.h"
#include "dataplane/base/result.h"
#include "dataplane/dpdk/start.h"

namespace control {

// What a bearer costs beyond its object: the registry's record and its places in the worker's table.
inline constexpr std::uint64_t kBearerOverhead = 512;
// What DPDK takes beside the frames.
inline constexpr std::uint64_t kDpdkOverhead = std::uint64_t{32} << 20;

// `auto` memory: three quarters of the free huge pages up to 1 GiB; without huge pages an eighth of the
// memory available, from 64 to 512 MiB. `auto` bearers: 65,536, or twice what the file asks for if that is
// more. Exit code 3 in the error.
dp::Result<dp::dpdk::Settings> size_for(const config::Config& config, const HostFacts& host);

// What the bearers that the file names or lets be learnt come to; those in stock count as learnt.
struct Foreseen {
  std::uint64_t bearers = 0;
  std::uint64_t airs = 0;        // among them, those with the link `am`
  std::uint64_t air_bytes = 0;   // memory of their airs
  std::uint64_t flow_bytes = 0;  // memory of the flow queues of all

  std::uint64_t bearer_bytes() const;  // of the bearers without these
};
Foreseen foresee(const config::Config& config);

// Memory of the air of a bearer of these settings; 0 when it has none.
std::uint64_t air_bytes(const dp::BearerSettings& settings);
// Of its flow queues, both directions.
std::uint64_t flow_bytes(const dp::BearerSettings& settings);

}  // namespace control
