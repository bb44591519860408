// The traffic that every yardstick gets: frames of one size to UEs in random order, made from a seed, so that
// all of them see the same frames in the same order. Plain: no rte_ names.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "dataplane/base/address.h"
#include "dataplane/base/expect.h"
#include "dataplane/packet/bytes.h"
#include "tools/bench/dpdk/hostile.h"

namespace dp::yardstick {

// The offered load relative to the bearers' rates: a quarter, so that hardly any frame waits for another of
// its bearer; or five quarters, so that every buffer is full.
enum class Load : std::uint8_t { below, above };

// The way in which the packets travel: as they are, in G-PDUs without extension headers (3G, 4G), or in
// G-PDUs with a PDU session container (5G). Outside is IPv4.
enum class Encap : std::uint8_t { none, gtp_u, gtp_u_5g };
inline constexpr std::array<std::string_view, 3> kEncapNames{"none", "gtp-u", "gtp-u-5g"};
inline constexpr Encap encap_named(std::string_view name) {
  const auto at = std::find(kEncapNames.begin(), kEncapNames.end(), name);
  DP_EXPECT(at != kEncapNames.end());
  return static_cast<Encap>(at - kEncapNames.begin());
}

// Addresses scattered over 10.0.0.0/8, each once: every step is a bijection of 24 bits.
constexpr std::uint32_t ue_address_of(std::uint32_t bearer) {
  constexpr std::uint32_t kMask = 0xffffff;
  std::uint32_t x = bearer & kMask;
  x ^= x >> 12;
  x = x * 0x6b43a5u & kMask;
  x ^= x >> 13;
  x = x * 0x2c1b3du & kMask;
  x ^= x >> 12;
  return 10u << 24 | x;
}

struct Traffic {
  std::uint32_t bearers = 1;
  std::uint32_t frame_bytes = 64;  // without a tunnel: Ethernet header included, FCS not
  Load load = Load::below;
  double frames_per_second = 1e6;  // offered to all bearers together
  std::uint64_t seed = 1;          // of the order of the UEs, and of the bearer index
  std::shared_ptr<const std::vector<std::uint32_t>> addresses{};  // the UEs', by bearer; null: scattered
  std::uint32_t burst = 64;  // frames that a receive gives, at most kBurst
  static constexpr std::size_t kDropTail = 0;
  std::size_t aqm = kDropTail;  // the bearers' policy, by its place in AqmList
  // ACKs come the other way, through a stage by its place in AckList, or through none.
  static constexpr std::size_t kNoStage = ~std::size_t{0};
  bool acked = false;
  std::size_t ack_stage = kNoStage;
  bool split = false;  // and each bearer has a split proxy in place of one
  // The UE of the only bearer sends only these, to a stage or proxy that keeps this number of segments or
  // ACKs.
  std::optional<HostileAcks> hostile{};
  std::uint32_t kept = 0;
  Encap encap = Encap::none;

  std::uint32_t address_of(std::uint32_t bearer) const {
    return addresses == nullptr ? ue_address_of(bearer) : (*addresses)[bearer];
  }

  static constexpr std::uint32_t kLinkHeader = 14;
  std::uint32_t ip_bytes() const { return frame_bytes - kLinkHeader; }
  // IPv4, UDP and GTP-U before the user's packet.
  static constexpr std::uint32_t kTunnel = 20 + 8 + 8, kSession = 8;
  std::uint32_t tunnel_bytes() const {
    return encap == Encap::none ? 0 : encap == Encap::gtp_u ? kTunnel : kTunnel + kSession;
  }
  std::uint32_t wire_bytes() const { return frame_bytes + tunnel_bytes(); }

  // The rate of one bearer, in frames a second.
  double bearer_frames_per_second() const {
    return frames_per_second / bearers * (load == Load::below ? 4.0 : 0.8);
  }

  // A bearer's buffer. Below its rate it holds the bursts that chance makes. Above it stays full: deep for
  // few bearers, shallow for many, so that memory is bounded. A power of two because rte_sched requires one.
  std::uint32_t buffer_frames() const {
    if (load == Load::below) return bearers < 64 ? 256 : 16;
    const std::uint32_t share = (1u << 17) / bearers;
    return share >= 64 ? 64 : share <= 4 ? 4 : std::bit_floor(share);
  }

  // Flow queues of a bearer whose policy has some: the usual 1024, or for many bearers the number with which
  // all of them take a gigabyte.
  std::uint32_t flows() const { return std::min(1024u, (1u << 24) / bearers); }

  // Frames that all buffers may hold at once.
  std::uint64_t held_frames() const {
    if (hostile) return 4 * std::uint64_t{kManyKept};
    return load == Load::below ? std::uint64_t{bearers} + 4096 : std::uint64_t{bearers} * buffer_frames();
  }
};

inline constexpr std::uint32_t kMaxBearers = 1u << 20;

// The tunnels of the traffic are between a gateway and this many base stations.
inline constexpr std::uint32_t kStations = 100, kGateway = 0xc0000201, kFirstStation = 0xc0000202;

// Writes the headers of the next frame. xorshift64* (Vigna 2016) chooses the UE: no memory is read for it.
class FrameWriter {
 public:
  static constexpr std::size_t kHeaderBytes = 64,
                               kMostBytes = kHeaderBytes + Traffic::kTunnel + Traffic::kSession;

  explicit FrameWriter(const Traffic& traffic)
      : tunnel_(traffic.tunnel_bytes()),
        state_(traffic.seed * 0x9e3779b97f4a7c15u | 1),
        bearers_(traffic.bearers),
        addresses_(traffic.addresses) {
    std::byte* ethernet = header_.data();
    ethernet[0] = ethernet[6] = std::byte{0x02};
    ethernet[5] = std::byte{0x02};
    ethernet[11] = std::byte{0x01};
    store16(ethernet + 12, 0x0800);
    if (tunnel_ != 0) write_tunnel(ethernet + Traffic::kLinkHeader, traffic);
    std::byte* ip = ethernet + Traffic::kLinkHeader + tunnel_;
    write_ip(ip, traffic.ip_bytes(), 6, 0xc0000201);  // 192.0.2.1
    std::byte* tcp = ip + 20;
    store16(tcp, 443);
    store16(tcp + 2, 40000);
    tcp[12] = std::byte{0x50};
    tcp[13] = std::byte{0x10};
  }

  std::uint32_t next_bearer() noexcept {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    const std::uint64_t high = state_ * 0x2545f4914f6cdd1du >> 32;
    return static_cast<std::uint32_t>(high * bearers_ >> 32);
  }

  // `at` has room for kHeaderBytes, or kMostBytes in a tunnel. Checksums stay zero: nothing on the way looks
  // at them.
  void write(std::byte* at) noexcept {
    const std::uint32_t bearer = next_bearer();
    if (tunnel_ == 0) {
      std::memcpy(at, header_.data(), kHeaderBytes);
    } else {
      std::memcpy(at, header_.data(), kMostBytes);
      store32(at + Traffic::kLinkHeader + 16, kFirstStation + bearer % kStations);
      store32(at + Traffic::kLinkHeader + 20 + 8 + 4, bearer + 1);  // TEID
    }
    store32(at + Traffic::kLinkHeader + tunnel_ + 16,
            addresses_ == nullptr ? ue_address_of(bearer) : (*addresses_)[bearer]);
  }

 private:
  static void write_ip(std::byte* ip, std::size_t bytes, std::uint8_t protocol, std::uint32_t source) {
    ip[0] = std::byte{0x45};
    store16(ip + 2, static_cast<std::uint16_t>(bytes));
    ip[8] = std::byte{64};
    ip[9] = std::byte{protocol};
    store32(ip + 12, source);
  }
  // The destination and the TEID are each frame's own.
  void write_tunnel(std::byte* ip, const Traffic& traffic) const {
    constexpr std::uint16_t kPort = 2152;
    const std::size_t bytes = tunnel_ + traffic.ip_bytes();
    write_ip(ip, bytes, 17, kGateway);
    std::byte* const udp = ip + 20;
    store16(udp, kPort);
    store16(udp + 2, kPort);
    store16(udp + 4, static_cast<std::uint16_t>(bytes - 20));
    std::byte* const gtp = udp + 8;
    store16(gtp, 0x30ff);  // version 1, no flags; a G-PDU
    store16(gtp + 2, static_cast<std::uint16_t>(bytes - 20 - 8 - 8));
    if (traffic.encap != Encap::gtp_u_5g) return;
    store16(gtp, 0x34ff);
    store32(gtp + 8, 0x85);         // a PDU session container follows
    store32(gtp + 12, 0x01000900);  // of four octets, downlink, QFI 9; the last
  }

  std::array<std::byte, kMostBytes> header_{};
  std::uint32_t tunnel_;
  std::uint64_t state_;
  std::uint64_t bearers_;
  std::shared_ptr<const std::vector<std::uint32_t>> addresses_;
};

}  // namespace dp::yardstick
