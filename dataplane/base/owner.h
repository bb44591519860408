// Which of several workers has a UE's bearer: it follows from the UE's address, so that whoever has one knows
// without a lookup, and both directions of a UE meet.
#pragma once
#include <array>
#include <cstdint>

#include "dataplane/base/address.h"
#include "dataplane/base/expect.h"

namespace dp {

// An address falls into one of these, and each slot has an owner. A slot's number is an exclusive or of parts
// of the address, because then the hash by which NICs spread frames (Toeplitz, MS-RSS) can tell it too, for
// IPv4: with a key made for it (dataplane/dpdk/ue_steering.h) the NIC gives a UE's frames to its owner. 128
// is the size of the smallest common redirection table.
inline constexpr unsigned kOwnerSlots = 128;
// By how much the address is shifted for each part. All 32 bits take part; slots of addresses that lie side
// by side, 128 of them from a multiple of 128 on, are all different.
inline constexpr std::array<unsigned, 5> kOwnerShifts{0, 7, 14, 21, 25};

constexpr unsigned owner_slot(std::uint64_t address) noexcept {
  const auto a = static_cast<std::uint32_t>(address ^ address >> 32);
  std::uint32_t slot = 0;
  for (const unsigned shift : kOwnerShifts) slot ^= a >> shift;
  return slot % kOwnerSlots;
}

// From 0 to `workers` - 1. The workers' shares of the slots differ by one at most, and slots that lie side by
// side go to different workers as far as there are some: 79 / 128 is close to the golden ratio. Requires:
// there is a worker, and no more than slots.
constexpr unsigned owner_of_slot(unsigned slot, unsigned workers) noexcept {
  DP_EXPECT_HOT(workers > 0 && workers <= kOwnerSlots);
  return slot * 79 % kOwnerSlots * workers / kOwnerSlots;
}

// The owner of an address: an IPv4 address, or the upper half of an IPv6 address.
constexpr unsigned owner_of(std::uint64_t address, unsigned workers) noexcept {
  return owner_of_slot(owner_slot(address), workers);
}

// An IPv6 address counts by its /64: a bearer of one address and one of the /64 around it are on one worker.
// The network does not count, so that code that hands frames to their owner needs no networks.
constexpr unsigned owner_of(const UeAddress& ue, unsigned workers) noexcept {
  return owner_of(ue.kind == UeKind::ipv4 ? ue.lo : ue.hi, workers);
}

}  // namespace dp
