// An IP packet of an Ethernet frame with any VLAN tags, or one fragment of it. Views the frame.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include "dataplane/packet/bytes.h"

namespace control::told {

struct IpPacket {
  struct Fragment {
    std::uint32_t id = 0;
    std::size_t offset = 0;  // bytes
    bool more = false;       // others follow it
  };

  bool ipv6 = false;
  std::uint64_t source_hi = 0, source_lo = 0;  // the words as in dp::UeAddress
  std::uint64_t destination_hi = 0, destination_lo = 0;
  std::uint8_t protocol = 0;         // that `payload` begins with
  std::optional<Fragment> fragment;  // none: the packet is whole
  dp::Bytes payload;                 // without padding of the frame
};

enum class FrameKind : std::uint8_t {
  packet,
  other,      // no IP
  malformed,  // headers that contradict each other
  cut,        // the capture has less than the packet
};

// Sets `packet` if it returns FrameKind::packet. Extension headers before a fragment header are gone through.
FrameKind read_frame(dp::Bytes frame, IpPacket& packet);

// Goes through extension headers of IPv6 from the packet's payload on, up to what it carries. False if they
// exceed the payload, are more than eight, or if there is a fragment header.
bool skip_extensions(IpPacket& packet);

}  // namespace control::told
