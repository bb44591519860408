#include "dataplane/dpdk/ue_steering.h"

#include <bit>

#include "dataplane/base/expect.h"
#include "dataplane/base/owner.h"

namespace dp::dpdk {
namespace {

constexpr unsigned kSlotBits = std::countr_zero(kOwnerSlots);

}  // namespace

// The hash is the exclusive or, over the bits i of the input that are set, of the key's 32 bits from bit i on
// (counted from the left). Its lowest seven bits are therefore the key's bits i + 25 to i + 31. A single one
// at bit m of the key gives bit 62 - m - k of the source address to bit k of the hash: with m = 56 - s for
// each shift s, bit k of the hash is bit 6 - k of the exclusive or of all address >> s. The ones are between
// 31 and 56: for the destination, bits 32 to 63 of the input, the lowest seven bits come from 57 to 94, and
// for ports from 89 on, where all bits are zero. For the destination the ones are 32 bits further on, between
// 63 and 88; the bits for the source, 25 to 62, and those for the ports are zero.
std::vector<std::uint8_t> ue_hash_key(Side side, std::size_t bytes) {
  DP_EXPECT(bytes >= kLeastKey);
  std::vector<std::uint8_t> key(bytes);
  for (const unsigned shift : kOwnerShifts) {
    const unsigned bit = 56 - shift + (side == Side::core ? 32 : 0);
    key[bit / 8] = static_cast<std::uint8_t>(key[bit / 8] | 0x80 >> bit % 8);
  }
  return key;
}

std::vector<std::uint16_t> ue_queue_table(Side side, const QueueMap& map, std::size_t entries) {
  DP_EXPECT(entries >= kLeastTable && std::has_single_bit(entries));
  std::vector<std::uint16_t> queues(entries);
  for (std::size_t entry = 0; entry < entries; ++entry) {
    unsigned slot = 0;
    for (unsigned k = 0; k < kSlotBits; ++k) slot |= (entry >> k & 1) << (kSlotBits - 1 - k);
    queues[entry] = static_cast<std::uint16_t>(map.queue_for(side, owner_of_slot(slot, map.workers())));
  }
  return queues;
}

}  // namespace dp::dpdk
