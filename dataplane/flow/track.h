// Follows a TCP connection by its segments: handshake, sequence numbers, ACKs, SACK, round trips. It tells
// what a segment is; it neither edits nor holds it.
#pragma once
#include "dataplane/flow/flow.h"

namespace dp {

// A segment opens another connection than the one the flow has followed: a SYN with a new sequence number
// (port reuse). The flow has to be made anew before the segment is tracked.
bool is_new_connection(const Flow& flow, const FlowSegment& segment, Direction direction, Time now) noexcept;

// A segment that cannot be of this connection: an old duplicate, or blind. It is ignored.
bool is_stray(const Flow& flow, const FlowSegment& segment, Direction direction) noexcept;

// Data of the source's that go on where the last left off, and nothing else: all that moves is what its
// sender has sent anyway, so that this takes no proof by its checksum.
bool goes_on_in_order(const Flow& flow, const FlowSegment& segment) noexcept;

// Requires of the three below: the segment's checksum is right, or goes_on_in_order().
// A segment from the source has come. Answers is_stray() of it, before a SYN began another connection.
bool track_downlink(Flow& flow, const FlowSegment& segment, Time now) noexcept;
// Its transmission to the UE has started.
void track_dequeue(Flow& flow, const FlowSegment& segment) noexcept;

// What an uplink segment is, and what it has acknowledged.
struct Acknowledgement {
  AckKind kind;
  Offset ack = 0;           // the cumulative ACK; flow.acked when there is none
  std::uint32_t newly = 0;  // bytes that it is the first to acknowledge
  bool stray = false;       // it is not of the connection: nothing has moved
};
Acknowledgement track_uplink(Flow& flow, const FlowSegment& segment, Time now) noexcept;

// An uplink segment leaves for the source, edited or not.
void track_told(Flow& flow, const FlowSegment& segment, Time now) noexcept;

}  // namespace dp
