// A captured PDU of RLC acknowledged mode as a dissector reads it: in a UDP datagram with the framing
// "umts-rlc", of Wireshark's heuristic rlc_udp.
#pragma once
#include <cstdint>
#include <string>

#include "dataplane/packet/bytes.h"
#include "dataplane/tap/record.h"

namespace control {

// Bytes around the PDU.
inline constexpr std::uint32_t kRlcFraming = 66;

std::string rlc_datagram(const dp::TapRecord& record, dp::Bytes pdu);

}  // namespace control
