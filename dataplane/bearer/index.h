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
#include "dataplane/bearer/dedicated.h"
#include "dataplane/packet/parse.h"

namespace dp {

// Linear probing at a load of at most one half; removal shifts back, so there are no tombstones. UEs of all
// kinds share one table, with slots of 16 bytes: 64 bits of the address, and the bearer's address with the
// kind in its low bits, which are zero otherwise. An IPv4 address or a /64 fits completely; a /128 has its
// lower half there, and the upper half is compared in the bearer. UEs of a network are a kind of their own,
// and compared completely in the bearer. A UE with dedicated bearers has one slot, with a mark, which points
// at the list of its bearers (bearer/dedicated.h).
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
  // The UE's only bearer. Null if there is none, or if the UE has dedicated bearers: find(IpAddress) looks
  // for these. `address` returns the argument of prefetch(); it is called while there are bearers of a /128,
  // and for addresses of a network. Requires: no bearer of a /128 came since.
  template <class Address>
  [[gnu::always_inline]] Bearer* find(const Lookup& lookup, Address&& address) const noexcept {
    if (lookup.kind == UeKind::ipv6_128) [[unlikely]]
      return find_only(address());
    // At a load of one half every fourth UE stands behind its first slot, every tenth behind the second,
    // every twentieth behind the third, without a pattern. A mispredicted branch would wait for the slot, and
    // delay the fetches of the legs of this frame and the frames behind it: so the first two steps take no
    // branch. A step over an empty slot misses no UE, since none stands behind an empty slot.
    std::size_t at = lookup.at;
    for (int i = 0; i < 2; ++i) at = (at + std::size_t{slots_[at].key != lookup.key}) & mask_;
    for (;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      // An empty slot has the key and kind of 0.0.0.0, and no bearer.
      if (slot.key == lookup.key && slot.is_plain(lookup.kind)) [[likely]]
        return slot.bearer();
      if (slot.word == 0) return nullptr;
    }
  }

  // Prefers a bearer of the /128 to one of the /64 around it. Where the UE has dedicated bearers, `choose`
  // returns one of its bearers, or null (bearer/dedicated.h).
  template <class Choose>
  Bearer* find(const IpAddress& address, Choose&& choose) const noexcept {
    const auto chosen = [&](const UeAddress& ue) -> Bearer* {
      const Slot& slot = slots_[seek(ue)];
      return slot.has_dedicated() ? choose(*slot.bearer()) : slot.bearer();
    };
    if (!address.ipv6) return chosen(ipv4(address));
    if (narrow_ != 0) {
      if (Bearer* bearer = chosen(ue_ipv6_128(address.hi, address.lo, address.network))) return bearer;
    }
    return chosen(ue_ipv6_64(address.hi, address.network));
  }
  // The bearer of that name.
  Bearer* find(const UeAddress& ue) const noexcept {
    const Slot& slot = slots_[seek(ue)];
    Bearer* const bearer = slot.bearer();
    if (bearer == nullptr || bearer->ue == ue) return bearer;
    return slot.has_dedicated() ? dedicated::named(*bearer, ue) : nullptr;
  }
  // Calls f(bearer) for all bearers of the UE with that address.
  template <class F>
  void for_each_of(const IpAddress& address, F&& f) const noexcept {
    Bearer* const first = find(address, [](Bearer& of_several) { return &of_several; });
    if (first != nullptr) dedicated::for_each(*first, f);
  }
  template <class F>
  void for_each_of(const UeAddress& ue, F&& f) const noexcept {
    Bearer* const first = slots_[seek(ue)].bearer();
    if (first != nullptr) dedicated::for_each(*first, f);
  }
  // Slots read until the UE is found, or known to be absent: for tests of how even the index is.
  std::size_t probes(const UeAddress& ue) const noexcept { return ((seek(ue) - hash(ue)) & mask_) + 1; }

  // Requires: no bearer has the same name, and there are fewer than the capacity.
  void insert(Bearer& bearer) noexcept {
    Slot& slot = slots_[seek(bearer.ue)];
    DP_EXPECT(2 * (size_ + 1) <= slots_.size());
    slot = slot.word == 0 ? Slot(bearer) : Slot(dedicated::join(*slot.bearer(), bearer));
    ++size_;
    if (bearer.ue.kind == UeKind::ipv6_128) ++narrow_;
  }

  void erase(const UeAddress& ue) noexcept {
    Bearer* const gone = find(ue);
    if (gone == nullptr) return;
    std::size_t hole = seek(ue);
    DP_EXPECT(size_ > 0);
    --size_;
    if (ue.kind == UeKind::ipv6_128) --narrow_;
    Bearer* const rest = dedicated::leave(*slots_[hole].bearer(), *gone);
    if (rest != nullptr) {
      slots_[hole] = Slot(*rest);
      return;
    }
    for (std::size_t at = (hole + 1) & mask_; slots_[at].word != 0; at = (at + 1) & mask_) {
      // May this one move back into the hole without leaving its own probe path?
      if (((at - hash(slots_[at].ue())) & mask_) < ((at - hole) & mask_)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = Slot();
  }

 private:
  struct Slot {
    static constexpr std::uintptr_t kKind = 3, kDedicated = 4;
    static constexpr UeKind kOfNetwork{kKind};  // the complete UE stands in the bearer
    static_assert(alignof(Bearer) > (kKind | kDedicated) && index(UeKind::ipv6_128) < kKind);

    Slot() = default;
    // The UE's only bearer, or the first of its list.
    explicit Slot(Bearer& bearer) noexcept
        : key(key_of(bearer.ue)),
          word(reinterpret_cast<std::uintptr_t>(&bearer) | dp::index(kind_of(bearer.ue)) |
               (bearer.ue.dedicated == Dedicated::no ? 0 : kDedicated)) {}

    static std::uint64_t key_of(const UeAddress& ue) noexcept {
      return ue.kind == UeKind::ipv6_64 ? ue.hi : ue.lo;
    }
    static UeKind kind_of(const UeAddress& ue) noexcept {
      return ue.network == kNoNetwork ? ue.kind : kOfNetwork;
    }
    // Null if the slot is empty.
    Bearer* bearer() const noexcept { return reinterpret_cast<Bearer*>(word & ~(kKind | kDedicated)); }
    // ipv4 for an empty slot.
    UeKind kind() const noexcept { return static_cast<UeKind>(word & kKind); }
    bool has_dedicated() const noexcept { return (word & kDedicated) != 0; }
    // True for a UE of that kind without dedicated bearers.
    bool is_plain(UeKind kind) const noexcept {
      return static_cast<UeKind>(word & (kKind | kDedicated)) == kind;
    }
    // Requires: the slot is not empty.
    bool is(const UeAddress& ue) const noexcept {
      if (key != key_of(ue) || kind() != kind_of(ue)) return false;
      return kind() < UeKind::ipv6_128 || same_ue(bearer()->ue, ue);
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

  Bearer* find_only(const IpAddress& address) const noexcept {
    bool several = false;
    Bearer* const bearer = find(address, [&](Bearer&) -> Bearer* {
      several = true;
      return nullptr;
    });
    return several ? nullptr : bearer;
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
