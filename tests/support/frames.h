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
  out.reserve(values.size());
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

// `n` octets more, all zero; returns the first. Tests write millions of headers, also in builds that are not
// optimised: each header grows the buffer once.
inline std::byte* grow(Buffer& out, std::size_t n) {
  const std::size_t start = out.size();
  out.resize(start + n);
  return out.data() + start;
}
inline void put16(Buffer& out, std::size_t v) { store16(grow(out, 2), static_cast<std::uint16_t>(v)); }
inline void put32(Buffer& out, std::uint32_t v) { store32(grow(out, 4), v); }
inline void put8(Buffer& out, unsigned v) { *grow(out, 1) = static_cast<std::byte>(v); }
inline void store8(std::byte* to, unsigned v) { *to = static_cast<std::byte>(v); }
inline void store(std::byte* to, Bytes from) {
  if (!from.empty()) std::memcpy(to, from.data(), from.size());
}
inline void put(Buffer& out, Bytes more) { store(grow(out, more.size()), more); }

// In blocks: tests write millions of these bytes, also in builds that are not optimised.
inline void put_payload(Buffer& out, std::size_t n) {
  static const auto block = [] {
    std::array<std::byte, 256> counting{};
    for (std::size_t i = 0; i < counting.size(); ++i) counting[i] = static_cast<std::byte>(i);
    return counting;
  }();
  std::byte* const start = grow(out, n);
  for (std::size_t i = 0; i < n; i += block.size()) {
    std::memcpy(start + i, block.data(), std::min(block.size(), n - i));
  }
}

// The layer-4 header with its checksum field zero; returns where that field is, or nothing.
inline std::optional<std::size_t> put_l4(Buffer& out, const FrameSpec& spec) {
  switch (spec.protocol) {
    case 6: {
      std::byte* const tcp = grow(out, 20);
      store16(tcp, spec.sport);
      store16(tcp + 2, spec.dport);
      store32(tcp + 4, spec.seq);
      store32(tcp + 8, spec.ack);
      store8(tcp + 12, static_cast<unsigned>((20 + spec.tcp_options.size()) / 4 << 4));
      store8(tcp + 13, spec.tcp_flags);
      store16(tcp + 14, spec.window);
      put(out, spec.tcp_options);
      return 16;
    }
    case 17: {
      std::byte* const udp = grow(out, 8);
      store16(udp, spec.sport);
      store16(udp + 2, spec.dport);
      store16(udp + 4, static_cast<std::uint16_t>(8 + spec.payload));
      return 6;
    }
    case 1:
    case 58:
      store8(grow(out, 8), spec.icmp_type);
      return 2;
    default:
      return std::nullopt;
  }
}

inline Buffer l4_segment(const FrameSpec& spec, const Ip& src, const Ip& dst) {
  Buffer out;
  out.reserve(20 + spec.tcp_options.size() + spec.payload);
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
  const std::size_t header = 20 + spec.ip_options.size();
  std::byte* const ip = grow(out, header + inner.size());
  store8(ip, static_cast<unsigned>(0x40 | header / 4));
  store8(ip + 1, spec.tos);
  store16(ip + 2, static_cast<std::uint16_t>(header + inner.size()));
  store16(ip + 4, static_cast<std::uint16_t>(spec.ident));
  const unsigned more_fragments = spec.more_fragments ? 0x2000 : 0;
  store16(ip + 6, static_cast<std::uint16_t>(spec.fragment_offset / 8u | more_fragments));
  store8(ip + 8, spec.ttl);
  store8(ip + 9, spec.protocol);
  store(ip + 12, src.bytes());
  store(ip + 16, dst.bytes());
  store(ip + 20, spec.ip_options);
  store16(ip + 10, internet_checksum({ip, header}));
  store(ip + header, inner);
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
  std::byte* const ip = grow(out, 40);
  store32(ip, 0x60000000u | static_cast<std::uint32_t>(spec.tos) << 20);
  store16(ip + 4, static_cast<std::uint16_t>(length));
  store8(ip + 6, chain.empty() ? spec.protocol : chain.front().protocol);
  store8(ip + 7, spec.ttl);
  store(ip + 8, src.bytes());
  store(ip + 24, dst.bytes());
  for (std::size_t i = 0; i < chain.size(); ++i) {
    chain[i].body.at(0) =
        static_cast<std::byte>(i + 1 < chain.size() ? chain[i + 1].protocol : spec.protocol);
    put(out, chain[i].body);
  }
  put(out, inner);
}

inline void put_link(Buffer& out, const FrameSpec& spec, std::uint16_t ethertype) {
  put(out, std::as_bytes(std::span(spec.eth_dst)));
  put(out, std::as_bytes(std::span(spec.eth_src)));
  for (const auto& tag : spec.vlans) {
    put16(out, tag.tpid);
    put16(out, tag.tci);
  }
  put16(out, ethertype);
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
  out.reserve(14 + 4 * spec.vlans.size() + 60 + spec.tcp_options.size() + spec.payload + spec.padding);
  put_link(out, spec, spec.ethertype.value_or(ipv6 ? 0x86dd : 0x0800));
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
    detail::store(data_.get(), bytes);
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
