// The start and abort of a connection: SYN, SYN-ACK and RST. For track.cc; owns nothing.
#pragma once
#include "dataplane/flow/flow.h"

namespace dp {

// Anchors a sequence space: `seq` becomes position 0. `syn`: it is that of a SYN, before which there was no
// data.
void anchor_source(Flow& flow, std::uint32_t seq, bool syn) noexcept;
void anchor_ue(Flow& flow, std::uint32_t seq) noexcept;

// Ends the doubt about a flow (Flow::in_doubt). If the segment does not fit, the connection went on unseen:
// the next segment of each end anchors its space anew. What the SYNs said stays.
void settle_doubt(Flow& flow, const FlowSegment& segment, Direction direction) noexcept;

// Notes a SYN; false, without effect, if it does not open the flow's connection. Requires: a SYN.
bool note_syn(Flow& flow, const FlowSegment& segment, Direction direction) noexcept;

// The largest position that this end's FIN may have: its peer has offered no window beyond it, and would
// ignore it.
Offset end_limit(const Flow& flow, Direction direction) noexcept;

// Notes a RST, which counts only if its peer accepts it (RFC 5961 section 3.2). Requires: a RST.
void note_reset(Flow& flow, const FlowSegment& segment, Direction direction) noexcept;

}  // namespace dp
