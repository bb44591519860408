// Follows a TCP connection by its segments: handshake, sequence numbers, ACKs, SACK, round trips. It
// classifies segments; it neither edits nor holds them.
#pragma once
#include "dataplane/flow/flow.h"

namespace dp {

// True if a segment opens a new incarnation of the connection: a SYN with a new sequence number (port reuse).
// The flow must be restarted before the segment is tracked.
bool is_new_connection(const Flow& flow, const FlowSegment& segment, Direction direction, Time now) noexcept;

// True for a segment that cannot belong to this connection: an old duplicate, or a blind one. It is ignored.
bool is_unacceptable(const Flow& flow, const FlowSegment& segment, Direction direction) noexcept;

// True for data of the source that continue in order, with no other change: the only state that moves is what
// the sender has sent anyway, so that its checksum need not be verified.
bool goes_on_in_order(const Flow& flow, const FlowSegment& segment) noexcept;

// Requires, for the next three functions: the segment's checksum is right, or goes_on_in_order(). Processes a
// segment from the source. Returns is_unacceptable() of it, evaluated before a SYN restarted the flow.
bool track_downlink(Flow& flow, const FlowSegment& segment, Time now) noexcept;
// Processes the start of its transmission to the UE.
void track_dequeue(Flow& flow, const FlowSegment& segment) noexcept;

// The kind of an uplink segment, and the data that it acknowledges.
struct Acknowledgement {
  AckKind kind;
  Offset ack = 0;             // cumulative ACK; flow.acked if there is none
  std::uint32_t newly = 0;    // bytes that it acknowledges first
  bool unacceptable = false;  // it cannot belong to the connection, and has changed nothing
};
Acknowledgement track_uplink(Flow& flow, const FlowSegment& segment, Time now) noexcept;

// Processes an uplink segment that leaves for the source, edited or not.
void track_forwarded(Flow& flow, const FlowSegment& segment, Time now) noexcept;

}  // namespace dp
