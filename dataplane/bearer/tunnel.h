// The GTP-U tunnel in which the packets of a bearer come, in one direction: learnt from them. Lives in its
// Bearer; written by the bearer's worker, and read by control at any time.
// Tests: tests/unit/worker/tunnels_test.cc
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
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

  Tunnel() noexcept { plain_.set(joined(kNoAddress, 0)); }

  // The tag of a packet's tunnel: a hash of endpoint and TEID, which two tunnels share with a chance of
  // 2^-27. Requires: the IP header at `outer` is IPv4 without options, and the GTP-U header is readable.
  static std::uint32_t tag_of(const std::byte* outer) noexcept {
    DP_EXPECT_HOT(load8(outer) == 0x45);
    constexpr std::size_t kDestination = 16, kTeid = Ipv4View::kMinSize + UdpView::kSize + 4;
    return tag_of(load_raw(outer + kDestination), load_raw(outer + kTeid));
  }
  // The tag of this tunnel's packets. kNoTag for a tunnel that is not known, is stale or is not over IPv4:
  // is() and stale() decide then.
  std::uint32_t tag() const noexcept {
    const std::uint64_t plain = plain_.own();
    const auto address = static_cast<std::uint32_t>(plain);
    return address == kNoAddress ? kNoTag : tag_of(address, static_cast<std::uint32_t>(plain >> 32));
  }
  static constexpr unsigned kTagBits = 27;
  static constexpr std::uint32_t kNoTag = 0, kTagFactor = 0x9e3779b1;
  bool known() const noexcept { return (flags_.own() & kKnown) != 0; }
  // True for the TEID of the present tunnel, of the one that is expected, and of the one before. For any
  // worker.
  bool has_teid(std::uint32_t teid) const noexcept {
    if (teid == 0) return false;
    return teid == __builtin_bswap32(static_cast<std::uint32_t>(plain_.get() >> 32)) ||
           teid == before_teid_.get();
  }
  // Packets will come by a tunnel with this TEID; its endpoint is not known yet. Requires: no tunnel is
  // known.
  void expect(std::uint32_t teid) noexcept {
    DP_EXPECT(!known());
    plain_.set(joined(kNoAddress, __builtin_bswap32(teid)));
  }
  bool is(const TunnelKey& key) const noexcept { return known() && this->key() == key; }
  // Requires: known().
  TunnelKey key() const noexcept { return key_of(hi_.own(), lo_.own(), plain_.own(), flags_.own()); }
  // The tunnel before; none if there was no other.
  std::optional<TunnelKey> before() const noexcept {
    if (changes_.own() == 0) return std::nullopt;
    return TunnelKey{before_hi_, before_lo_, before_teid_.own(), (flags_.own() & kBeforeIpv6) != 0};
  }
  bool late(const TunnelKey& key, Time now) const noexcept {
    return before() == key && ns(now) - static_cast<std::int64_t>(since_.own()) < kLate.count();
  }

  // True if the present tunnel is another gateway's, as far as its tag tells.
  bool other_gateway(GatewayTag gateway) const noexcept {
    const GatewayTag own = flags_.own() >> kGatewayShift & kMaxGatewayTag;
    return known() && own != kAnyGateway && gateway != kAnyGateway && own != gateway;
  }

  // Requires: it is not the present tunnel; the tag is at most kMaxGatewayTag.
  void change(const TunnelKey& key, std::uint8_t qfi, GatewayTag gateway, Time now) noexcept {
    DP_EXPECT(!is(key) && gateway <= kMaxGatewayTag);
    version_.set(version_.own() + 1);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    std::uint32_t flags =
        kKnown | (key.ipv6 ? kIpv6 : 0) | gateway << kGatewayShift | std::uint32_t{qfi} << kQfiShift;
    if (known()) {
      const TunnelKey last = this->key();
      before_hi_ = last.hi, before_lo_ = last.lo;
      before_teid_.set(last.teid);
      if (last.ipv6) flags |= kBeforeIpv6;
      changes_.set(changes_.own() + 1);
    }
    hi_.set(key.hi);
    lo_.set(key.lo);
    set_flags(flags, key.teid);
    since_.set(static_cast<std::uint64_t>(ns(now)));
    version_.set_after(version_.own() + 1);
  }
  // Notes an error indication for the present tunnel, or that G-PDUs come all the same. Requires: known().
  void set_stale(bool stale) noexcept {
    DP_EXPECT(known());
    set_flags(stale ? flags_.own() | kStale : flags_.own() & ~kStale, key().teid);
  }
  bool stale() const noexcept { return (flags_.own() & kStale) != 0; }

  // For control. None before the first G-PDU.
  std::optional<TunnelReading> read() const noexcept {
    for (;;) {
      const std::uint32_t version = version_.get_before();
      const std::uint64_t hi = hi_.get(), lo = lo_.get(), plain = plain_.get(), since = since_.get();
      const std::uint32_t flags = flags_.get(), changes = changes_.get();
      __atomic_thread_fence(__ATOMIC_ACQUIRE);
      if (version % 2 != 0 || version != version_.get()) continue;  // a change takes some nanoseconds
      if ((flags & kKnown) == 0) return std::nullopt;
      return TunnelReading{key_of(hi, lo, plain, flags), static_cast<std::uint8_t>(flags >> kQfiShift),
                           (flags & kStale) != 0, changes, time_ns(static_cast<std::int64_t>(since))};
    }
  }

 private:
  // Bits of flags_; behind them the gateway's tag, and the QFI.
  static constexpr std::uint32_t kKnown = 1, kIpv6 = 2, kStale = 4, kBeforeIpv6 = 8;
  static constexpr unsigned kGatewayShift = 4, kQfiShift = 24;
  static_assert(kMaxGatewayTag == (1u << (kQfiShift - kGatewayShift)) - 1);
  // In place of the address, for a tunnel without a tag: no endpoint has it.
  static constexpr std::uint32_t kNoAddress = 0xffffffff;

  static TunnelKey key_of(std::uint64_t hi, std::uint64_t lo, std::uint64_t plain,
                          std::uint32_t flags) noexcept {
    return {hi, lo, __builtin_bswap32(static_cast<std::uint32_t>(plain >> 32)), (flags & kIpv6) != 0};
  }
  // The address in the lower half, as in a frame.
  static std::uint64_t joined(std::uint32_t address, std::uint32_t teid) noexcept {
    return std::uint64_t{teid} << 32 | address;
  }
  static std::uint32_t load_raw(const std::byte* p) noexcept {
    std::uint32_t value;
    std::memcpy(&value, p, sizeof value);
    return value;
  }
  // Both in network byte order. The last product carries each bit into the upper ones, which remain: tunnels
  // whose TEIDs, or addresses, are neighbours have different tags.
  static constexpr std::uint32_t tag_of(std::uint32_t address, std::uint32_t teid) noexcept {
    return (address * 0x85ebca6bu + teid) * kTagFactor >> (32 - kTagBits);
  }
  // Requires: lo_ is set.
  void set_flags(std::uint32_t flags, std::uint32_t teid) noexcept {
    const bool plain = (flags & (kIpv6 | kStale)) == 0;
    const std::uint32_t address =
        plain ? __builtin_bswap32(static_cast<std::uint32_t>(lo_.own())) : kNoAddress;
    plain_.set(joined(address, __builtin_bswap32(teid)));
    flags_.set(flags);
  }

  // The address of an IPv4 endpoint, or kNoAddress, and the TEID, both in network byte order.
  Counter plain_;
  Counter hi_, lo_;  // as in TunnelKey
  Counter since_;
  SmallCounter flags_;
  SmallCounter version_;  // odd while the tunnel changes
  SmallCounter changes_;
  SmallCounter before_teid_;  // the tunnel before; 0 if changes_ is 0
  std::uint64_t before_hi_ = 0, before_lo_ = 0;
};
static_assert(sizeof(Tunnel) == 64);

}  // namespace dp
