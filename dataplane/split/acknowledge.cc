// ACKs to the server: what is acknowledged, and what window is advertised.
#include <algorithm>
#include <array>

#include "dataplane/base/expect.h"
#include "dataplane/split/proxy.h"

namespace dp {

// RFC 5681 section 4.2: every second segment, or a while after the first; at once out of order, or when a
// hole is filled.
void SplitProxy::settle_ack(SplitFlow& s, bool in_order) noexcept {
  if (s.life.state == SplitState::drain) return;
  if (!in_order || ++s.life.unacked >= config_.ack_every) return send_ack(s);
  if (s.life.ack_at == kNever) s.life.ack_at = context_->now + config_.ack_delay;
}

// The ACK number that may be sent to the server now. A FIN is acknowledged only when the UE has it.
Offset SplitProxy::number(const SplitFlow& s) const noexcept {
  if (s.life.state == SplitState::drain) return std::max(s.life.acknowledged, s.acked());
  const bool fin_only_here = s.life.finished() && s.acked() <= s.life.fin;
  return std::max(s.life.acknowledged, fin_only_here ? s.life.fin : std::max(s.life.next, s.acked()));
}

// The server may have so much outstanding as the UE would take, and the proxy's window allows, beyond what
// the UE has acknowledged: it may then be let go at any time. The advertised right edge stays. Where
// windows are advertised in units that cannot say that, up to two units more are offered; beyond that it goes
// back by less than one (RFC 7323 section 2.4).
std::uint16_t SplitProxy::window_field(SplitFlow& s, Offset number) noexcept {
  const std::uint8_t shift = s.flow->shift();
  const Offset unit = Offset{1} << shift;
  const Offset wanted = s.acked() + std::min<Offset>(s.life.window, s.engine.peer_window());
  Offset field = std::max<Offset>(wanted - number, 0) >> shift;
  if (number + field * unit < s.life.edge) {
    const Offset up = s.flow->units_up(s.life.edge - number);
    field = number + up * unit <= wanted + 2 * unit ? up : std::max<Offset>(s.life.edge - number, 0) >> shift;
  }
  return static_cast<std::uint16_t>(std::min<Offset>(field, 0xffff));
}

// A segment that says so leaves for the server.
void SplitProxy::note_acknowledged(SplitFlow& s, Offset number, std::uint16_t field) noexcept {
  DP_EXPECT(number >= s.life.acknowledged);
  Flow& flow = *s.flow;
  const Offset ahead = number - std::max(s.life.acknowledged, s.acked());
  if (ahead > 0) stats_->acked_bytes.add(static_cast<std::uint64_t>(ahead));
  s.life.acknowledged = number;
  s.life.edge = std::max(s.life.edge, number + Offset{flow.window_of(field)});
  s.life.unacked = 0;
  s.life.ack_at = kNever;
  if (field == 0 && !s.life.closed) stats_->window_closed.add(1);
  s.life.closed = field == 0;
  flow.forwarded_ack = std::max(flow.forwarded_ack, number);
  flow.advertised_edge = std::max(flow.advertised_edge, s.life.edge);
  flow.ack_forwarded = true;
  set_risk(s);
}

void SplitProxy::send_ack(SplitFlow& s) noexcept {
  const Flow& flow = *s.flow;
  const Offset number = this->number(s);
  const std::uint16_t field = window_field(s, number);
  std::array<TcpOption::Block, 4> blocks;
  std::size_t count = 0;
  if (flow.sack() && s.life.state == SplitState::split) {
    // RFC 2018 section 4: the one that was added to last comes first.
    std::uint64_t below = ~std::uint64_t{0};
    const std::size_t most = s.life.stamps ? 3 : 4;
    while (count < most) {
      const Range* latest = nullptr;
      for (const Range& r : s.beyond.all()) {
        if (r.age < below && (latest == nullptr || r.age > latest->age)) latest = &r;
      }
      if (latest == nullptr) break;
      below = latest->age;
      blocks[count++] = {flow.space.wire(latest->left), flow.space.wire(latest->right)};
    }
  }
  BareSegment segment{.seq = flow.ue.space.wire(flow.ue.sent),
                      .ack = flow.space.wire(number),
                      .window = field,
                      .blocks = {blocks.data(), count}};
  if (s.life.ece) segment.flags |= TcpView::kEce;
  if (s.life.stamps) segment.stamps = TcpOption::Timestamps{per_flow_[flow.index].stamp, s.life.recent};
  Sdu* const ack = write_bare_segment(segment, flow.key, Direction::uplink, to_server_, *context_->frames);
  if (ack == nullptr) {
    s.life.ack_at = context_->now + config_.ack_delay + std::chrono::milliseconds(1);
    return;
  }
  context_->create(*ack, Side::core, Creation::proxy_ack);
  note_acknowledged(s, number, field);
  context_->send(*ack, Side::core);
}

// The UE has acknowledged more: the server hears of it when that opens its window by two segments.
void SplitProxy::open_window(SplitFlow& s) noexcept {
  const Offset wanted = s.acked() + std::min<Offset>(s.life.window, s.engine.peer_window());
  const Offset worth = std::min<Offset>(2 * Offset{s.engine.mss()}, s.life.window / 2);
  if (wanted - s.life.edge >= worth) send_ack(s);
}

}  // namespace dp
