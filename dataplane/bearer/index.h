// Maps a UE's address to its bearer: fixed capacity, open addressing, usually one cache line a lookup, for
// any choice of addresses by a sender who does not know the seed. Lookups come in bursts: prefetch for all,
// then find for all. Holds pointers, owns nothing (dataplane/decisions/047).
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
// kinds share one table, with slots of 16 bytes: 64 bits of the address, and the bearer's address with the
// kind in its low bits, which are zero otherwise. An IPv4 address or a /64 fits completely; a /128 has its
// lower half there, and the upper half is compared in the bearer. UEs of a network are a kind of their own,
// and compared completely in the bearer.
class BearerIndex {
 public:
  // Senders of packets must not know the seed. Requires: a capacity of at most 2^31.
  BearerIndex(std::size_t capacity, std::uint64_t seed)
      : hash4_(seed),
        hash6_(seed),
        slots_(std::bit_ceil(capacity < 8 ? 16 : capacity * 2)),
        mask_(slots_.size() - 1) {
    DP_EXPECT(slots_.size() <= std::size_t{1} << 32);  // hash4_ distinguishes that many slots
  }

  // A lookup in progress: the key, and the slot where the search starts.
  struct Lookup {
    std::uint64_t key;
    std::uint32_t at;
    UeKind kind;  // ipv6_128: first the /128 is sought, then the /64 around it; or a UE of a network
  };
  // Fetches the address's slot into the cache.
  Lookup prefetch(const IpAddress& address) const noexcept {
    if (address.network != kNoNetwork) [[unlikely]]
      return prefetch_of_network(address.ipv6, address.hi, address.lo, address.network);
    if (!address.ipv6) return prefetched(ipv4(address));
    if (narrow_ == 0) return prefetched(ue_ipv6_64(address.hi));
    prefetched(ue_ipv6_64(address.hi));
    return prefetched(ue_ipv6_128(address.hi, address.lo));
  }
  // Null if there is none. `address` returns the argument of prefetch(); it is called while there are bearers
  // of a /128, and for addresses of a network. Requires: no bearer of a /128 came since.
  template <class Address>
  [[gnu::always_inline]] Bearer* find(const Lookup& lookup, Address&& address) const noexcept {
    if (lookup.kind == UeKind::ipv6_128) [[unlikely]]
      return find(address());
    // At a load of one half every fourth UE stands behind its first slot, every tenth behind the second,
    // every twentieth behind the third, without a pattern. A mispredicted branch would wait for the slot, and
    // delay the fetches of the legs of this frame and the frames behind it: so the first two steps take no
    // branch. A step over an empty slot misses no UE, since none stands behind an empty slot.
    std::size_t at = lookup.at;
    for (int i = 0; i < 2; ++i) at = (at + std::size_t{slots_[at].key != lookup.key}) & mask_;
    for (;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      // An empty slot has the key and kind of 0.0.0.0, and no bearer.
      if (slot.key == lookup.key && slot.kind() == lookup.kind) [[likely]]
        return slot.bearer();
      if (slot.word == 0) return nullptr;
    }
  }

  // Prefers a bearer of the /128 to one of the /64 around it.
  Bearer* find(const IpAddress& address) const noexcept {
    if (!address.ipv6) return find(ipv4(address));
    if (narrow_ != 0) {
      if (Bearer* bearer = find(ue_ipv6_128(address.hi, address.lo, address.network))) return bearer;
    }
    return find(ue_ipv6_64(address.hi, address.network));
  }
  Bearer* find(const UeAddress& ue) const noexcept { return slots_[seek(ue)].bearer(); }
  // Slots read until the UE is found, or known to be absent: for tests of how even the index is.
  std::size_t probes(const UeAddress& ue) const noexcept { return ((seek(ue) - hash(ue)) & mask_) + 1; }

  // Requires: no bearer has the same UE, and there are fewer than the capacity.
  void insert(Bearer& bearer) noexcept {
    Slot& slot = slots_[seek(bearer.ue)];
    DP_EXPECT(slot.word == 0 && 2 * (size_ + 1) <= slots_.size());
    slot = Slot(bearer);
    ++size_;
    if (bearer.ue.kind == UeKind::ipv6_128) ++narrow_;
  }

  void erase(const UeAddress& ue) noexcept {
    std::size_t hole = seek(ue);
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
    static constexpr UeKind kOfNetwork{kKind};  // the complete UE stands in the bearer
    static_assert(alignof(Bearer) > kKind && index(UeKind::ipv6_128) < kKind);

    Slot() = default;
    explicit Slot(Bearer& bearer) noexcept
        : key(key_of(bearer.ue)),
          word(reinterpret_cast<std::uintptr_t>(&bearer) | dp::index(kind_of(bearer.ue))) {}

    static std::uint64_t key_of(const UeAddress& ue) noexcept {
      return ue.kind == UeKind::ipv6_64 ? ue.hi : ue.lo;
    }
    static UeKind kind_of(const UeAddress& ue) noexcept {
      return ue.network == kNoNetwork ? ue.kind : kOfNetwork;
    }
    // Null if the slot is empty.
    Bearer* bearer() const noexcept { return reinterpret_cast<Bearer*>(word & ~kKind); }
    // ipv4 for an empty slot.
    UeKind kind() const noexcept { return static_cast<UeKind>(word & kKind); }
    // Requires: the slot is not empty.
    bool is(const UeAddress& ue) const noexcept {
      if (key != key_of(ue) || kind() != kind_of(ue)) return false;
      return kind() < UeKind::ipv6_128 || bearer()->ue == ue;
    }
    UeAddress ue() const noexcept {
      if (kind() == UeKind::ipv4) return {0, key, kind()};
      return kind() == UeKind::ipv6_64 ? UeAddress{key, 0, kind()} : bearer()->ue;
    }

    std::uint64_t key = 0;
    std::uintptr_t word = 0;  // the bearer's address, and its UE's kind in the lowest bits; 0: empty
  };

  static UeAddress ipv4(const IpAddress& address) noexcept {
    return ue_ipv4(static_cast<std::uint32_t>(address.lo), address.network);
  }

  std::uint64_t hash(const UeAddress& ue) const noexcept {
    if (ue.network != kNoNetwork) [[unlikely]]
      return hash6_(ue.hi, ue.lo, ue.network);
    if (ue.kind == UeKind::ipv4) return hash4_(static_cast<std::uint32_t>(ue.lo));
    return ue.kind == UeKind::ipv6_64 ? hash6_(ue.hi) : hash6_(ue.hi, ue.lo);
  }
  Lookup prefetched(const UeAddress& ue) const noexcept {
    const std::uint64_t at = hash(ue) & mask_;
    __builtin_prefetch(&slots_[at]);
    return {Slot::key_of(ue), static_cast<std::uint32_t>(at), ue.kind};
  }

  // By value: an address in registers is then not written to memory for this.
  [[gnu::noinline]] Lookup prefetch_of_network(bool ipv6, std::uint64_t hi, std::uint64_t lo,
                                               NetworkId network) const noexcept {
    if (!ipv6) {
      prefetched(ue_ipv4(static_cast<std::uint32_t>(lo), network));
    } else {
      if (narrow_ != 0) prefetched(ue_ipv6_128(hi, lo, network));
      prefetched(ue_ipv6_64(hi, network));
    }
    return {0, 0, UeKind::ipv6_128};
  }

  // The slot of the UE, or the empty one where it would be.
  std::size_t seek(const UeAddress& ue) const noexcept {
    std::size_t at = hash(ue) & mask_;
    while (slots_[at].word != 0 && !slots_[at].is(ue)) at = (at + 1) & mask_;
    return at;
  }

  const TabulationHash hash4_;
  const KeyedHash hash6_;
  HugeArray<Slot> slots_;
  std::size_t mask_;
  std::size_t size_ = 0;
  std::size_t narrow_ = 0;  // bearers of a /128 among them
};

}  // namespace dp
