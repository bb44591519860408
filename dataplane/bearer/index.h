// From a UE's address to its bearer: fixed capacity, open addressing, one cache line a lookup in the usual
// case. Lookups come in bursts: prefetch for all, then find for all. Holds pointers, owns nothing.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataplane/base/address.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/packet/parse.h"

namespace dp {

// Linear probing at a load of at most one half; removal shifts back, so there are no tombstones.
template <class Key>
class AddressTable {
 public:
  explicit AddressTable(std::size_t capacity)
      : slots_(std::bit_ceil(capacity < 8 ? 16 : capacity * 2)), mask_(slots_.size() - 1) {}

  void prefetch(const Key& key) const noexcept { __builtin_prefetch(&slots_[home(key)]); }

  Bearer* find(const Key& key) const noexcept {
    for (std::size_t at = home(key);; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.bearer == nullptr || slot.key == key) return slot.bearer;
    }
  }

  // The key must not be in the table, and the table not at its capacity.
  void insert(const Key& key, Bearer& bearer) noexcept {
    std::size_t at = home(key);
    while (slots_[at].bearer != nullptr) at = (at + 1) & mask_;
    slots_[at] = {key, &bearer};
    ++size_;
  }

  void erase(const Key& key) noexcept {
    std::size_t hole = home(key);
    while (slots_[hole].bearer != nullptr && slots_[hole].key != key) hole = (hole + 1) & mask_;
    if (slots_[hole].bearer == nullptr) return;
    for (std::size_t at = (hole + 1) & mask_; slots_[at].bearer != nullptr; at = (at + 1) & mask_) {
      // May this one move back into the hole without leaving its own probe path?
      if (((at - home(slots_[at].key)) & mask_) < ((at - hole) & mask_)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole].bearer = nullptr;
    --size_;
  }

  std::size_t size() const noexcept { return size_; }

 private:
  struct Slot {
    Key key{};
    Bearer* bearer = nullptr;
  };

  std::size_t home(const Key& key) const noexcept {
    const std::uint64_t mixed = key.mix() * 0x9e3779b97f4a7c15u;
    return (mixed ^ mixed >> 32) & mask_;
  }

  std::vector<Slot> slots_;
  std::size_t mask_;
  std::size_t size_ = 0;
};

class BearerIndex {
 public:
  explicit BearerIndex(std::size_t capacity) : ipv4_(capacity), ipv6_64_(capacity), ipv6_128_(capacity) {}

  void prefetch(const IpAddress& address) const noexcept {
    if (!address.ipv6) return ipv4_.prefetch(ipv4(address));
    ipv6_64_.prefetch({address.hi});
    if (ipv6_128_.size() != 0) ipv6_128_.prefetch({address.hi, address.lo});
  }

  // A bearer of the /128 is preferred to one of the /64 around it.
  Bearer* find(const IpAddress& address) const noexcept {
    if (!address.ipv6) return ipv4_.find(ipv4(address));
    if (ipv6_128_.size() != 0) {
      if (Bearer* bearer = ipv6_128_.find({address.hi, address.lo})) return bearer;
    }
    return ipv6_64_.find({address.hi});
  }

  Bearer* find(const UeAddress& ue) const noexcept {
    if (ue.kind == UeKind::ipv4) return ipv4_.find({static_cast<std::uint32_t>(ue.lo)});
    return ue.kind == UeKind::ipv6_64 ? ipv6_64_.find({ue.hi}) : ipv6_128_.find({ue.hi, ue.lo});
  }

  // No bearer may have the same UE.
  void insert(Bearer& bearer) noexcept {
    with_table(bearer.ue, [&](auto& table, const auto& key) { table.insert(key, bearer); });
  }

  void erase(const UeAddress& ue) noexcept {
    with_table(ue, [](auto& table, const auto& key) { table.erase(key); });
  }

 private:
  struct Ipv4Key {
    std::uint32_t address = 0;
    std::uint64_t mix() const noexcept { return address; }
    friend bool operator==(const Ipv4Key&, const Ipv4Key&) = default;
  };
  struct Ipv6PrefixKey {
    std::uint64_t hi = 0;
    std::uint64_t mix() const noexcept { return hi ^ hi >> 32; }
    friend bool operator==(const Ipv6PrefixKey&, const Ipv6PrefixKey&) = default;
  };
  struct Ipv6Key {
    std::uint64_t hi = 0, lo = 0;
    std::uint64_t mix() const noexcept { return (hi ^ hi >> 32) * 0xff51afd7ed558ccdu ^ lo ^ lo >> 32; }
    friend bool operator==(const Ipv6Key&, const Ipv6Key&) = default;
  };

  static Ipv4Key ipv4(const IpAddress& address) noexcept { return {static_cast<std::uint32_t>(address.lo)}; }

  template <class F>
  void with_table(const UeAddress& ue, F&& f) noexcept {
    switch (ue.kind) {
      case UeKind::ipv4:
        return f(ipv4_, Ipv4Key{static_cast<std::uint32_t>(ue.lo)});
      case UeKind::ipv6_64:
        return f(ipv6_64_, Ipv6PrefixKey{ue.hi});
      case UeKind::ipv6_128:
        return f(ipv6_128_, Ipv6Key{ue.hi, ue.lo});
    }
  }

  AddressTable<Ipv4Key> ipv4_;
  AddressTable<Ipv6PrefixKey> ipv6_64_;
  AddressTable<Ipv6Key> ipv6_128_;
};

}  // namespace dp
