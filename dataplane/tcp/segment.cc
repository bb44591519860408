#include "dataplane/tcp/segment.h"

#include <algorithm>

#include "dataplane/base/expect.h"
#include "dataplane/packet/checksum.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/ipv6.h"
#include "dataplane/packet/tcp_checksum.h"

namespace dp {
namespace {

constexpr std::size_t ip_header_size(const TcpPath& path) {
  return path.source.ipv6 ? Ipv6View::kSize : Ipv4View::kMinSize;
}

// Each option is padded to whole words.
std::size_t options_size(const TcpFields& f) {
  return (f.mss ? 4u : 0u) + (f.window_scale ? 4u : 0u) + (f.sack_permitted ? 4u : 0u) +
         (f.timestamps ? kTimestampsSize : 0u) + (f.block_count > 0 ? 4u + 8u * f.block_count : 0u);
}

void store8(std::byte* p, std::size_t v) { *p = static_cast<std::byte>(v); }

// Two NOPs, kind and length: what brings an option of 4n + 2 bytes to a word's end.
std::byte* put_head(std::byte* p, std::uint8_t kind, std::size_t size) {
  store8(p, TcpOption::kNop);
  store8(p + 1, TcpOption::kNop);
  store8(p + 2, kind);
  store8(p + 3, size);
  return p + 4;
}

void put_options(std::byte* p, const TcpFields& f) {
  if (f.mss) {
    store8(p, TcpOption::kMss);
    store8(p + 1, 4);
    store16(p + 2, *f.mss);
    p += 4;
  }
  if (f.window_scale) {
    store8(p, TcpOption::kNop);
    store8(p + 1, TcpOption::kWindowScale);
    store8(p + 2, 3);
    store8(p + 3, *f.window_scale);
    p += 4;
  }
  if (f.sack_permitted) p = put_head(p, TcpOption::kSackPermitted, 2);
  if (f.timestamps) {
    p = put_head(p, TcpOption::kTimestamps, 10);
    store32(p, f.timestamps->value);
    store32(p + 4, f.timestamps->echo);
    p += 8;
  }
  if (f.block_count == 0) return;
  p = put_head(p, TcpOption::kSack, 2 + 8u * f.block_count);
  for (std::size_t i = 0; i < f.block_count; ++i, p += 8) {
    store32(p, f.blocks[i].left);
    store32(p + 4, f.blocks[i].right);
  }
}

// Writes the fields of a header one behind the other and sums them up from their values: wide words read back
// where narrow ones were just written would wait until these have left the store buffer.
class SummedFields {
 public:
  explicit SummedFields(std::byte* p, const InternetSum& before = {}) : p_(p), sum_(before) {}
  void put16(std::size_t at, unsigned v) {
    store16(p_ + at, static_cast<std::uint16_t>(v));
    sum_.add16(static_cast<std::uint16_t>(v));
  }
  void put32(std::size_t at, std::uint32_t v) {
    store32(p_ + at, v);
    sum_.add32(v);
  }
  InternetSum& sum() { return sum_; }

 private:
  std::byte* p_;
  InternetSum sum_;
};

void put_ipv4(std::byte* p, const TcpPath& path, std::uint16_t ident, std::size_t length) {
  SummedFields fields(p);
  fields.put16(0, 0x4500u | path.traffic_class);
  fields.put16(2, static_cast<unsigned>(length));
  fields.put16(4, ident);
  fields.put16(6, 0x4000);  // don't fragment
  fields.put16(8, unsigned{path.hop_limit} << 8 | ip_protocol::kTcp);
  fields.put32(12, static_cast<std::uint32_t>(path.source.lo));
  fields.put32(16, static_cast<std::uint32_t>(path.destination.lo));
  store16(p + 10, fields.sum().checksum());
}

void put_ipv6(std::byte* p, const TcpPath& path, std::size_t length) {
  store32(p, 6u << 28 | std::uint32_t{path.traffic_class} << 20);
  store16(p + 4, static_cast<std::uint16_t>(length - Ipv6View::kSize));
  store8(p + 6, ip_protocol::kTcp);
  store8(p + 7, path.hop_limit);
  store64(p + 8, path.source.hi);
  store64(p + 16, path.source.lo);
  store64(p + 24, path.destination.hi);
  store64(p + 32, path.destination.lo);
}

void read_options(TcpSegment& s, const TcpView& tcp) {
  for (const TcpOption option : tcp.options()) {
    if (const auto mss = option.mss()) s.mss = mss;
    if (const auto scale = option.window_scale()) s.window_scale = scale;
    if (const auto stamps = option.timestamps()) s.timestamps = stamps;
    s.sack_permitted = s.sack_permitted || option.sack_permitted();
    for (std::size_t i = 0; i < option.blocks(); ++i) s.add_block(option.block(i));
  }
}

// The TCP segment and the addresses of a packet.
struct Located {
  Bytes tcp, addresses;
};

std::optional<Located> locate(Bytes packet) {
  if (const auto ip = Ipv4View::at(packet)) {
    if (ip->protocol() != ip_protocol::kTcp || ip->fragment() || ip->total_length() > packet.size())
      return std::nullopt;
    return Located{packet.subspan(ip->header_size(), ip->total_length() - ip->header_size()),
                   packet.subspan(12, 8)};
  }
  const auto ip = Ipv6View::at(packet);
  if (!ip || ip->payload_length() > packet.size() - Ipv6View::kSize) return std::nullopt;
  const Bytes payload = packet.subspan(Ipv6View::kSize, ip->payload_length());
  const auto chain = Ipv6Chain::at(payload, ip->next_header());
  if (!chain || chain->fragment || !chain->ends_at_l4 || chain->protocol != ip_protocol::kTcp)
    return std::nullopt;
  return Located{payload.subspan(chain->size), packet.subspan(8, 32)};
}

// IPv4's and TCP's headers without options have one size: then in five words.
InternetSum& add_header(InternetSum& sum, Bytes header) {
  static_assert(Ipv4View::kMinSize == 20 && TcpView::kMinSize == 20);
  if (header.size() != 20) return sum.add(header);
  for (std::size_t at = 0; at < 20; at += 4) sum.add32(load32(header.data() + at));
  return sum;
}

// IPv6 has none.
bool ip_checksum_right(Bytes packet) {
  const auto ipv4 = Ipv4View::at(packet);
  InternetSum sum;
  return !ipv4 || add_header(sum, packet.first(ipv4->header_size())).folded() == 0xffff;
}

// RFC 9293 section 3.1 and RFC 8200 section 8.1. As tcp_pseudo_header(), of addresses that are not written
// yet or were just now.
InternetSum pseudo_header_of(const TcpPath& path, std::size_t length) {
  InternetSum sum;
  for (const IpAddress* a : {&path.source, &path.destination}) {
    if (path.source.ipv6) {
      sum.add32(static_cast<std::uint32_t>(a->hi >> 32)).add32(static_cast<std::uint32_t>(a->hi));
      sum.add32(static_cast<std::uint32_t>(a->lo >> 32));
    }
    sum.add32(static_cast<std::uint32_t>(a->lo));
  }
  sum.add16(ip_protocol::kTcp).add32(static_cast<std::uint32_t>(length));
  return sum;
}

}  // namespace

std::size_t tcp_headers_size(const TcpPath& path, const TcpFields& fields) noexcept {
  return ip_header_size(path) + TcpView::kMinSize + options_size(fields);
}

std::size_t write_tcp(std::span<std::byte> out, const TcpPath& path, std::uint16_t ident,
                      const TcpFields& fields, std::size_t payload, std::uint16_t payload_sum) noexcept {
  const std::size_t ip = ip_header_size(path), options = options_size(fields);
  const std::size_t head = ip + TcpView::kMinSize + options, length = head + payload;
  DP_EXPECT(length <= out.size() && length <= 0xffff + Ipv6View::kSize);
  DP_EXPECT(options <= 40);
  std::byte* p = out.data();
  if (path.source.ipv6) {
    put_ipv6(p, path, length);
  } else {
    put_ipv4(p, path, ident, length);
  }
  std::byte* tcp = p + ip;
  SummedFields header(tcp, pseudo_header_of(path, length - ip));
  header.put16(0, path.source_port);
  header.put16(2, path.destination_port);
  header.put32(4, fields.seq);
  header.put32(8, fields.ack);
  header.put16(12, static_cast<unsigned>(TcpView::kMinSize + options) / 4 << 12 | fields.flags);
  header.put16(14, fields.window);
  header.put16(18, 0);  // urgent pointer
  if (options > 0) {
    put_options(tcp + TcpView::kMinSize, fields);
    header.sum().add({tcp + TcpView::kMinSize, options});
  }
  store16(tcp + 16, header.sum().add16(payload_sum).checksum());
  return length;
}

std::optional<TcpSegment> read_tcp(Bytes packet) noexcept {
  const auto found = locate(packet);
  const auto tcp = found ? TcpView::at(found->tcp) : std::nullopt;
  if (!tcp) return std::nullopt;
  TcpSegment s;
  s.source_port = tcp->source_port();
  s.destination_port = tcp->destination_port();
  s.seq = tcp->seq();
  s.ack = tcp->ack();
  s.flags = tcp->flags();
  s.window = tcp->window();
  s.payload = found->tcp.subspan(tcp->header_size());
  if (tcp->header_size() > TcpView::kMinSize) read_options(s, *tcp);
  return s;
}

bool tcp_checksums_right(Bytes packet) noexcept {
  const auto found = locate(packet);
  if (!found || !TcpView::at(found->tcp) || !ip_checksum_right(packet)) return false;
  return tcp_pseudo_header(found->addresses, found->tcp.size()).add(found->tcp).folded() == 0xffff;
}

bool tcp_checksums_right(Bytes packet, std::uint16_t payload_sum) noexcept {
  const auto found = locate(packet);
  const auto tcp = found ? TcpView::at(found->tcp) : std::nullopt;
  if (!tcp || !ip_checksum_right(packet)) return false;
  InternetSum sum = tcp_pseudo_header(found->addresses, found->tcp.size());
  return add_header(sum, found->tcp.first(tcp->header_size())).add16(payload_sum).folded() == 0xffff;
}

}  // namespace dp
