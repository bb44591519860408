// The traffic of an attacker who chooses the UEs' addresses to make the bearer index slow: it knows the hash,
// and has to guess the seed. Plain: no rte_ names.
#pragma once
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "dataplane/base/tabulation_hash.h"
#include "tools/bench/dpdk/traffic.h"

namespace dp::yardstick {

// Addresses that would all fall into one part in 64 of the index, were its seed the one guessed: each lookup
// would then walk over half of the bearers.
inline Traffic crafted(Traffic traffic) {
  constexpr std::uint64_t kParts = 64;
  const TabulationHash guess(~traffic.seed);
  const std::uint64_t entries = std::bit_ceil(std::uint64_t{traffic.bearers} * 2);
  const std::uint64_t part = entries < kParts ? 1 : entries / kParts;
  std::vector<std::uint32_t> addresses;
  addresses.reserve(traffic.bearers);
  for (std::uint32_t next = 10u << 24; addresses.size() < traffic.bearers; ++next) {
    if ((guess(next) & (entries - 1)) < part) addresses.push_back(next);
  }
  traffic.addresses = std::make_shared<const std::vector<std::uint32_t>>(std::move(addresses));
  return traffic;
}

}  // namespace dp::yardstick
