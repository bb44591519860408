// What bearers take of the host's memory, and whether it is there: one rule for preflight, for the control
// socket and for a configuration read again. Pure.
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

// What a bearer costs beyond its object: the registry's record and its places in the worker's table.
inline constexpr std::uint64_t kBearerOverhead = 512;

// What parts of one kind come to.
struct PartsForeseen {
  std::uint64_t count = 0;  // fresh ones
  std::uint64_t bytes = 0;  // their memory
};
template <class Part>
struct PartLines {
  std::array<PartsForeseen, Part::kMemory.size()> lines{};
};

// What so many bearers and cells come to.
struct Foreseen {
  std::uint64_t bearers = 0;
  dp::PartList::Tuple<PartLines> parts{};
  std::uint64_t kept = 0;        // segments that ACK stages may keep, each in a frame of the pool
  std::uint64_t promised = 0;    // frames of the pool that connections of split proxies may fill
  std::uint64_t cells = 0;       // fresh ones
  std::uint64_t cell_bytes = 0;  // their memory

  void add(const dp::BearerSettings& settings, std::uint64_t count = 1);
  void add_cell(const dp::CellSettings& settings);
  // One that runs: what the change calls for is there before what it replaces goes.
  void add_change(const dp::BearerSettings& was, const dp::BearerSettings& to);

  template <class Part>
  PartsForeseen& of(std::size_t line = 0) {
    return std::get<PartLines<Part>>(parts).lines[line];
  }
  template <class Part>
  const PartsForeseen& of(std::size_t line = 0) const {
    return std::get<PartLines<Part>>(parts).lines[line];
  }

  std::uint64_t bearer_bytes() const;  // of the bearers without these
  std::uint64_t bytes() const;
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
