// The bearers by the tunnels in which their packets come or came. A tunnel may have several: those of a UE by
// QFI beside the default one, and the IPv4 address and the /64 of one PDU session. Memory is allocated at
// construction.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "dataplane/base/address.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/keyed_hash.h"
#include "dataplane/packet/tunnel_key.h"

namespace dp {

struct Bearer;

// Linear probing over a hash that strangers cannot foresee.
class TunnelIndex {
 public:
  // Bearers of one tunnel that are found: two default bearers with their dedicated ones. Further ones take
  // the place of another.
  static constexpr std::size_t kMostAlike = 2 * (1 + kMostDedicatedBearers);

  // For at most `tunnels` pairs of a tunnel and a bearer at a time; further ones are not found.
  TunnelIndex(std::size_t tunnels, std::uint64_t seed)
      : hash_(seed),
        most_(tunnels),
        slots_(std::bit_ceil(2 * tunnels + 2)),
        entries_(std::make_unique<Entry[]>(slots_)) {}
  static std::size_t bytes_for(std::size_t tunnels) noexcept {
    return std::bit_ceil(2 * tunnels + 2) * sizeof(Entry);
  }

  // Calls f(bearer) for each bearer of the tunnel. Requires: f changes no entry.
  template <class F>
  void for_each(const TunnelKey& key, F&& f) const noexcept {
    const std::uint64_t name = name_of(key);
    for (std::size_t at = slot(name); entries_[at].bearer != nullptr; at = next(at)) {
      if (entries_[at].name == name) f(*entries_[at].bearer);
    }
  }
  bool contains(const TunnelKey& key) const noexcept {
    bool any = false;
    for_each(key, [&](Bearer&) { any = true; });
    return any;
  }
  // Does nothing if it is there.
  void add(const TunnelKey& key, Bearer& bearer) noexcept {
    const std::uint64_t name = name_of(key);
    std::size_t at = slot(name), alike = 0;
    for (; entries_[at].bearer != nullptr; at = next(at)) {
      if (entries_[at].name != name) continue;
      if (entries_[at].bearer == &bearer) return;
      if (++alike == kMostAlike) {
        entries_[at].bearer = &bearer;
        return;
      }
    }
    if (size_ == most_) return;
    ++size_;
    entries_[at] = {name, &bearer};
  }
  // Does nothing if it is not there.
  void erase(const TunnelKey& key, const Bearer& bearer) noexcept {
    const std::uint64_t name = name_of(key);
    std::size_t hole = slot(name);
    while (entries_[hole].bearer != nullptr &&
           (entries_[hole].name != name || entries_[hole].bearer != &bearer))
      hole = next(hole);
    if (entries_[hole].bearer == nullptr) return;
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
