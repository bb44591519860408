// From a UE's address to its bearer: fixed capacity, open addressing, one cache line a lookup in the usual
// case, whatever addresses somebody sends who does not know the seed. Lookups come in bursts: prefetch for
// all, then find for all. Holds pointers, owns nothing.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include "dataplane/base/address.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/huge_array.h"
#include "dataplane/base/keyed_hash.h"
#include "dataplane/base/tabulation_hash.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/packet/parse.h"

namespace dp {

// Linear probing at a load of at most one half; removal shifts back, so there are no tombstones. UEs of all
// kinds share one table, with slots of 16 bytes: 64 bits of the address, and the bearer with the kind in the
// bits of its place that are zero otherwise. That is all of an IPv4 address or /64; of a /128 it is the lower
// half, and the upper half is compared in the bearer.
class BearerIndex {
 public:
  // Whoever sends packets must not know the seed. Requires: a capacity of at most 2^31.
  BearerIndex(std::size_t capacity, std::uint64_t seed)
      : hash4_(seed),
        hash6_(seed),
        slots_(std::bit_ceil(capacity < 8 ? 16 : capacity * 2)),
        mask_(slots_.size() - 1) {
    DP_EXPECT(slots_.size() <= std::size_t{1} << 32);  // hash4_ tells so many places apart
  }

  // For find(): the address's hash, its place on the way to the cache.
  std::uint64_t prefetch(const IpAddress& address) const noexcept {
    if (!address.ipv6) return prefetched(hash(ipv4(address)));
    if (narrow_ != 0) prefetched(hash(ue_ipv6_128(address.hi, address.lo)));
    return prefetched(hash(ue_ipv6_64(address.hi)));
  }

  // A bearer of the /128 is preferred to one of the /64 around it. Requires: prefetch() gave `hash`.
  Bearer* find(const IpAddress& address, std::uint64_t hash) const noexcept {
    if (!address.ipv6) return slots_[seek(ipv4(address), hash)].bearer();
    if (narrow_ != 0) {
      if (Bearer* bearer = find(ue_ipv6_128(address.hi, address.lo))) return bearer;
    }
    return slots_[seek(ue_ipv6_64(address.hi), hash)].bearer();
  }
  Bearer* find(const IpAddress& address) const noexcept { return find(address, prefetch(address)); }

  Bearer* find(const UeAddress& ue) const noexcept { return slots_[seek(ue, hash(ue))].bearer(); }
  // Slots looked at until the UE is found, or until it is known not to be there: for tests of how even the
  // index is.
  std::size_t probes(const UeAddress& ue) const noexcept {
    return ((seek(ue, hash(ue)) - hash(ue)) & mask_) + 1;
  }

  // Requires: no bearer has the same UE, and there are fewer than the capacity.
  void insert(Bearer& bearer) noexcept {
    Slot& slot = slots_[seek(bearer.ue, hash(bearer.ue))];
    DP_EXPECT(slot.word == 0 && 2 * (size_ + 1) <= slots_.size());
    slot = Slot(bearer);
    ++size_;
    if (bearer.ue.kind == UeKind::ipv6_128) ++narrow_;
  }

  void erase(const UeAddress& ue) noexcept {
    std::size_t hole = seek(ue, hash(ue));
    if (slots_[hole].word == 0) return;
    DP_EXPECT(size_ > 0);
    for (std::size_t at = (hole + 1) & mask_; slots_[at].word != 0; at = (at + 1) & mask_) {
      // May this one move back into the hole without leaving its own probe path?
      if (((at - hash(slots_[at].ue())) & mask_) < ((at - hole) & mask_)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = Slot();
    --size_;
    if (ue.kind == UeKind::ipv6_128) --narrow_;
  }

 private:
  struct Slot {
    static constexpr std::uintptr_t kKind = 3;
    static_assert(alignof(Bearer) > kKind && index(UeKind::ipv6_128) <= kKind);

    Slot() = default;
    explicit Slot(Bearer& bearer) noexcept
        : key(key_of(bearer.ue)),
          word(reinterpret_cast<std::uintptr_t>(&bearer) | dp::index(bearer.ue.kind)) {}

    static std::uint64_t key_of(const UeAddress& ue) noexcept {
      return ue.kind == UeKind::ipv6_64 ? ue.hi : ue.lo;
    }
    // Null when the slot is empty.
    Bearer* bearer() const noexcept { return reinterpret_cast<Bearer*>(word & ~kKind); }
    // Requires: the slot is not empty.
    bool is(const UeAddress& ue) const noexcept {
      if (key != key_of(ue) || (word & kKind) != dp::index(ue.kind)) return false;
      return ue.kind != UeKind::ipv6_128 || bearer()->ue.hi == ue.hi;
    }
    UeAddress ue() const noexcept {
      const auto kind = static_cast<UeKind>(word & kKind);
      if (kind == UeKind::ipv4) return {kind, 0, key};
      return kind == UeKind::ipv6_64 ? UeAddress{kind, key, 0} : UeAddress{kind, bearer()->ue.hi, key};
    }

    std::uint64_t key = 0;
    std::uintptr_t word = 0;  // where the bearer is, and its UE's kind in the lowest bits; 0: empty
  };

  static UeAddress ipv4(const IpAddress& address) noexcept {
    return ue_ipv4(static_cast<std::uint32_t>(address.lo));
  }

  std::uint64_t hash(const UeAddress& ue) const noexcept {
    if (ue.kind == UeKind::ipv4) return hash4_(static_cast<std::uint32_t>(ue.lo));
    return ue.kind == UeKind::ipv6_64 ? hash6_(ue.hi) : hash6_(ue.hi, ue.lo);
  }
  std::uint64_t prefetched(std::uint64_t hash) const noexcept {
    __builtin_prefetch(&slots_[hash & mask_]);
    return hash;
  }

  // The slot of the UE, or the empty one where it would be. Requires: `hash` is the UE's.
  std::size_t seek(const UeAddress& ue, std::uint64_t hash) const noexcept {
    std::size_t at = hash & mask_;
    while (slots_[at].word != 0 && !slots_[at].is(ue)) at = (at + 1) & mask_;
    return at;
  }

  const TabulationHash hash4_;
  const KeyedHash hash6_;
  HugeArray<Slot> slots_;
  std::size_t mask_;
  std::size_t size_ = 0;
  std::size_t narrow_ = 0;  // of them are of a /128
};

}  // namespace dp
