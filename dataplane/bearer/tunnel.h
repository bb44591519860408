// The GTP-U tunnel in which the packets of a bearer come, in one direction: learnt from them. Lives in its
// Bearer; written by the bearer's worker, and read by control at any time.
// Tests: tests/unit/worker/tunnels_test.cc
#pragma once
#include <cstdint>
#include <optional>

#include "dataplane/base/counter.h"
#include "dataplane/base/time.h"
#include "dataplane/packet/gtp_u.h"
#include "dataplane/packet/tunnel_key.h"

namespace dp {

// A copy for control.
struct TunnelReading {
  TunnelKey key;
  std::uint8_t qfi;       // QFI of its first G-PDU; GtpUChain::kNoQfi without one
  bool stale;             // an error indication has named it
  std::uint32_t changes;  // number of tunnels that it replaced
  Time since;             // time of its first G-PDU
};

class alignas(64) Tunnel {
 public:
  // A G-PDU of the tunnel before this one may come so long after the change, and is then no change.
  static constexpr Duration kLate{1'000'000'000};

  bool known() const noexcept { return (rest_.own() & kKnown) != 0; }
  bool is(const TunnelKey& key) const noexcept {
    return rest_of(key) == (rest_.own() & kOfKey) && lo_.own() == key.lo && hi_.own() == key.hi;
  }
  // Requires: known().
  TunnelKey key() const noexcept { return key_of(hi_.own(), lo_.own(), rest_.own()); }
  // The tunnel before; none if there was no other.
  std::optional<TunnelKey> before() const noexcept {
    return changes_.own() == 0 ? std::nullopt : std::optional(before_);
  }
  bool late(const TunnelKey& key, Time now) const noexcept {
    return changes_.own() != 0 && key == before_ &&
           ns(now) - static_cast<std::int64_t>(since_.own()) < kLate.count();
  }

  // Requires: it is not the present tunnel.
  void change(const TunnelKey& key, std::uint8_t qfi, Time now) noexcept {
    DP_EXPECT(!is(key));
    version_.set(version_.own() + 1);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    if (known()) {
      before_ = this->key();
      changes_.set(changes_.own() + 1);
    }
    hi_.set(key.hi);
    lo_.set(key.lo);
    rest_.set(rest_of(key) | std::uint64_t{qfi} << kQfiShift);
    since_.set(static_cast<std::uint64_t>(ns(now)));
    version_.set_after(version_.own() + 1);
  }
  // Notes an error indication for the present tunnel, or that G-PDUs come all the same. Requires: known().
  void set_stale(bool stale) noexcept {
    DP_EXPECT(known());
    rest_.set(stale ? rest_.own() | kStale : rest_.own() & ~kStale);
  }
  bool stale() const noexcept { return (rest_.own() & kStale) != 0; }

  // For control. None before the first G-PDU.
  std::optional<TunnelReading> read() const noexcept {
    for (;;) {
      const std::uint32_t version = version_.get_before();
      const std::uint64_t hi = hi_.get(), lo = lo_.get(), rest = rest_.get(), since = since_.get();
      const std::uint32_t changes = changes_.get();
      __atomic_thread_fence(__ATOMIC_ACQUIRE);
      if (version % 2 != 0 || version != version_.get()) continue;  // a change takes some nanoseconds
      if ((rest & kKnown) == 0) return std::nullopt;
      return TunnelReading{key_of(hi, lo, rest), static_cast<std::uint8_t>(rest >> kQfiShift),
                           (rest & kStale) != 0, changes, time_ns(static_cast<std::int64_t>(since))};
    }
  }

 private:
  // Bits of rest_: the TEID, then these.
  static constexpr std::uint64_t kIpv6 = std::uint64_t{1} << 32, kKnown = kIpv6 << 1, kStale = kIpv6 << 2;
  static constexpr std::uint64_t kOfKey = kKnown | (kKnown - 1);
  static constexpr unsigned kQfiShift = 40;

  static std::uint64_t rest_of(const TunnelKey& key) noexcept {
    return std::uint64_t{key.teid} | kKnown | (key.ipv6 ? kIpv6 : 0);
  }
  static TunnelKey key_of(std::uint64_t hi, std::uint64_t lo, std::uint64_t rest) noexcept {
    return {hi, lo, static_cast<std::uint32_t>(rest), (rest & kIpv6) != 0};
  }

  Counter hi_, lo_, rest_;
  Counter since_;
  SmallCounter version_;  // odd while the tunnel changes
  SmallCounter changes_;
  TunnelKey before_;
};
static_assert(sizeof(Tunnel) == 64);

}  // namespace dp
