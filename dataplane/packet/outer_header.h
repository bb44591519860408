// The octets before the IP header of a user's packets in one direction: Ethernet addresses and tags, and in a
// tunnel the outer IP, UDP and GTP-U headers. Kept and created frames leave with the header of the last
// received frame, since the next hop and the tunnel may have changed.
// Tests: tests/contract/kept_contract_test.cc
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "dataplane/packet/context.h"
#include "dataplane/packet/network_of.h"
#include "dataplane/packet/sdu.h"

namespace dp {

struct TunnelKey;

// Writes the lengths of a tunnel's headers for a message that ends at offset `end` of the frame, and the
// checksums that depend on them. A UDP checksum of 0 stays 0 (RFC 768; over IPv6 RFC 6935 section 5); that of
// a frame of several mbufs becomes 0. Requires: the frame is in a tunnel and not shared, `end` is not before
// l3_offset and within the frame.
void finish_tunnel(Sdu& sdu, std::size_t end) noexcept;
// Accounts in the UDP checksum of a tunnel for a changed word of what it carries, at an even offset of the
// user's packet; a checksum of 0 stays 0. Requires: the frame is in a tunnel.
void update_tunnel_checksum(Sdu& sdu, std::uint16_t before, std::uint16_t after) noexcept;
// The offset at which the message of a tunnel ends. Requires: the frame is in a tunnel.
std::size_t end_of_tunnel(const Sdu& sdu) noexcept;

struct OuterHeader {
  static constexpr std::size_t kMostLink = 32;  // without a tunnel
  static constexpr std::size_t kMost = 112;
  static constexpr std::size_t kAddress = 6;

  std::array<std::byte, kMost> bytes{};
  std::uint8_t size = 0;          // 0: no frame received yet
  std::uint8_t outer_offset = 0;  // of the tunnel's IP header; 0: no tunnel

  // Takes the header of a frame. That of a tunnel is reduced to what each of its packets needs: of the
  // extension headers the PDU session container with the QFI (TS 38.415 clause 5.5.2), no sequence number, no
  // ECN (RFC 6040 section 4.2: an outer CE would drop an inner packet that is Not-ECT). False, without
  // effect, if it exceeds the storage.
  bool copy_from(const Sdu& sdu) noexcept {
    if (sdu.outer_offset != 0) [[unlikely]]
      return copy_tunnel(sdu);
    if (sdu.l3_offset > kMostLink) return false;
    size = sdu.l3_offset;
    outer_offset = 0;
    // A copy of constant length is cheaper; the extra bytes of the IP header are ignored.
    sdu.head_len >= kMostLink ? std::memcpy(bytes.data(), sdu.data, kMostLink)
                              : std::memcpy(bytes.data(), sdu.data, size);
    return true;
  }
  // The link header with its addresses swapped; none if it is a tunnel's, whose other direction has another
  // TEID.
  OuterHeader turned() const noexcept {
    if (outer_offset != 0) return {};
    OuterHeader other = *this;
    if (size >= 2 * kAddress) {
      std::swap_ranges(other.bytes.begin(), other.bytes.begin() + kAddress, other.bytes.begin() + kAddress);
    }
    return other;
  }

  // Leads to another tunnel from now on: endpoint, TEID, and the QFI unless it is GtpUChain::kNoQfi. False,
  // without effect, if it is no tunnel's, the endpoint is of the other IP, or a QFI has no container here.
  // The header's checksums follow when it is written to a frame.
  bool point_to(const TunnelKey& tunnel, std::uint8_t qfi) noexcept;

  // True if a packet behind this header would not be found in that network: its VLAN's, else its tunnel's, is
  // another one, or the tunnel is not looked into. False also before the first frame.
  bool is_of_other_network(NetworkId own, const Context& context) const noexcept;

  // True if this header can take the place of the frame's own: it has its length, or is a tunnel's that is
  // shorter.
  bool fits(const Sdu& sdu) const noexcept {
    if (outer_offset != 0 && sdu.outer_offset != 0) return size <= sdu.l3_offset;
    return size == sdu.l3_offset && outer_offset == 0 && sdu.outer_offset == 0;
  }
  // Keeps the frame's own header if this one does not fit. Requires: the frame is not shared.
  void write_to(Sdu& sdu, FrameSource& frames) const noexcept {
    if (!fits(sdu)) return;
    if (outer_offset != 0) [[unlikely]]
      return write_tunnel(sdu, frames);
    std::memcpy(sdu.data, bytes.data(), size);
  }
  // Writes it at the begin of a new frame of which nothing else is written yet, and sets its offset.
  // Requires: the frame has kMostLink octets, and as many as this header.
  void begin(Sdu& sdu) const noexcept {
    sdu.l3_offset = size;
    sdu.outer_offset = outer_offset;
    outer_offset == 0 ? std::memcpy(sdu.data, bytes.data(), kMostLink)
                      : std::memcpy(sdu.data, bytes.data(), size);
  }

 private:
  bool copy_tunnel(const Sdu& sdu) noexcept;
  void write_tunnel(Sdu& sdu, FrameSource& frames) const noexcept;
};

}  // namespace dp
