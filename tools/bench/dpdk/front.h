// The stage before a yardstick's scheduler: the worker's own receive, parse and bearer lookup, a burst at a
// time, so that only the scheduler differs. The number of the bearer found comes from its address alone; the
// bearer itself is not read.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/bearer/index.h"
#include "dataplane/packet/burst.h"
#include "dataplane/packet/parse.h"
#include "tools/bench/dpdk/bearers.h"
#include "tools/bench/dpdk/null_io.h"

namespace dp::yardstick {

class Front {
 public:
  // `bearers` must outlive the front.
  Front(const Traffic& traffic, const std::array<std::uint16_t, 2>& ports, const BearerArray& bearers)
      : io_(traffic, ports), bearers_(bearers), index_(bearers.size(), traffic.seed) {
    for (Bearer& bearer : bearers) index_.insert(bearer);
    io_.open(true);
  }

  NullIo& io() noexcept { return io_; }
  const NullIo& io() const noexcept { return io_; }

  // The frames received; numbers()[i] is the bearer of the i-th.
  std::span<Sdu* const> receive() noexcept {
    burst_.clear();
    io_.receive(Side::core, burst_, Time{});
    for (Sdu* sdu : burst_.sdus()) parse(*sdu);
    std::array<BearerIndex::Lookup, kBurst> lookups;
    std::size_t n = 0;
    for (const Sdu* sdu : burst_.sdus())
      lookups[n++] = index_.prefetch(ue_address(*sdu, Direction::downlink));
    n = 0;
    for (const Sdu* sdu : burst_.sdus()) {
      const auto address = [&] { return ue_address(*sdu, Direction::downlink); };
      numbers_[n] = bearers_.number_of(*index_.find(lookups[n], address));
      ++n;
    }
    return burst_.sdus();
  }
  std::span<const std::uint32_t> numbers() const noexcept { return {numbers_.data(), burst_.size()}; }

 private:
  NullIo io_;
  const BearerArray& bearers_;
  BearerIndex index_;
  Burst burst_;
  std::array<std::uint32_t, kBurst> numbers_{};
};

}  // namespace dp::yardstick
