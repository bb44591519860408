// Properties of parse() and the views for any bytes; shared by fuzzing and the unit tests.
#pragma once
#include <cstring>
#include <tuple>

#include "dataplane/packet/ethernet.h"
#include "dataplane/packet/gtp_u.h"
#include "dataplane/packet/icmp.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/ipv6.h"
#include "dataplane/packet/outer_header.h"
#include "dataplane/packet/parse.h"
#include "dataplane/packet/parse_tunnel.h"
#include "dataplane/packet/tcp.h"
#include "dataplane/packet/udp.h"
#include "tests/support/frames.h"
#include "tests/support/tunnels.h"

namespace dp::test {

// The result of parse() for a frame whose first segment is `head`, with `more` bytes behind it.
inline Sdu parsed(Bytes head, std::uint32_t more = 0) {
  TestFrame frame(head);
  parse(frame.chained(more).sdu());
  Sdu sdu = frame.sdu();
  sdu.data = nullptr;  // the bytes go with the frame
  return sdu;
}

inline auto parsed_fields(const Sdu& s) {
  return std::tuple(s.kind, s.l3_offset, s.l4_offset, s.ip_len, s.l4_protocol, s.ecn, s.ipv6, s.fragment,
                    s.network, s.outer_offset);
}

// Null, or what is wrong with the options of this TCP header.
inline const char* tcp_options_fault(const TcpView& tcp) {
  std::size_t bytes = 0;
  std::uint64_t read = 0;
  for (const TcpOption option : tcp.options()) {
    bytes += 2 + option.data.size();
    for (std::byte b : option.data) read += load8(&b);
    read += option.mss().value_or(0) + option.window_scale().value_or(0) + option.sack_permitted();
    if (const auto t = option.timestamps()) read += t->value + t->echo;
    for (std::size_t i = 0; i < option.blocks(); ++i) read += option.block(i).left + option.block(i).right;
  }
  [[maybe_unused]] volatile std::uint64_t keep = read;
  return bytes > 40 ? "more bytes of TCP options than a header holds" : nullptr;
}

// Every view laid on bytes it was not meant for: ASan is the judge of the reads.
inline const char* views_fault(Bytes bytes) {
  std::uint64_t read = 0;
  if (const auto v = EthernetView::at(bytes)) read += v->type() + v->to_group() + v->to_neighbour();
  if (const auto v = VlanView::at(bytes)) read += v->id() + v->priority() + v->type();
  if (const auto v = Ipv4View::at(bytes)) read += v->destination() + v->checksum() + v->ident();
  if (const auto v = Ipv6View::at(bytes)) read += v->source_hi() + v->destination_lo() + v->flow_label();
  if (const auto v = UdpView::at(bytes)) read += v->length() + v->checksum();
  if (const auto v = IcmpView::at(bytes)) read += v->code() + v->checksum();
  if (const auto v = Ipv6Chain::at(bytes, 0); v && v->size > bytes.size()) return "chain beyond its bytes";
  if (const auto v = GtpUChain::at(bytes); v && (v->size > bytes.size() || v->container + 4 > bytes.size()))
    return "chain of GTP-U beyond its bytes";
  read += InternetSum{}.add(bytes).folded();
  [[maybe_unused]] volatile std::uint64_t keep = read;
  const auto tcp = TcpView::at(bytes);
  return tcp ? tcp_options_fault(*tcp) : nullptr;
}

inline const char* l4_fault(const Sdu& s) {
  const std::size_t end = std::min<std::size_t>(s.head_len, s.l3_offset + s.ip_len);
  if (s.l4_offset < s.l3_offset + (s.ipv6 ? 40u : 20u)) return "l4_offset within the IP header";
  if (s.l4_offset >= end) return "l4_offset beyond the packet";
  const Bytes l4 = s.head().subspan(s.l4_offset, end - s.l4_offset);
  if (s.l4_protocol == ip_protocol::kTcp && !TcpView::at(l4)) return "l4_offset of a TCP header not whole";
  if (s.l4_protocol == ip_protocol::kUdp && !UdpView::at(l4)) return "l4_offset of a UDP header not whole";
  return nullptr;
}

inline const char* fields_fault(const Sdu& s) {
  const bool found_ip = s.l3_offset != 0;
  switch (s.kind) {
    case FrameKind::ip:
    case FrameKind::routing:
    case FrameKind::multicast:
    case FrameKind::truncated:
    case FrameKind::gtp_u:
      if (!found_ip) return "an IP packet without l3_offset";
      break;
    case FrameKind::other:
    case FrameKind::unparsable:
      if (found_ip) return "l3_offset in a frame without an IP packet";
      break;
    case FrameKind::link_control:  // ND has one, ARP does not
      break;
    default:
      return "a kind that does not exist";
  }
  if (!found_ip) return s.ip_len != 0 || s.l4_offset != 0 ? "lengths without an IP packet" : nullptr;
  const std::size_t header = s.ipv6 ? 40 : 20;
  if (s.l3_offset + header > s.head_len) return "an IP header beyond the first segment";
  if (s.l3_offset + s.ip_len > s.frame_len) return "an IP packet beyond the frame";
  if (s.kind == FrameKind::truncated) {
    if (s.l3_offset + s.ip_len != s.frame_len) return "a truncated packet that does not fill its frame";
    if (s.l4_offset != 0) return "l4_offset in a truncated packet";
  }
  return s.l4_offset == 0 ? nullptr : l4_fault(s);
}

// Null, or which rule parsing broke where it found a tunnel, or did not.
inline const char* tunnel_fault(const Sdu& s, GtpUVerdict verdict, bool tunnels) {
  const bool peeled = verdict == GtpUVerdict::peeled, bare = verdict == GtpUVerdict::bare;
  if (!tunnels && !bare) return "a tunnel, though none is to be looked for";
  if (peeled != (s.outer_offset != 0)) return "an outer packet that was not peeled, or none that was";
  if ((!peeled && !bare) != (s.kind == FrameKind::gtp_u)) return "a kind that contradicts the verdict";
  if (!peeled) return s.network != kNoNetwork ? "endpoints' network without a tunnel" : nullptr;
  if (s.kind != FrameKind::ip && s.kind != FrameKind::routing && s.kind != FrameKind::multicast &&
      s.kind != FrameKind::link_control)
    return "a tunnelled packet that is none";
  const std::size_t outer_ip = load8(s.data + s.outer_offset) >> 4 == 6 ? 40 : 20;
  if (s.outer_offset < EthernetView::kSize) return "an outer packet within the link header";
  if (s.outer_offset + outer_ip + UdpView::kSize + GtpUView::kSize > s.l3_offset)
    return "a user's packet within the headers of its tunnel";
  const std::size_t end = end_of_tunnel(s);
  if (end > s.frame_len) return "a message beyond its frame";
  return s.l3_offset + s.ip_len > end ? "a user's packet beyond its message" : nullptr;
}

// Null, or what the fast path of tunnels finds that the general one does not.
inline const char* fast_tunnel_fault(const Sdu& general, const GtpUSettings& settings) {
  PlainTunnels tunnels;
  tunnels.set(&settings);
  Sdu fast = general;
  if (!parse_tunnel(fast, tunnels)) return nullptr;
  return parsed_fields(fast) == parsed_fields(general) ? nullptr : "a fast path with a result of its own";
}

// Fills what parsing sets with other values.
inline void spoil(Sdu& sdu) {
  sdu.ip_len = ~0u;
  sdu.l3_offset = sdu.l4_offset = 0xffff;
  sdu.l4_protocol = sdu.ecn = 0xff;
  sdu.kind = FrameKind::truncated;
  sdu.ipv6 = sdu.fragment = true;
  sdu.network = sdu.outer_offset = 0xff;
}

// Null, or which rule parse() broke on a frame whose first segment is `head`, with `more` bytes behind it.
// `settings`: null without tunnels.
inline const char* parse_fault(Bytes head, std::uint32_t more, const GtpUSettings* settings = nullptr) {
  TestFrame frame(head);
  frame.chained(more);
  Sdu& sdu = frame.sdu();
  parse(sdu, settings);
  const auto first = parsed_fields(sdu);
  if (const char* fault = fields_fault(sdu)) return fault;
  if (sdu.l3_offset != 0) {
    for (Direction d : kDirections) {
      if (ue_address(sdu, d).ipv6 != sdu.ipv6) return "an address of the other family";
    }
  }
  spoil(sdu);
  parse(sdu, settings);
  const auto again = parsed_fields(sdu);
  spoil(sdu);
  const GtpUVerdict verdict = parse_any(sdu, settings);
  if (again != first || parsed_fields(sdu) != first)
    return "an answer that depends on what the Sdu held before";
  if (const char* fault = tunnel_fault(sdu, verdict, settings != nullptr)) return fault;
  if (const char* fault = settings == nullptr ? nullptr : fast_tunnel_fault(sdu, *settings)) return fault;
  if (!std::ranges::equal(frame.bytes(), head)) return "bytes of the frame were changed";
  return views_fault(frame.bytes());
}

}  // namespace dp::test
