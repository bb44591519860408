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
#include "dataplane/bearer/bearer.h"
#include "dataplane/packet/parse.h"

namespace dp {

// Linear probing at a load of at most one half; removal shifts back, so there are no tombstones.
template <class Key>
class AddressTable {
 public:
  AddressTable(std::size_t capacity, const KeyedHash& hash)
      : hash_(hash), entries_(std::bit_ceil(capacity < 8 ? 16 : capacity * 2)), mask_(entries_.size() - 1) {}

  std::uint64_t hash(const Key& key) const noexcept { return key.hashed(hash_); }
  void prefetch(std::uint64_t hash) const noexcept { __builtin_prefetch(&entries_[hash & mask_]); }

  // Requires: `hash` is the key's.
  Bearer* find(const Key& key, std::uint64_t hash) const noexcept { return entries_[seek(key, hash)].bearer; }
  Bearer* find(const Key& key) const noexcept { return find(key, hash(key)); }
  // Entries looked at until the key is found, or until it is known not to be there.
  std::size_t probes(const Key& key) const noexcept {
    return ((seek(key, hash(key)) - hash(key)) & mask_) + 1;
  }

  // Requires: the key is not in the table, and the table not at its capacity.
  void insert(const Key& key, Bearer& bearer) noexcept {
    Entry& entry = entries_[seek(key, hash(key))];
    DP_EXPECT(entry.bearer == nullptr && 2 * (size_ + 1) <= entries_.size());
    entry = {key, &bearer};
    ++size_;
  }

  void erase(const Key& key) noexcept {
    std::size_t hole = seek(key, hash(key));
    if (entries_[hole].bearer == nullptr) return;
    DP_EXPECT(size_ > 0);
    for (std::size_t at = (hole + 1) & mask_; entries_[at].bearer != nullptr; at = (at + 1) & mask_) {
      // May this one move back into the hole without leaving its own probe path?
      if (((at - hash(entries_[at].key)) & mask_) < ((at - hole) & mask_)) continue;
      entries_[hole] = entries_[at];
      hole = at;
    }
    entries_[hole].bearer = nullptr;
    --size_;
  }

  std::size_t size() const noexcept { return size_; }

 private:
  struct Entry {
    Key key{};
    Bearer* bearer = nullptr;
  };

  // Where the key is, or the empty entry where it would be.
  std::size_t seek(const Key& key, std::uint64_t hash) const noexcept {
    std::size_t at = hash & mask_;
    while (entries_[at].bearer != nullptr && !(entries_[at].key == key)) at = (at + 1) & mask_;
    return at;
  }

  const KeyedHash hash_;
  HugeArray<Entry> entries_;
  std::size_t mask_;
  std::size_t size_ = 0;
};

class BearerIndex {
 public:
  // Whoever sends packets must not know the seed.
  BearerIndex(std::size_t capacity, std::uint64_t seed) : BearerIndex(capacity, KeyedHash(seed)) {}

  // For find(): the address's hash, its place on the way to the cache.
  std::uint64_t prefetch(const IpAddress& address) const noexcept {
    if (!address.ipv6) return prefetched(ipv4_, ipv4(address));
    if (ipv6_128_.size() != 0) prefetched(ipv6_128_, Ipv6Key{address.hi, address.lo});
    return prefetched(ipv6_64_, Ipv6PrefixKey{address.hi});
  }

  // A bearer of the /128 is preferred to one of the /64 around it. Requires: prefetch() gave `hash`.
  Bearer* find(const IpAddress& address, std::uint64_t hash) const noexcept {
    if (!address.ipv6) return ipv4_.find(ipv4(address), hash);
    if (ipv6_128_.size() != 0) {
      if (Bearer* bearer = ipv6_128_.find({address.hi, address.lo})) return bearer;
    }
    return ipv6_64_.find({address.hi}, hash);
  }
  Bearer* find(const IpAddress& address) const noexcept { return find(address, prefetch(address)); }

  Bearer* find(const UeAddress& ue) const noexcept {
    return with_table<Bearer*>(*this, ue, [](const auto& table, const auto& key) { return table.find(key); });
  }
  // Entries that looking for the UE takes: for tests of how even the index is.
  std::size_t probes(const UeAddress& ue) const noexcept {
    return with_table<std::size_t>(*this, ue,
                                   [](const auto& table, const auto& key) { return table.probes(key); });
  }

  // Requires: no bearer has the same UE.
  void insert(Bearer& bearer) noexcept {
    with_table<void>(*this, bearer.ue, [&](auto& table, const auto& key) { table.insert(key, bearer); });
  }

  void erase(const UeAddress& ue) noexcept {
    with_table<void>(*this, ue, [](auto& table, const auto& key) { table.erase(key); });
  }

 private:
  struct Ipv4Key {
    std::uint32_t address = 0;
    std::uint64_t hashed(const KeyedHash& hash) const noexcept { return hash(address); }
    friend bool operator==(const Ipv4Key&, const Ipv4Key&) = default;
  };
  struct Ipv6PrefixKey {
    std::uint64_t hi = 0;
    std::uint64_t hashed(const KeyedHash& hash) const noexcept { return hash(hi); }
    friend bool operator==(const Ipv6PrefixKey&, const Ipv6PrefixKey&) = default;
  };
  struct Ipv6Key {
    std::uint64_t hi = 0, lo = 0;
    std::uint64_t hashed(const KeyedHash& hash) const noexcept { return hash(hi, lo); }
    friend bool operator==(const Ipv6Key&, const Ipv6Key&) = default;
  };

  BearerIndex(std::size_t capacity, const KeyedHash& hash)
      : ipv4_(capacity, hash), ipv6_64_(capacity, hash), ipv6_128_(capacity, hash) {}

  static Ipv4Key ipv4(const IpAddress& address) noexcept { return {static_cast<std::uint32_t>(address.lo)}; }

  template <class Key>
  static std::uint64_t prefetched(const AddressTable<Key>& table, const Key& key) noexcept {
    const std::uint64_t hash = table.hash(key);
    table.prefetch(hash);
    return hash;
  }

  template <class Result, class Index, class F>
  static Result with_table(Index& index, const UeAddress& ue, F&& f) noexcept {
    switch (ue.kind) {
      case UeKind::ipv4:
        return f(index.ipv4_, Ipv4Key{static_cast<std::uint32_t>(ue.lo)});
      case UeKind::ipv6_64:
        return f(index.ipv6_64_, Ipv6PrefixKey{ue.hi});
      case UeKind::ipv6_128:
        break;
    }
    return f(index.ipv6_128_, Ipv6Key{ue.hi, ue.lo});
  }

  AddressTable<Ipv4Key> ipv4_;
  AddressTable<Ipv6PrefixKey> ipv6_64_;
  AddressTable<Ipv6Key> ipv6_128_;
};

}  // namespace dp
