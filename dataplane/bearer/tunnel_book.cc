#include "dataplane/bearer/tunnel_book.h"

#include <algorithm>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/mesh/peers.h"
#include "dataplane/packet/gtp_u.h"
#include "dataplane/packet/tunnel_key.h"
#include "dataplane/packet/udp.h"

namespace dp {
namespace {

// Requires: parsing has found that it is a GTP-U message.
GtpUView view_of(const Sdu& message) noexcept {
  DP_EXPECT(message.kind == FrameKind::gtp_u && message.l4_offset != 0);
  return GtpUView{message.data + message.l4_offset + UdpView::kSize};
}

GtpUMessage kind_of(const Sdu& message) noexcept {
  switch (view_of(message).type()) {
    case gtp_u_message::kEchoRequest:
      return GtpUMessage::echo_request;
    case gtp_u_message::kEchoResponse:
      return GtpUMessage::echo_response;
    case gtp_u_message::kErrorIndication:
      return GtpUMessage::error_indication;
    case gtp_u_message::kSupportedExtensions:
      return GtpUMessage::supported_extensions;
    case gtp_u_message::kTunnelStatus:
      return GtpUMessage::tunnel_status;
    case gtp_u_message::kEndMarker:
      return GtpUMessage::end_marker;
    default:
      return GtpUMessage::other;
  }
}

}  // namespace

// Tunnels.

bool TunnelBook::learn(const Sdu& sdu, Direction direction, Context& context) noexcept {
  DP_EXPECT(sdu.outer_offset != 0 && sdu.bearer != nullptr);
  Bearer& bearer = *sdu.bearer;
  const Tunnel& tunnel = bearer.tunnel(direction);
  const TunnelKey key = tunnel_key(sdu);
  if (tunnel.is(key)) {
    tunnel.stale() ? bearer.set_tunnel_stale(direction, false) : bearer.confirm_tunnel(direction);
    return true;
  }
  if (tunnel.late(key, context.now)) return true;
  const GatewayTag gateway = gateway_tag(sdu, direction);
  const auto seen = bearer.leg(direction).last_seen().get(context.now);
  const bool in_use = seen && context.now - *seen < Tunnel::kLate;
  if (tunnel.other_gateway(gateway) && in_use) return false;
  change(bearer, direction, sdu, key, gateway, context);
  return true;
}

void TunnelBook::change(Bearer& bearer, Direction direction, const Sdu& sdu, const TunnelKey& key,
                        GatewayTag gateway, Context& context) noexcept {
  set_tunnel(bearer, direction, key, tunnel_qfi(sdu), gateway, context);
  if (direction != Direction::downlink || !bearer.tunnel(direction).before()) return;
  OuterHeader header;
  // Null if another worker has handed over the G-PDU, and this one no longer looks into tunnels.
  const OnHandover way = context.gtp_u != nullptr ? context.gtp_u->on_handover : OnHandover::keep;
  hand_over(bearer, way, header.copy_from(sdu) ? &header : nullptr, context);
}

void TunnelBook::set_tunnel(Bearer& bearer, Direction direction, const TunnelKey& key, std::uint8_t qfi,
                            GatewayTag gateway, Context& context) noexcept {
  const Tunnel& tunnel = bearer.tunnel(direction);
  const bool moved = tunnel.known();
  const TunnelKey last = moved ? tunnel.key() : TunnelKey{};
  if (const auto before = tunnel.before()) index_.erase(*before, bearer);
  bearer.change_tunnel(direction, key, qfi, gateway, context.now);
  index_.add(key, bearer);
  if (!moved) return;
  changed_.add(1);
  [[maybe_unused]] const bool reported = changes_.push({bearer.ue, direction, last, key});
}

TunnelTold TunnelBook::tell(Bearer& bearer, Direction direction, const TunnelKey& tunnel, std::uint8_t qfi,
                            OnHandover way, Context& context) noexcept {
  if (bearer.tunnel(direction).is(tunnel)) return TunnelTold::unchanged;
  // The sender of the downlink need not be the receiver of the uplink: it shows with the first packet.
  const GatewayTag gateway = direction == Direction::uplink ? gateway_tag(tunnel.hi, tunnel.lo) : kAnyGateway;
  set_tunnel(bearer, direction, tunnel, qfi, gateway, context);
  bearer.point_to(direction, tunnel, qfi);
  const Leg& leg = bearer.downlink;
  const bool handover = direction == Direction::downlink && bearer.downlink_tunnel().before().has_value();
  if (!handover || !leg.buffers()) return TunnelTold::changed;
  const Sdu* const first = leg.buffer().in_transmission();
  OuterHeader header;
  const bool known = first != nullptr && header.copy_from(*first) && header.point_to(tunnel, qfi);
  return hand_over(bearer, way, known ? &header : nullptr, context);
}

// Messages.

void TunnelBook::handle_messages(Context& context) noexcept {
  while (!context.messages.empty()) handle(context.messages.pop(), context);
}

// Sdu::flow counts the workers that have looked for the tunnel.
void TunnelBook::handle(Sdu& message, Context& context) noexcept {
  const GtpUMessage kind = kind_of(message);
  if (message.flow == 0) counts_[index(message.ingress)][index(kind)].add(1);
  if (kind == GtpUMessage::echo_request || kind == GtpUMessage::echo_response)
    note_echo(message, kind, context.now);
  if (kind == GtpUMessage::end_marker) return handle_marker(message, context);
  if (kind == GtpUMessage::error_indication && !note_error(message) && give_on(message, context)) return;
  context.pass(message, PassReason::gtp_u_message);
}

bool TunnelBook::give_on(Sdu& message, Context& context) noexcept {
  if (context.peers == nullptr || message.flow + 1 >= context.peers->workers()) return false;
  ++message.flow;
  context.peers->give(message, (context.worker + 1) % context.peers->workers(), context);
  return true;
}

// Clause 7.3.1: TEID Data I and the address of the endpoint that does not know it, which sent the message.
bool TunnelBook::note_error(const Sdu& message) noexcept {
  constexpr std::uint8_t kTeidDataI = 16;
  const GtpUView gtp = view_of(message);
  const auto begin = static_cast<std::size_t>(gtp.p - message.data);
  const std::size_t end = std::min<std::size_t>(message.head_len, begin + GtpUView::kSize + gtp.length());
  const auto chain = GtpUChain::at(message.head().subspan(begin, end - begin));
  if (!chain || begin + chain->size + 5 > end) return false;
  const std::byte* const element = gtp.p + chain->size;
  if (load8(element) != kTeidDataI) return false;
  const std::byte* const ip = message.data + message.l3_offset;
  const std::uint32_t teid = load32(element + 1);
  const TunnelKey key = load8(ip) >> 4 == 4
                            ? TunnelKey{0, Ipv4View{ip}.source(), teid, false}
                            : TunnelKey{Ipv6View{ip}.source_hi(), Ipv6View{ip}.source_lo(), teid, true};
  bool any = false;
  index_.for_each(key, [&](Bearer& bearer) {
    for (Direction d : kDirections) {
      if (bearer.tunnel(d).is(key)) bearer.set_tunnel_stale(d, true);
    }
    any = true;
  });
  return any;
}

// Clause 7.2: an echo has a sequence number, which its response repeats.
void TunnelBook::note_echo(const Sdu& message, GtpUMessage kind, Time now) noexcept {
  const GtpUView gtp = view_of(message);
  const auto begin = static_cast<std::size_t>(gtp.p - message.data) + GtpUView::kSize;
  if (!gtp.has_sequence() || begin + 2 > message.head_len) return;
  const std::byte* const ip = message.data + message.l3_offset;
  Echo echo{
      .request = kind == GtpUMessage::echo_request, .sequence = load16(message.data + begin), .at = now};
  if (load8(ip) >> 4 == 4) {
    echo.from = {false, 0, Ipv4View{ip}.source()};
    echo.to = {false, 0, Ipv4View{ip}.destination()};
  } else {
    const Ipv6View v6{ip};
    echo.from = {true, v6.source_hi(), v6.source_lo()};
    echo.to = {true, v6.destination_hi(), v6.destination_lo()};
  }
  if (!echoes_.push(echo)) echoes_left_out_.add(1);
}

// End markers.

void TunnelBook::handle_marker(Sdu& message, Context& context) noexcept {
  const TunnelKey key = tunnel_key(message.head(), message.l3_offset);
  if (index_.contains(key)) {
    // The bearer's packets may have come by another tunnel for a while, whose tag is the same.
    index_.for_each(key, [&](Bearer& bearer) {
      for (Direction d : kDirections) {
        if (bearer.tunnel(d).is(key)) bearer.doubt_tunnel(d);
      }
    });
    return markers_.take(message, key, index_, context);
  }
  if (!give_on(message, context)) context.pass(message, PassReason::gtp_u_message);
}

// Handovers.

// The first SDU in the leg stands for all: those of one tunnel have headers of one length.
TunnelTold TunnelBook::hand_over(Bearer& bearer, OnHandover way, const OuterHeader* header,
                                 Context& context) noexcept {
  Leg& leg = bearer.downlink;
  if (!leg.buffers() || leg.buffer().sdus() == 0) return TunnelTold::changed;
  // In `block` nothing leaves.
  const bool may_send = context.mode != Mode::block;
  const Sdu* const first = leg.buffer().in_transmission();
  const bool same = header != nullptr && first != nullptr && header->size == first->l3_offset;
  const bool rewritten = way == OnHandover::rewrite && same && begin_rewrite(bearer, *header, context.now);
  if (way == OnHandover::keep || (!rewritten && !may_send)) return TunnelTold::kept;
  rewritten ? leg.set_rewrites(true) : leg.send_all(context);
  markers_.pass_by(bearer, index_, context);
  return rewritten ? TunnelTold::rewritten : TunnelTold::sent;
}

bool TunnelBook::begin_rewrite(Bearer& bearer, const OuterHeader& header, Time now) noexcept {
  Rewrite* rewrite = rewrite_of(bearer);
  if (rewrite == nullptr && rewrites_used_ == kMostRewrites) return false;
  if (rewrite == nullptr) rewrite = &rewrites_[rewrites_used_++];
  *rewrite = {&bearer, now, header};
  return true;
}

TunnelBook::Rewrite* TunnelBook::rewrite_of(const Bearer& bearer) noexcept {
  for (std::size_t i = 0; i < rewrites_used_; ++i) {
    if (rewrites_[i].bearer == &bearer) return &rewrites_[i];
  }
  return nullptr;
}

void TunnelBook::end_rewrite(std::size_t at) noexcept {
  DP_EXPECT(at < rewrites_used_);
  rewrites_[at].bearer->downlink.set_rewrites(false);
  rewrites_[at] = rewrites_[--rewrites_used_];
}

void TunnelBook::rewrite(Sdu& sdu, Context& context) noexcept {
  if (sdu.outer_offset == 0 || sdu.bearer->downlink_tunnel().is(tunnel_key(sdu))) return;
  const Rewrite* const rewrite = rewrite_of(*sdu.bearer);
  if (rewrite != nullptr && rewrite->header.size == sdu.l3_offset)
    rewrite->header.write_to(sdu, *context.frames);
}

// Waiting markers and handovers under way.

void TunnelBook::poll_waiting(Context& context) noexcept {
  if (context.mode == Mode::block) return;
  markers_.poll(index_, context);
  for (std::size_t i = 0; i < rewrites_used_;) {
    const Leg& leg = rewrites_[i].bearer->downlink;
    const bool over = !leg.buffer().holds_since(rewrites_[i].until) && context.now >= leg.all_landed_at();
    over ? end_rewrite(i) : void(++i);
  }
}

// Bearers that come and go.

void TunnelBook::forget(Bearer& bearer, Context& context) noexcept {
  for (Direction d : kDirections) {
    const Tunnel& tunnel = bearer.tunnel(d);
    if (tunnel.known()) index_.erase(tunnel.key(), bearer);
    if (const auto before = tunnel.before()) index_.erase(*before, bearer);
  }
  markers_.forget(bearer, index_, context);
  for (std::size_t i = 0; i < rewrites_used_; ++i) {
    if (rewrites_[i].bearer == &bearer) {
      end_rewrite(i);
      break;
    }
  }
}

void TunnelBook::welcome(Bearer& bearer) noexcept {
  for (Direction d : kDirections) {
    const Tunnel& tunnel = bearer.tunnel(d);
    if (const auto before = tunnel.before()) index_.add(*before, bearer);
    if (tunnel.known()) index_.add(tunnel.key(), bearer);
  }
}

}  // namespace dp
