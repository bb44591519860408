// What bearers take of the host's memory, and whether it is there: one rule for preflight, for the control
// socket and for a configuration read again. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "config/model.h"

namespace control {

// What a bearer costs beyond its object: the registry's record and its places in the worker's table.
inline constexpr std::uint64_t kBearerOverhead = 512;

// What so many bearers and cells come to.
struct Foreseen {
  std::uint64_t bearers = 0;
  std::uint64_t airs = 0;         // fresh ones, for links that are `am`
  std::uint64_t air_bytes = 0;    // their memory
  std::uint64_t flow_bytes = 0;   // memory of flow queues
  std::uint64_t sfp_bytes = 0;    // of queues that let short flows go first
  std::uint64_t aqm_bytes = 0;    // memory of AQM policies that judge
  std::uint64_t ack_bytes = 0;    // memory of ACK stages, and of the flows that they follow
  std::uint64_t radio_bytes = 0;  // of what bearers have in a cell: the radio, above all
  std::uint64_t um_bytes = 0;     // of what legs cross over `um`
  std::uint64_t kept = 0;         // segments that ACK stages may keep, each in a frame of the pool
  std::uint64_t proxies = 0;      // fresh ones, that split connections
  std::uint64_t proxy_bytes = 0;  // their memory
  std::uint64_t promised = 0;     // frames of the pool that their connections may fill
  std::uint64_t cells = 0;        // fresh ones
  std::uint64_t cell_bytes = 0;   // their memory

  void add(const dp::BearerSettings& settings, std::uint64_t count = 1);
  void add_cell(const dp::CellSettings& settings);
  // One that runs: what the change calls for is there before what it replaces goes.
  void add_change(const dp::BearerSettings& was, const dp::BearerSettings& to);

  std::uint64_t bearer_bytes() const;  // of the bearers without these
  std::uint64_t bytes() const {
    return bearer_bytes() + air_bytes + flow_bytes + sfp_bytes + aqm_bytes + ack_bytes + radio_bytes +
           um_bytes + proxy_bytes + cell_bytes;
  }
};

// The bearers that the file names or lets be learnt; those in stock count as learnt.
Foreseen foresee(const config::Config& config);

// Memory that is no huge pages.
struct Demand {
  std::uint64_t frames = 0;  // bytes
  Foreseen bearers;          // to be made now
  Foreseen to_come{};        // that may be learnt later; their memory is spoken for
  std::uint64_t bytes() const { return frames + bearers.bytes() + to_come.bytes(); }
};

// How much it is, and for what.
std::string to_string(const Demand& demand);

// What is wrong when so much is available, and how to mend it; none when it is enough.
std::optional<std::string> lacking(const Demand& demand, std::uint64_t available);

std::string mib(std::uint64_t bytes);

}  // namespace control
