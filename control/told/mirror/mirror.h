// Datagrams of one UDP port from frames that a mirror copies, in both directions; fragmented ones are put
// together. It has no socket and no clock. Checksums are not verified: a capture at the sender has none yet.
#pragma once
#include <cstdint>
#include <optional>

#include "control/told/mirror/fragments.h"
#include "control/told/mirror/ip_packet.h"
#include "control/told/source.h"
#include "dataplane/packet/udp.h"

namespace control::told {

class Mirror {
 public:
  struct Counters {
    std::uint64_t datagrams = 0;  // to or from the port
    std::uint64_t others = 0;     // frames with no IP packet, and packets of other protocols and ports
    std::uint64_t malformed = 0;  // frames
    std::uint64_t cut = 0;        // frames that the capture has not as a whole
  };

  explicit Mirror(std::uint16_t port, const FragmentSettings& settings = {})
      : port_(port), fragments_(settings) {}

  // The datagram that ends with this frame, to or from the port. Its payload is valid until the next call,
  // and as long as the frame. Requires: times do not decrease.
  std::optional<Datagram> take(dp::Bytes frame, dp::Time at);

  const Counters& counters() const { return counters_; }
  const Fragments& fragments() const { return fragments_; }

 private:
  bool is_of_port(const dp::UdpView& udp) const {
    return udp.source_port() == port_ || udp.destination_port() == port_;
  }
  bool reassemble(IpPacket& packet, dp::Time at);
  std::optional<Datagram> read_udp(const IpPacket& packet, dp::Time at);

  const std::uint16_t port_;
  Fragments fragments_;
  Counters counters_;
};

}  // namespace control::told
