// The memory needed by bearers, and whether the host has it: one rule for preflight, for the control socket
// and for a configuration read again. Pure.
// Tests: tests/unit/control/host/preflight_test.cc
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "config/model.h"
#include "dataplane/bearer/part/list.h"

namespace control {

// Memory of a bearer's samples (control/bearers/bearer_meter.h).
inline constexpr std::uint64_t kMeterBytes = 360;
// Memory of a bearer beyond its object: the registry's record, its entries in the worker's table, its
// samples.
inline constexpr std::uint64_t kBearerOverhead = 512 + kMeterBytes;

// The sum over the parts of one kind.
struct PartsEstimate {
  std::uint64_t count = 0;  // fresh ones
  std::uint64_t bytes = 0;  // their memory
};
template <class Part>
struct PartLines {
  std::array<PartsEstimate, Part::kMemory.size()> lines{};
};

// The memory needed by a number of bearers and cells.
struct MemoryEstimate {
  std::uint64_t bearers = 0;
  dp::PartList::Tuple<PartLines> parts{};
  std::uint64_t kept = 0;        // segments that ACK stages may keep, each in a frame of the pool
  std::uint64_t promised = 0;    // frames of the pool that connections of split proxies may fill
  std::uint64_t cells = 0;       // fresh ones
  std::uint64_t cell_bytes = 0;  // their memory
  bool tunnels = false;          // each worker has a dp::TunnelBook

  void add(const dp::BearerSettings& settings, std::uint64_t count = 1);
  void add_cell(const dp::CellSettings& settings);
  // Adds the change of a running bearer: the new parts are allocated before the old ones are freed.
  void add_change(const dp::BearerSettings& was, const dp::BearerSettings& to);

  template <class Part>
  PartsEstimate& of(std::size_t line = 0) {
    return std::get<PartLines<Part>>(parts).lines[line];
  }
  template <class Part>
  const PartsEstimate& of(std::size_t line = 0) const {
    return std::get<PartLines<Part>>(parts).lines[line];
  }

  std::uint64_t bearer_bytes() const;  // the bearers alone, without parts and cells
  std::uint64_t bytes() const;
};

// The estimate for the bearers that the file lists or may let be learnt; bearers in the pool count as learnt.
MemoryEstimate estimate_memory(const config::Config& config);

// Memory outside huge pages.
struct Demand {
  std::uint64_t frames = 0;  // bytes
  MemoryEstimate bearers;    // to be created now
  MemoryEstimate to_come{};  // may be learnt later; their memory is reserved
  std::uint64_t books = 0;   // bytes of the workers' books of tunnels
  std::uint64_t bytes() const { return frames + bearers.bytes() + to_come.bytes() + books; }
};

// The amount of memory, and its purposes.
std::string to_string(const Demand& demand);

// The problem with only `available` bytes, and the remedy; none if they suffice.
std::optional<std::string> lacking(const Demand& demand, std::uint64_t available);

std::string mib(std::uint64_t bytes);

}  // namespace control
