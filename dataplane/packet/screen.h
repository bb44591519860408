// After parsing: forwards frames past the bearers that are no user's IP packet, in both directions alike.
#pragma once
#include "dataplane/packet/burst.h"
#include "dataplane/packet/context.h"
#include "dataplane/packet/ethernet.h"
#include "dataplane/packet/network_of.h"
#include "dataplane/packet/parse.h"
#include "dataplane/packet/parse_tunnel.h"

namespace dp {

// Requires: neither bare nor peeled.
inline PassReason pass_reason(GtpUVerdict verdict) noexcept {
  using enum GtpUVerdict;
  switch (verdict) {
    case message:
      return PassReason::gtp_u_message;
    case version:
      return PassReason::gtp_u_version;
    case length:
      return PassReason::gtp_u_length;
    case chain:
      return PassReason::gtp_u_chain;
    case inner:
      return PassReason::gtp_u_inner;
    case not_ip:
      return PassReason::gtp_u_not_ip;
    case fragment:
      return PassReason::gtp_u_fragment;
    case sequence:
      return PassReason::gtp_u_sequence;
    case bare:
    case peeled:
      break;
  }
  DP_EXPECT(verdict != bare && verdict != peeled);
  return PassReason::gtp_u_inner;
}

// The VLAN's network has precedence over that of the tunnel's endpoints.
inline void set_network(Sdu& sdu, const NetworkMap* networks) noexcept {
  const NetworkId of_vlan = network_of(sdu.head(), networks);
  if (of_vlan != kNoNetwork) sdu.network = of_vlan;
}

// A GTP-U message that is no G-PDU waits for the end of the poll (TunnelBook::poll). Without tunnels here it
// passes: another worker, which has handed it over, may look into them sooner than this one.
inline void take_message(Sdu& message, Context& context) noexcept {
  if (context.tunnels == nullptr) return context.pass(message, PassReason::gtp_u_message);
  context.messages.push(message);
}

// Parses a frame that is not plain (packet/parse_plain.h). True if it may belong to a bearer; otherwise it
// has been forwarded, counted by reason.
[[gnu::noinline]] inline bool parse_and_screen_any(Sdu& sdu, Context& context) noexcept {
  const GtpUVerdict verdict = parse_any(sdu, context.gtp_u);
  if (sdu.l3_offset > EthernetView::kSize) set_network(sdu, context.networks);
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
    case FrameKind::gtp_u:
      verdict == GtpUVerdict::message ? take_message(sdu, context) : context.pass(sdu, pass_reason(verdict));
      return false;
  }
  return false;
}

// parse_and_screen() for a worker with tunnels.
[[gnu::noinline]] inline void parse_and_screen_tunnels(Burst& burst, Context& context) noexcept {
  burst.keep_if([&](Sdu& sdu) {
    return parse_tunnel(sdu, *context.plain_tunnels) || parse_plain(sdu) ||
           parse_and_screen_any(sdu, context);
  });
}

// Parses all frames and keeps those that may belong to a bearer; the others are forwarded at once.
inline void parse_and_screen(Burst& burst, Context& context) noexcept {
  if (context.gtp_u != nullptr) return parse_and_screen_tunnels(burst, context);
  burst.keep_if([&](Sdu& sdu) { return parse_plain(sdu) || parse_and_screen_any(sdu, context); });
}

}  // namespace dp
