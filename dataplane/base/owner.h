// Which of several workers has a UE's bearer: it follows from the UE's address, so that whoever has one knows
// without a lookup, and both directions of a UE meet.
#pragma once
#include <cstdint>

#include "dataplane/base/address.h"
#include "dataplane/base/expect.h"

namespace dp {

// From 0 to `workers` - 1, in even shares of addresses that lie side by side. Requires: there is a worker.
constexpr unsigned owner_of(std::uint64_t address, unsigned workers) noexcept {
  DP_EXPECT_HOT(workers > 0);
  std::uint64_t h = address * 0x9e3779b97f4a7c15;
  h = (h ^ h >> 32) * 0xd6e8feb86659fd93;
  return static_cast<unsigned>((h >> 32) * workers >> 32);
}

// An IPv6 address counts by its /64: a bearer of one address and one of the /64 around it are on one worker.
constexpr unsigned owner_of(const UeAddress& ue, unsigned workers) noexcept {
  return owner_of(ue.kind == UeKind::ipv4 ? ue.lo : ue.hi, workers);
}

}  // namespace dp
