// The metadata of one frame: 64 bytes beside it (an mbuf's private area, plain memory in the lab). The
// frame's bytes and this record have one owner at a time: the Io that received it, then the list, buffer or
// stage that holds the pointer, at last the Io again (transmit or free). Names follow 3GPP: above RLC it is
// an SDU.
// Tests: tests/unit/packet/parse_test.cc
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "dataplane/base/drop_reason.h"
#include "dataplane/base/ids.h"
#include "dataplane/base/time.h"

namespace dp {

struct Bearer;

// The result of parsing, which determines the frame's path before any bearer is looked up.
enum class FrameKind : std::uint8_t {
  ip,            // an IPv4 or IPv6 packet, l3_offset and ip_len are set
  link_control,  // ARP, ND, LLDP and other frames that keep the link itself alive
  routing,       // OSPF and BFD: passes unless it belongs to a bearer
  multicast,     // IP multicast and broadcast
  other,         // an EtherType that is not parsed
  gtp_u,         // GTP-U between peers without a packet of a user that can be read; offsets are the outer
                 // packet's
  unparsable,    // inconsistent headers, or headers that exceed the first segment
  truncated,     // the IP length exceeds the frame
};

// Bits of Sdu::fate, for an SDU whose transmission has started. A link with acknowledgements keeps the SDU
// until the peer's final report.
inline constexpr std::uint8_t kFateDelivered = 1;  // the peer has delivered it
inline constexpr std::uint8_t kFateNoFrame = 2;    // the peer had no frame to put it into
// A retransmission of an ACK stage: the buffer does not count it. With the second flag it is no longer kept,
// or is a copy of a kept frame, and is counted as retained by itself.
inline constexpr std::uint8_t kFateAgain = 4;
inline constexpr std::uint8_t kFateApart = 32;
// Its transmission began on arrival, over an idle channel (bearer/leg.h).
inline constexpr std::uint8_t kFateAtOnce = 16;

// Some members share memory, since a frame passes through one place after the other, and each place needs
// others. Whoever takes an SDU over sets those of its own place, and reads no others:
//
// | place                         | members                            |
// | ----------------------------- | ---------------------------------- |
// | between the port and a buffer | arrival, bearer, heard             |
// | waiting in a leg's buffer     | arrival, bearer, note()            |
// | in transmission               | arrival, bearer, fate              |
// | held by an ACK stage          | held_since(), held_order, ack_kind |
// | on its way over the link `um` | lands_at(), bearer                 |
//
// The note's high byte stays until the SDU has left the leg. There is no room for a mark of the place that
// could be checked.
struct alignas(64) Sdu {
  Sdu* next;        // intrusive list link; meaningful only for the list that holds it
  std::byte* data;  // first byte of the Ethernet header, in the first segment
  union {
    Bearer* bearer;            // set by classify; null without a bearer
    std::uint64_t held_order;  // held by an ACK stage: its position among all held ACKs (ack/held.h)
  };
  Time arrival;  // `now` of the poll that received or made it; behind a leg held_since(), lands_at()
  std::uint32_t frame_len;  // bytes on the wire, all segments
  std::uint32_t head_len;   // bytes readable at `data`: the first segment
  std::uint32_t ip_len;     // length for rates and BO: from the IP header to the last byte of the packet
  std::uint32_t flow;       // FlowTable's handle once its flow is known; 0 before
  std::uint8_t l3_offset;   // from `data`
  NetworkId network;        // network of its VLAN (packet/network_of.h)
  std::uint16_t l4_offset;  // from `data`; 0 if unreadable (fragment, beyond the first segment)
  std::uint16_t segments;   // mbufs in the chain
  std::uint8_t l4_protocol;
  std::uint8_t ecn;  // 2 bits, RFC 3168
  // These four in this order: parsing writes them as one word.
  FrameKind kind;
  bool ipv6;
  bool fragment;
  std::uint8_t outer_offset;  // offset of the tunnel's IP header from `data`; 0: no tunnel
  Side ingress;
  OptionalDropReason dropped_for;  // once it was dropped; before, what its Io put there
  union {
    // True for an ICMP message about a smaller path MTU that was handled by the proxy concerned, or handed to
    // its worker. Set with several workers only.
    bool heard;
    std::uint8_t fate;      // kFate...
    std::uint8_t note_low;  // of note()
  };
  union {
    std::uint8_t ack_kind;   // its AckKind
    std::uint8_t note_high;  // of note()
  };

  std::span<const std::byte> head() const noexcept { return {data, head_len}; }

  // Since when an ACK stage holds it.
  Time held_since() const noexcept { return arrival; }
  void set_held_since(Time t) noexcept { arrival = t; }
  // Its arrival behind the link `um`, in the link's time.
  Time lands_at() const noexcept { return arrival; }
  void set_lands_at(Time t) noexcept { arrival = t; }

  // Data of the queues in which it waits (queue/sfp.h).
  std::uint16_t note() const noexcept { return static_cast<std::uint16_t>(note_high << 8 | note_low); }
  void set_note(std::uint16_t note) noexcept {
    note_high = static_cast<std::uint8_t>(note >> 8);
    note_low = static_cast<std::uint8_t>(note);
  }
};
static_assert(std::is_trivially_copyable_v<Sdu>);

// Bytes reserved for an Sdu in front of each frame.
inline constexpr std::size_t kSduBytes = 64;
static_assert(sizeof(Sdu) == kSduBytes);

// Prefetches what a port reads to send a frame: an mbuf, whose two cache lines precede its Sdu (dpdk/mbuf.h).
// If frames are no mbufs, the prefetch is harmless.
inline constexpr std::size_t kBytesBeforeSdu = 128;
[[gnu::always_inline]] inline void prefetch_to_send(const Sdu& sdu) noexcept {
  const auto* const end = reinterpret_cast<const std::byte*>(&sdu);
  for (std::size_t back = kBytesBeforeSdu; back != 0; back -= kSduBytes) __builtin_prefetch(end - back, 1);
}

}  // namespace dp
