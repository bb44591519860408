// Follows a TCP connection by its segments: handshake, sequence numbers, ACKs, SACK, round trips. It tells
// what a segment is; it neither edits nor holds it.
#pragma once
#include "dataplane/flow/flow.h"

namespace dp {

// A segment opens another connection than the one the flow has followed: a SYN with a new sequence number
// (port reuse). The flow must be made anew before the segment is tracked.
bool is_new_connection(const Flow& flow, const FlowSegment& segment, Direction direction) noexcept;

// A segment that cannot be of this connection: an old duplicate, or blind. It is ignored.
bool is_stray(const Flow& flow, const FlowSegment& segment, Direction direction) noexcept;

// A segment from the source has come.
void track_downlink(Flow& flow, const FlowSegment& segment, Time now) noexcept;
// Its transmission to the UE has started.
void track_dequeue(Flow& flow, const FlowSegment& segment) noexcept;

// What an uplink segment is, and what it has acknowledged.
struct Acknowledgement {
  AckKind kind;
  Offset ack = 0;           // the cumulative ACK; flow.acked when there is none
  std::uint32_t newly = 0;  // bytes that it is the first to acknowledge
};
Acknowledgement track_uplink(Flow& flow, const FlowSegment& segment, Time now) noexcept;

// An uplink segment leaves for the source, edited or not.
void track_told(Flow& flow, const FlowSegment& segment, Time now) noexcept;

}  // namespace dp
