#include "dataplane/split/frames.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dataplane/base/expect.h"
#include "dataplane/packet/bytes.h"
#include "dataplane/packet/checksum.h"
#include "dataplane/packet/tcp_checksum.h"
#include "dataplane/tcp/segment.h"

namespace dp {
namespace {

constexpr std::uint32_t kShortIpv4 = 20, kShortIpv6 = 40;
constexpr std::uint8_t kInitialHops = 64;
// Two NOPs stand before each option, as everybody writes them.
constexpr std::uint32_t kTwoNops = TcpOption::kNop << 24 | TcpOption::kNop << 16;
constexpr std::uint32_t kBlocksHead = 4, kBlockBytes = 8;

TcpView tcp_of(const Sdu& sdu) noexcept {
  const auto tcp = TcpView::at(sdu.head().subspan(sdu.l4_offset));
  DP_EXPECT(sdu.l4_offset != 0 && tcp.has_value());
  return *tcp;
}

// An even place of the header, by RFC 1624.
void rewrite16(std::byte* tcp, std::size_t at, std::uint16_t value) noexcept {
  const std::uint16_t before = load16(tcp + at);
  if (before == value) return;
  store16(tcp + at, value);
  store16(tcp + 16, checksum_update16(load16(tcp + 16), before, value));
}
void rewrite8(std::byte* tcp, std::size_t at, std::uint8_t value) noexcept {
  const std::size_t word = at & ~std::size_t{1};
  const std::uint16_t other = load16(tcp + word);
  rewrite16(tcp, word,
            static_cast<std::uint16_t>(at == word ? value << 8 | (other & 0xff) : (other & 0xff00) | value));
}
void rewrite32(std::byte* tcp, std::size_t at, std::uint32_t value) noexcept {
  if (at % 2 == 0) {
    rewrite16(tcp, at, static_cast<std::uint16_t>(value >> 16));
    rewrite16(tcp, at + 2, static_cast<std::uint16_t>(value));
    return;
  }
  for (std::size_t i = 0; i < 4; ++i) rewrite8(tcp, at + i, static_cast<std::uint8_t>(value >> (24 - 8 * i)));
}

// Lengths and checksums of a packet of one mbuf whose TCP segment has `length` octets, header included.
void finish_packet(Sdu& sdu, std::uint32_t length) noexcept {
  std::byte* const ip = sdu.data + sdu.l3_offset;
  std::byte* const tcp = sdu.data + sdu.l4_offset;
  const std::uint32_t ip_header = sdu.l4_offset - sdu.l3_offset;
  if (sdu.ipv6) {
    store16(ip + 4, static_cast<std::uint16_t>(ip_header - kShortIpv6 + length));
  } else {
    store16(ip + 2, static_cast<std::uint16_t>(ip_header + length));
    store16(ip + 10, 0);
    store16(ip + 10, internet_checksum({ip, ip_header}));
  }
  const Bytes addresses = sdu.ipv6 ? Bytes{ip + 8, 32} : Bytes{ip + 12, 8};
  store16(tcp + 16, 0);
  store16(tcp + 16, tcp_pseudo_header(addresses, length).add({tcp, length}).checksum());
  sdu.ip_len = ip_header + length;
  if (sdu.outer_offset != 0) [[unlikely]]
    finish_tunnel(sdu, sdu.l3_offset + sdu.ip_len);
}

std::uint32_t payload_of(const Sdu& sdu, const TcpView& tcp) noexcept {
  return sdu.ip_len - (sdu.l4_offset - sdu.l3_offset) - static_cast<std::uint32_t>(tcp.header_size());
}

// Writes a header word by word, and sums up what it writes: what was just stored in small pieces would be
// slow to read again. Requires: fewer than 2^32 words.
class HeaderWriter {
 public:
  // `sum` counts in the checksum too.
  explicit HeaderWriter(std::byte* at, std::uint64_t sum = 0) noexcept : at_(at), sum_(sum) {}
  HeaderWriter& put16(std::uint32_t value) noexcept {
    const auto word = static_cast<std::uint16_t>(value);
    store16(at_, word);
    sum_ += word;
    at_ += 2;
    return *this;
  }
  HeaderWriter& put32(std::uint32_t value) noexcept {
    store32(at_, value);
    sum_ += value;
    at_ += 4;
    return *this;
  }
  HeaderWriter& put64(std::uint64_t value) noexcept {
    return put32(static_cast<std::uint32_t>(value >> 32)).put32(static_cast<std::uint32_t>(value));
  }
  std::uint16_t checksum() const noexcept {
    return InternetSum{}
        .add32(static_cast<std::uint32_t>(sum_ >> 32))
        .add32(static_cast<std::uint32_t>(sum_))
        .checksum();
  }

 private:
  std::byte* at_;
  std::uint64_t sum_;
};

void write_ip(std::byte* ip, const FlowKey& key, Direction direction, std::uint32_t segment) noexcept {
  struct Address {
    std::uint64_t hi, lo;
  };
  Address from{key.peer_hi, key.peer_lo}, to{key.ue_hi, key.ue_lo};
  if (direction == Direction::uplink) std::swap(from, to);
  HeaderWriter header(ip);
  if (key.ipv6) {
    header.put32(0x6000'0000).put16(segment).put16(ip_protocol::kTcp << 8 | kInitialHops);
    header.put64(from.hi).put64(from.lo).put64(to.hi).put64(to.lo);
    return;
  }
  // Not to be fragmented, so that no identification is needed (RFC 6864).
  header.put32(0x4500'0000 | (kShortIpv4 + segment)).put32(0x4000);
  header.put16(kInitialHops << 8 | ip_protocol::kTcp).put16(0);
  header.put32(static_cast<std::uint32_t>(from.lo)).put32(static_cast<std::uint32_t>(to.lo));
  store16(ip + 10, header.checksum());
}

// A new frame of `size` bytes, with all of the link header and nothing of the packet. Null when there is no
// memory for it.
Sdu* blank_frame(std::uint32_t size, const OuterHeader& link, FrameSource& frames) noexcept {
  Sdu* const sdu = frames.allocate(size);
  if (sdu == nullptr) return nullptr;
  std::byte* const data = sdu->data;
  const std::uint16_t mbufs = sdu->segments;
  *sdu = {};
  sdu->data = data;
  sdu->segments = mbufs;
  sdu->frame_len = sdu->head_len = size;
  sdu->ip_len = size - link.size;
  static_assert(OuterHeader::kMostLink < kShortIpv4 + TcpView::kMinSize);
  link.begin(*sdu);
  return sdu;
}

// The sum of its words, of either IP: the halves of an address that IPv4 has not are zero.
std::uint64_t pseudo_header_of(const FlowKey& key, std::uint32_t segment) noexcept {
  std::uint64_t sum = std::uint64_t{ip_protocol::kTcp} + segment;
  for (const std::uint64_t half : {key.ue_hi, key.ue_lo, key.peer_hi, key.peer_lo}) {
    sum += (half >> 32) + (half & 0xffff'ffff);
  }
  return sum;
}

}  // namespace

void edit_header(Sdu& sdu, const HeaderEdit& edit) noexcept {
  const TcpView view = tcp_of(sdu);
  std::byte* const tcp = sdu.data + sdu.l4_offset;
  if (edit.seq) rewrite32(tcp, 4, *edit.seq);
  if (edit.ack) rewrite32(tcp, 8, *edit.ack);
  if (edit.window) rewrite16(tcp, 14, *edit.window);
  if ((edit.set_flags | edit.clear_flags) != 0) {
    rewrite8(tcp, 13, static_cast<std::uint8_t>((view.flags() & ~edit.clear_flags) | edit.set_flags));
  }
  if (!edit.stamp && !edit.echo && !edit.strip_blocks) return;
  for (const TcpOption option : view.options()) {
    const auto at = static_cast<std::size_t>(option.data.data() - view.p);
    if (option.timestamps()) {
      if (edit.stamp) rewrite32(tcp, at, *edit.stamp);
      if (edit.echo) rewrite32(tcp, at + 4, *edit.echo);
    } else if (edit.strip_blocks && option.kind == TcpOption::kSack) {
      for (std::size_t i = 0; i < option.data.size() + 2; ++i) rewrite8(tcp, at - 2 + i, TcpOption::kNop);
    }
  }
}

void cut_segment(Sdu& sdu, std::uint32_t from, std::uint32_t length, bool fin, FrameSource& frames) noexcept {
  const TcpView view = tcp_of(sdu);
  const auto header = static_cast<std::uint32_t>(view.header_size());
  DP_EXPECT(sdu.segments == 1 && from + length <= payload_of(sdu, view));
  std::byte* const tcp = sdu.data + sdu.l4_offset;
  std::memmove(tcp + header, tcp + header + from, length);
  store32(tcp + 4, view.seq() + from);
  if (!fin) tcp[13] &= ~std::byte{TcpView::kFin};
  finish_packet(sdu, header + length);
  sdu.frame_len = sdu.head_len = sdu.l4_offset + header + length;
  frames.shorten(sdu, sdu.frame_len);
}

Sdu* copy_behind(const OuterHeader& link, const Sdu& sdu, FrameSource& frames) noexcept {
  DP_EXPECT(sdu.segments == 1);
  const std::uint32_t size = link.size + sdu.ip_len;
  Sdu* const copy = frames.allocate(size);
  if (copy == nullptr) return nullptr;
  std::byte* const data = copy->data;
  const std::uint16_t mbufs = copy->segments;
  std::memcpy(data, link.bytes.data(), link.size);
  std::memcpy(data + link.size, sdu.data + sdu.l3_offset, sdu.ip_len);
  *copy = sdu;
  copy->next = nullptr;
  copy->data = data;
  copy->segments = mbufs;
  copy->frame_len = copy->head_len = size;
  copy->l3_offset = link.size;
  copy->l4_offset = static_cast<std::uint16_t>(link.size + sdu.l4_offset - sdu.l3_offset);
  copy->dropped_for.reset();
  copy->outer_offset = link.outer_offset;
  if (copy->outer_offset != 0) finish_tunnel(*copy, size);
  return copy;
}

Sdu* join_segments(const Sdu& first, const Sdu& second, FrameSource& frames) noexcept {
  DP_EXPECT(first.segments == 1 && second.segments == 1);
  const TcpView a = tcp_of(first), b = tcp_of(second);
  const std::uint32_t more = payload_of(second, b);
  const std::uint32_t own = first.l3_offset + first.ip_len;  // without what pads a short frame
  Sdu* const both = frames.allocate(own + more);
  if (both == nullptr) return nullptr;
  std::byte* const data = both->data;
  const std::uint32_t segments = both->segments;
  std::memcpy(data, first.data, own);
  std::memcpy(data + own, second.data + second.l4_offset + b.header_size(), more);
  *both = first;
  both->next = nullptr;
  both->data = data;
  both->segments = static_cast<std::uint16_t>(segments);
  both->frame_len = both->head_len = own + more;
  both->dropped_for.reset();
  data[both->l4_offset + 13] |=
      std::byte{static_cast<std::uint8_t>(b.flags() & (TcpView::kFin | TcpView::kPsh))};
  finish_packet(*both, own + more - first.l4_offset);
  DP_EXPECT(a.header_size() >= TcpView::kMinSize);
  return both;
}

Sdu* write_bare_segment(const BareSegment& segment, const FlowKey& key, Direction direction,
                        const OuterHeader& link, FrameSource& frames) noexcept {
  const std::size_t blocks = std::min<std::size_t>(segment.blocks.size(), segment.stamps ? 3 : 4);
  const std::uint32_t ip_header = key.ipv6 ? kShortIpv6 : kShortIpv4;
  const auto header = static_cast<std::uint32_t>(TcpView::kMinSize + (segment.stamps ? kTimestampsSize : 0) +
                                                 (blocks == 0 ? 0 : kBlocksHead + kBlockBytes * blocks));
  const std::uint32_t size = link.size + ip_header + header;
  Sdu* const sdu = blank_frame(size, link, frames);
  if (sdu == nullptr) return nullptr;
  sdu->l4_offset = static_cast<std::uint16_t>(link.size + ip_header);
  sdu->l4_protocol = ip_protocol::kTcp;
  sdu->ingress = opposite(exit_of(direction));
  sdu->kind = FrameKind::ip;
  sdu->ipv6 = key.ipv6;
  write_ip(sdu->data + link.size, key, direction, header);
  std::byte* const tcp = sdu->data + sdu->l4_offset;
  const bool down = direction == Direction::downlink;
  HeaderWriter words(tcp, pseudo_header_of(key, header));
  words.put16(down ? key.peer_port : key.ue_port).put16(down ? key.ue_port : key.peer_port);
  words.put32(segment.seq).put32(segment.ack);
  words.put16(header / 4 << 12 | segment.flags).put16(segment.window).put32(0);
  if (segment.stamps) {
    words.put32(kTwoNops | TcpOption::kTimestamps << 8 | 10);
    words.put32(segment.stamps->value).put32(segment.stamps->echo);
  }
  if (blocks > 0) {
    words.put32(kTwoNops | TcpOption::kSack << 8 | static_cast<std::uint32_t>(2 + kBlockBytes * blocks));
    for (const TcpOption::Block& block : segment.blocks.first(blocks))
      words.put32(block.left).put32(block.right);
  }
  store16(tcp + 16, words.checksum());
  if (sdu->outer_offset != 0) finish_tunnel(*sdu, size);
  return sdu;
}

}  // namespace dp
