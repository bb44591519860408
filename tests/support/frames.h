// Test frames: a FrameSpec says what is in one, frame() makes its bytes with right lengths and checksums, a
// TestFrame owns such bytes (a heap block of exactly their size, so that ASan sees any read beyond) and their
// Sdu.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <arpa/inet.h>

#include "dataplane/packet/bytes.h"
#include "dataplane/packet/checksum.h"
#include "dataplane/packet/sdu.h"

namespace dp::test {

using Buffer = std::vector<std::byte>;
using Mac = std::array<std::uint8_t, 6>;

[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "tests/support/frames.h: %s\n", what);
  std::abort();
}

inline Buffer bytes(std::initializer_list<unsigned> values) {
  Buffer out;
  for (unsigned v : values) out.push_back(static_cast<std::byte>(v));
  return out;
}

// An address from text ("10.45.0.2", "2001:db8::7") or from a number (IPv4, host byte order).
struct Ip {
  bool ipv6 = false;
  std::array<std::byte, 16> raw{};

  Ip(const char* text) {
    ipv6 = std::strchr(text, ':') != nullptr;
    if (inet_pton(ipv6 ? AF_INET6 : AF_INET, text, raw.data()) != 1) fail("not an address");
  }
  Ip(std::uint32_t v4) { store32(raw.data(), v4); }
  Ip(std::uint64_t hi, std::uint64_t lo) : ipv6(true) {
    store64(raw.data(), hi);
    store64(raw.data() + 8, lo);
  }
  Bytes bytes() const { return {raw.data(), ipv6 ? 16u : 4u}; }
};

struct VlanTag {
  std::uint16_t tpid = 0x8100;
  std::uint16_t tci = 1;
};

// An IPv6 extension header: its own protocol number and all of its bytes; the first byte is filled in.
struct Extension {
  std::uint8_t protocol;
  Buffer body;
};

struct FrameSpec {
  Mac eth_dst{0x02, 0, 0, 0, 0, 0x02};
  Mac eth_src{0x02, 0, 0, 0, 0, 0x01};
  std::vector<VlanTag> vlans{};              // outermost first
  std::optional<std::uint16_t> ethertype{};  // default: what src and dst say; else `payload` bytes follow it
  std::optional<Ip> src{};                   // default: 192.0.2.1 or 2001:db8:ffff::1, as dst
  std::optional<Ip> dst{};                   // default: 10.45.0.2 or 2001:db8:45::2, as src
  std::uint8_t ttl = 64;
  std::uint8_t tos = 0;                 // DSCP and ECN
  Buffer ip_options{};                  // IPv4; a multiple of 4 bytes
  std::vector<Extension> extensions{};  // IPv6, in order, before a fragment header
  std::uint16_t fragment_offset = 0;    // bytes, a multiple of 8; other than 0: `payload` follows at once
  bool more_fragments = false;          // IPv6: either makes a fragment header
  std::uint32_t ident = 0;              // of the fragments
  std::uint8_t protocol = 6;            // TCP 6, UDP 17, ICMP 1, ICMPv6 58; others: `payload` follows at once
  std::uint16_t sport = 40000;
  std::uint16_t dport = 5001;
  std::uint32_t seq = 1;
  std::uint32_t ack = 1;
  std::uint8_t tcp_flags = 0x10;  // ACK
  std::uint16_t window = 65535;
  Buffer tcp_options{};        // a multiple of 4 bytes
  std::uint8_t icmp_type = 8;  // the ICMP header's last four bytes are zero
  std::size_t payload = 100;   // bytes behind the layer-4 header, 0, 1, 2 ...
  std::size_t padding = 0;     // bytes of Ethernet padding behind the packet
};

namespace detail {

inline void put16(Buffer& out, std::size_t v) {
  out.resize(out.size() + 2);
  store16(out.data() + out.size() - 2, static_cast<std::uint16_t>(v));
}
inline void put32(Buffer& out, std::uint32_t v) {
  out.resize(out.size() + 4);
  store32(out.data() + out.size() - 4, v);
}
inline void put8(Buffer& out, unsigned v) { out.push_back(static_cast<std::byte>(v)); }
inline void put(Buffer& out, Bytes more) { out.insert(out.end(), more.begin(), more.end()); }

// In blocks: tests write millions of these bytes, also in builds that are not optimised.
inline void put_payload(Buffer& out, std::size_t n) {
  static const auto block = [] {
    std::array<std::byte, 256> counting{};
    for (std::size_t i = 0; i < counting.size(); ++i) counting[i] = static_cast<std::byte>(i);
    return counting;
  }();
  const std::size_t start = out.size();
  out.resize(start + n);
  for (std::size_t i = 0; i < n; i += block.size()) {
    std::memcpy(out.data() + start + i, block.data(), std::min(block.size(), n - i));
  }
}

// The layer-4 header with its checksum field zero; returns where that field is, or nothing.
inline std::optional<std::size_t> put_l4(Buffer& out, const FrameSpec& spec) {
  switch (spec.protocol) {
    case 6:
      put16(out, spec.sport);
      put16(out, spec.dport);
      put32(out, spec.seq);
      put32(out, spec.ack);
      put8(out, static_cast<unsigned>((20 + spec.tcp_options.size()) / 4 << 4));
      put8(out, spec.tcp_flags);
      put16(out, spec.window);
      put32(out, 0);
      put(out, spec.tcp_options);
      return 16;
    case 17:
      put16(out, spec.sport);
      put16(out, spec.dport);
      put16(out, 8 + spec.payload);
      put16(out, 0);
      return 6;
    case 1:
    case 58:
      put8(out, spec.icmp_type);
      put8(out, 0);
      put16(out, 0);
      put32(out, 0);
      return 2;
    default:
      return std::nullopt;
  }
}

inline Buffer l4_segment(const FrameSpec& spec, const Ip& src, const Ip& dst) {
  Buffer out;
  const auto at = spec.fragment_offset == 0 ? put_l4(out, spec) : std::nullopt;
  put_payload(out, spec.payload);
  if (!at) return out;
  InternetSum sum;
  if (spec.protocol != 1) {  // RFC 9293 section 3.1, RFC 8200 section 8.1: the pseudo-header
    sum.add(src.bytes()).add(dst.bytes()).add16(spec.protocol).add32(static_cast<std::uint32_t>(out.size()));
  }
  std::uint16_t value = sum.add(out).checksum();
  if (spec.protocol == 17 && value == 0) value = 0xffff;  // RFC 768: zero means "none"
  store16(out.data() + *at, value);
  return out;
}

inline void put_ipv4(Buffer& out, const FrameSpec& spec, const Ip& src, const Ip& dst, Bytes inner) {
  const std::size_t start = out.size();
  const std::size_t header = 20 + spec.ip_options.size();
  put8(out, static_cast<unsigned>(0x40 | header / 4));
  put8(out, spec.tos);
  put16(out, header + inner.size());
  put16(out, spec.ident);
  put16(out, spec.fragment_offset / 8u | (spec.more_fragments ? 0x2000u : 0u));
  put8(out, spec.ttl);
  put8(out, spec.protocol);
  put16(out, 0);
  put(out, src.bytes());
  put(out, dst.bytes());
  put(out, spec.ip_options);
  store16(out.data() + start + 10, internet_checksum({out.data() + start, header}));
  put(out, inner);
}

inline void put_ipv6(Buffer& out, const FrameSpec& spec, const Ip& src, const Ip& dst, Bytes inner) {
  std::vector<Extension> chain = spec.extensions;
  if (spec.fragment_offset != 0 || spec.more_fragments) {
    Buffer body = bytes({0, 0});
    put16(body, spec.fragment_offset | (spec.more_fragments ? 1u : 0u));
    put32(body, spec.ident);
    chain.push_back({44, body});
  }
  std::size_t length = inner.size();
  for (const auto& e : chain) length += e.body.size();
  put32(out, 0x60000000u | static_cast<std::uint32_t>(spec.tos) << 20);
  put16(out, length);
  put8(out, chain.empty() ? spec.protocol : chain.front().protocol);
  put8(out, spec.ttl);
  put(out, src.bytes());
  put(out, dst.bytes());
  for (std::size_t i = 0; i < chain.size(); ++i) {
    chain[i].body.at(0) =
        static_cast<std::byte>(i + 1 < chain.size() ? chain[i + 1].protocol : spec.protocol);
    put(out, chain[i].body);
  }
  put(out, inner);
}

}  // namespace detail

// Not inlined: with a constant specification GCC 12 sees overflows in the vector's growth that are not there.
#ifdef __clang__
[[gnu::noinline]]
#else
[[gnu::noinline, gnu::noclone]]
#endif
inline Buffer
frame(const FrameSpec& spec) {
  using namespace detail;
  const bool ipv6 = spec.dst ? spec.dst->ipv6 : spec.src && spec.src->ipv6;
  const Ip src = spec.src.value_or(ipv6 ? Ip("2001:db8:ffff::1") : Ip("192.0.2.1"));
  const Ip dst = spec.dst.value_or(ipv6 ? Ip("2001:db8:45::2") : Ip("10.45.0.2"));
  if (src.ipv6 != dst.ipv6) fail("src and dst are of different families");
  Buffer out;
  for (auto b : spec.eth_dst) put8(out, b);
  for (auto b : spec.eth_src) put8(out, b);
  for (const auto& tag : spec.vlans) {
    put16(out, tag.tpid);
    put16(out, tag.tci);
  }
  put16(out, spec.ethertype.value_or(ipv6 ? 0x86dd : 0x0800));
  if (spec.ethertype) {
    put_payload(out, spec.payload);
  } else if (ipv6) {
    put_ipv6(out, spec, src, dst, l4_segment(spec, src, dst));
  } else {
    put_ipv4(out, spec, src, dst, l4_segment(spec, src, dst));
  }
  out.resize(out.size() + spec.padding);
  return out;
}

// A router's reply to an IPv4 packet that is too big for its next link (RFC 1191). The ICMP checksum is
// wrong: the data plane does not check it.
inline Buffer too_big(const Ip& router, const Buffer& lost, std::uint16_t mtu) {
  constexpr std::size_t kIcmp = 14 + 20, kQuoted = 48;
  const Ip sender(load32(lost.data() + 14 + 12));
  Buffer out = frame({.src = router, .dst = sender, .protocol = 1, .icmp_type = 3, .payload = kQuoted});
  out[kIcmp + 1] = std::byte{4};
  store16(out.data() + kIcmp + 6, mtu);
  std::copy(lost.begin() + 14, lost.begin() + 14 + kQuoted, out.begin() + kIcmp + 8);
  return out;
}

// Bytes in a block of exactly their size, and their Sdu, whose address stays when the TestFrame moves.
class TestFrame {
 public:
  explicit TestFrame(Bytes bytes, Side ingress = Side::core)
      : data_(std::make_unique<std::byte[]>(bytes.size())), sdu_(std::make_unique<Sdu>()) {
    std::copy(bytes.begin(), bytes.end(), data_.get());
    *sdu_ = Sdu{};
    sdu_->data = data_.get();
    sdu_->frame_len = sdu_->head_len = static_cast<std::uint32_t>(bytes.size());
    sdu_->segments = 1;
    sdu_->ingress = ingress;
  }
  explicit TestFrame(const FrameSpec& spec, Side ingress = Side::core) : TestFrame(frame(spec), ingress) {}

  // Makes the frame look as if `more` bytes were in a second segment.
  TestFrame& chained(std::uint32_t more) {
    sdu_->frame_len += more;
    ++sdu_->segments;
    return *this;
  }

  Sdu& sdu() { return *sdu_; }
  std::span<std::byte> bytes() { return {data_.get(), sdu_->head_len}; }

 private:
  std::unique_ptr<std::byte[]> data_;
  std::unique_ptr<Sdu> sdu_;
};

}  // namespace dp::test
