// How a connection begins and breaks off: SYN, SYN-ACK and RST. For track.cc; owns nothing.
#pragma once
#include "dataplane/flow/flow.h"

namespace dp {

// Their spaces stand from here on: `seq` is place 0. With `syn` it is that of a SYN: nothing came before it.
void anchor_source(Flow& flow, std::uint32_t seq, bool syn) noexcept;
void anchor_ue(Flow& flow, std::uint32_t seq) noexcept;

// False for a SYN that does not open the flow's connection: it says nothing else about it. Requires: a SYN.
bool note_syn(Flow& flow, const FlowSegment& segment, Direction direction) noexcept;

// The place where this end's FIN may stand at most: its peer has offered no window beyond, so that it would
// ignore it.
Offset end_limit(const Flow& flow, Direction direction) noexcept;

// RFC 5961 section 3.2: counts only where its peer awaits it. Requires: a RST.
void note_reset(Flow& flow, const FlowSegment& segment, Direction direction) noexcept;

}  // namespace dp
