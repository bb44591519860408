// Turns a data segment round: the frame in which it came goes back to its source as the pure ACK that the UE
// sent last. It is made of the frame's own headers, so that no memory is asked for.
#pragma once
#include "dataplane/flow/flow.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/tcp.h"

namespace dp {

// Ethernet and IP addresses and the ports change places, VLAN tags stay; the number, the window and, unless
// null, the timestamps are the UE's last (RFC 7323); what follows the header is cut off. False, and nothing
// has changed, when the frame cannot be turned: several segments, IP options or extension headers, or a UE of
// which too little was seen. Requires: it is a segment of the flow's source.
bool turn_into_ack(Sdu& sdu, const Flow& flow, const TcpOption::Timestamps* stamps,
                   FrameSource& frames) noexcept;

}  // namespace dp
