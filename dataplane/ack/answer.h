// Converts a data segment into an ACK: its frame returns to the source as a copy of the pure ACK that the UE
// sent last. It reuses the frame's headers, so that it allocates no memory.
#pragma once
#include "dataplane/flow/flow.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/tcp.h"

namespace dp {

// Swaps Ethernet addresses, IP addresses and ports and keeps VLAN tags; number, window and, unless `stamps`
// is null, timestamps are the UE's last (RFC 7323); everything after the header is cut off. False, with the
// frame unchanged, for several segments, IP options or extension headers, or a UE of which too little was
// seen. Requires: it is a segment of the flow's source.
bool turn_into_ack(Sdu& sdu, const Flow& flow, const TcpOption::Timestamps* stamps,
                   FrameSource& frames) noexcept;

}  // namespace dp
