// After parsing: forwards frames past the bearers that are no user's IP packet, in both directions alike.
#pragma once
#include "dataplane/packet/burst.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/ethernet.h"
#include "dataplane/packet/network_of.h"
#include "dataplane/packet/parse.h"

namespace dp {

// Parses a frame that is not plain (packet/parse_plain.h). True if it may belong to a bearer; otherwise it
// has been forwarded, counted by reason.
[[gnu::noinline]] inline bool parse_and_screen_any(Sdu& sdu, Context& context) noexcept {
  parse_any(sdu);
  if (sdu.l3_offset > EthernetView::kSize) sdu.network = network_of(sdu.head(), context.networks);
  switch (sdu.kind) {
    case FrameKind::ip:
    case FrameKind::routing:
      return true;
    case FrameKind::link_control:
      context.pass(sdu, PassReason::link_control);
      return false;
    case FrameKind::multicast:
      context.pass(sdu, PassReason::multicast);
      return false;
    case FrameKind::other:
      context.pass(sdu, PassReason::not_ip);
      return false;
    case FrameKind::unparsable:
      context.pass(sdu, PassReason::unparsable);
      return false;
    case FrameKind::truncated:
      if (context.mode == Mode::tap) {
        context.pass(sdu, PassReason::unparsable);
        return false;
      }
      context.drop(sdu, DropReason::truncated);
      return false;
  }
  return false;
}

// Parses all frames and keeps those that may belong to a bearer; the others are forwarded at once.
inline void parse_and_screen(Burst& burst, Context& context) noexcept {
  burst.keep_if([&](Sdu& sdu) { return parse_plain(sdu) || parse_and_screen_any(sdu, context); });
}

}  // namespace dp
