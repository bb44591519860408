// The bearers by the tunnels in which their packets come or came. Memory is allocated at construction.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "dataplane/base/expect.h"
#include "dataplane/base/keyed_hash.h"
#include "dataplane/packet/tunnel_key.h"

namespace dp {

struct Bearer;

// Linear probing over a hash that strangers cannot foresee; of two tunnels with one name the later one
// counts.
class TunnelIndex {
 public:
  // For at most `tunnels` at a time; further ones are not found.
  TunnelIndex(std::size_t tunnels, std::uint64_t seed)
      : hash_(seed),
        most_(tunnels),
        slots_(std::bit_ceil(2 * tunnels + 2)),
        entries_(std::make_unique<Entry[]>(slots_)) {}
  static std::size_t bytes_for(std::size_t tunnels) noexcept {
    return std::bit_ceil(2 * tunnels + 2) * sizeof(Entry);
  }

  Bearer* find(const TunnelKey& key) const noexcept {
    const std::uint64_t name = name_of(key);
    for (std::size_t at = slot(name);; at = next(at)) {
      if (entries_[at].bearer == nullptr || entries_[at].name == name) return entries_[at].bearer;
    }
  }
  void set(const TunnelKey& key, Bearer& bearer) noexcept {
    const std::uint64_t name = name_of(key);
    std::size_t at = slot(name);
    while (entries_[at].bearer != nullptr && entries_[at].name != name) at = next(at);
    if (entries_[at].bearer == nullptr) {
      if (size_ == most_) return;
      ++size_;
    }
    entries_[at] = {name, &bearer};
  }
  // Does nothing if the tunnel is another bearer's by now.
  void erase(const TunnelKey& key, const Bearer& bearer) noexcept {
    const std::uint64_t name = name_of(key);
    std::size_t hole = slot(name);
    while (entries_[hole].bearer != nullptr && entries_[hole].name != name) hole = next(hole);
    if (entries_[hole].bearer != &bearer) return;
    DP_EXPECT(size_ > 0);
    --size_;
    // An entry moves into the hole before it if its own slot is not between the two.
    for (std::size_t at = next(hole); entries_[at].bearer != nullptr; at = next(at)) {
      const std::size_t from_own = distance(slot(entries_[at].name), at);
      if (from_own < distance(hole, at)) continue;
      entries_[hole] = entries_[at];
      hole = at;
    }
    entries_[hole] = {};
  }
  std::size_t size() const noexcept { return size_; }

 private:
  struct Entry {
    std::uint64_t name = 0;
    Bearer* bearer = nullptr;  // null: free
  };

  // Distinct for distinct tunnels but with a probability of 2^-61.
  std::uint64_t name_of(const TunnelKey& key) const noexcept {
    return hash_(key.hi, key.lo, std::uint64_t{key.teid} << 1 | key.ipv6);
  }
  std::size_t slot(std::uint64_t name) const noexcept { return name & (slots_ - 1); }
  std::size_t next(std::size_t at) const noexcept { return (at + 1) & (slots_ - 1); }
  std::size_t distance(std::size_t from, std::size_t to) const noexcept { return (to - from) & (slots_ - 1); }

  KeyedHash hash_;
  std::size_t most_;
  std::size_t size_ = 0;
  std::size_t slots_;
  std::unique_ptr<Entry[]> entries_;
};

}  // namespace dp
