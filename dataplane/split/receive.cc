// The receiver towards the server: what comes is stored and acknowledged.
#include <algorithm>
#include <array>

#include "dataplane/base/expect.h"
#include "dataplane/packet/ecn.h"
#include "dataplane/split/proxy.h"

namespace dp {
namespace {

constexpr Duration kChallengeDelay = std::chrono::milliseconds(10);

}  // namespace

bool SplitProxy::receive(SplitFlow& s, Sdu& sdu, const FlowSegment& segment) noexcept {
  const TcpView& tcp = segment.tcp;
  const Flow& flow = *s.flow;
  s.life.seen = context_->now;
  if (tcp.has(TcpView::kSyn)) return false;
  s.life.server_window = tcp.window();
  std::uint32_t stamp = s.life.recent;
  if (s.life.stamps) {
    if (const auto said = tcp.timestamps()) {
      stamp = said->value;
      if (!stamp_before(said->echo, s.life.echo)) s.life.echo = said->echo;
    }
  }
  if (tcp.has(TcpView::kCwr)) s.life.ece = false;
  if (sdu.ecn == kCe && flow.ecn()) s.life.ece = true;
  const Offset begin = flow.space.offset(tcp.seq(), s.life.next);
  if (segment.length() == 0) return hear_bare(s, sdu, begin);
  if (segment.payload <= 1 && !tcp.has(TcpView::kFin) && begin < s.life.next && s.shelf.empty()) {
    s.life.asked = true;
    arm(s);
    return false;  // a probe, of the window or whether the UE is there (RFC 9293 section 3.8): who is asked
                   // answers
  }
  if (sdu.segments != 1 || tcp.has(TcpView::kUrg)) {
    // It cannot be taken apart, or must not be late: the server sends it again when the connection is let go.
    count_unsplit(flow, Unsplit::chain);
    start_drain(s, true);
    context_->drop(sdu, DropReason::proxied_data);
    if (!drained(s)) arm(s);
    return true;
  }
  if (begin <= s.life.told && !stamp_before(stamp, s.life.recent)) s.life.recent = stamp;
  store(s, sdu, segment);
  emit(s);
  if (s.flow == nullptr) return true;
  send_news(s);
  return true;
}

// A RST of the server's, which the proxy judges in the UE's place (RFC 5961 section 3.2): it ends the
// connection if its number is exactly the next that is awaited, which the server may know from data that it
// sent or from an ACK. Another in the window is answered by an ACK; the timer of delayed ACKs bounds their
// rate. True when it goes no further.
bool SplitProxy::take_reset(SplitFlow& s, Sdu& sdu, const FlowSegment& segment) noexcept {
  Flow& flow = *s.flow;
  const Offset at = flow.space.offset(segment.tcp.seq(), s.life.next), acknowledged = number(s);
  if (at == s.life.next || at == acknowledged) {
    // The UE judges it likewise.
    edit_header(sdu, {.seq = flow.space.wire(s.engine.max())});
    end_by_reset(s, Direction::downlink);
    return false;
  }
  context_->drop(sdu, DropReason::proxied_data);
  if (at > acknowledged && at <= s.life.edge) {
    s.life.ack_at = std::min(s.life.ack_at, context_->now + std::max(config_.ack_delay, kChallengeDelay));
    arm(s);
  }
  return true;
}

// Without data. True when it goes no further.
bool SplitProxy::hear_bare(SplitFlow& s, Sdu& sdu, Offset begin) noexcept {
  if (begin < s.life.next && !s.shelf.empty()) {
    // A probe whether the UE is there. It would come behind what is stored; the server hears from here that
    // it is heard.
    context_->drop(sdu, DropReason::proxied_data);
    send_ack(s);
    arm(s);
    return true;
  }
  s.life.asked = s.life.asked || begin < s.life.next;
  HeaderEdit edit = header_to_ue(s, sdu);
  if (begin >= s.life.next) edit.seq = s.flow->space.wire(s.engine.max());
  edit_header(sdu, edit);
  arm(s);
  return false;
}

// What is new of the segment goes on the shelf.
void SplitProxy::store(SplitFlow& s, Sdu& sdu, const FlowSegment& segment) noexcept {
  const Flow& flow = *s.flow;
  const bool fin = segment.tcp.has(TcpView::kFin);
  const Offset begin = flow.space.offset(segment.tcp.seq(), s.life.next);
  const Offset data_end = begin + segment.payload, end = data_end + (fin ? 1 : 0);
  const auto refuse = [&](bool answer) {
    context_->drop(sdu, DropReason::proxied_data);
    if (answer) send_ack(s);
  };
  // In a drain the server repeats what it was not told of: it is told when the UE has that.
  const bool draining = s.life.state == SplitState::drain;
  if (end <= s.life.next) return refuse(!draining);
  if (begin > s.life.edge || data_end > s.life.edge) return refuse(true);
  // RFC 9293 section 3.10.7.4: nothing lies beyond the FIN. The lowest FIN ends the stream.
  if (data_end > s.life.fin) return refuse(false);
  if (fin && data_end < s.life.fin) drop_beyond(s, data_end);
  // The first piece of it that is not here yet; the server sends the rest again if there is more. All that is
  // stored above `next` is in `beyond`.
  Offset from = std::max(begin, s.life.next), to = end;
  for (const Range& here : s.beyond.all()) {
    if (here.left > from) {
      to = std::min(end, here.left);
      break;
    }
    from = std::max(from, here.right);
  }
  if (from >= end) {
    // The server repeats what lies behind a hole, and not the hole: the UE may have that from around the box.
    ask_ue(s);
    return refuse(!draining);
  }
  const bool in_order = from == s.life.next;
  if (!make_place(s, in_order)) return refuse(false);
  if (!in_order && !s.beyond.add(from, to)) return refuse(!draining);
  const bool has_fin = fin && to == end;
  if (from != begin || to != end) {
    const auto skip = static_cast<std::uint32_t>(std::min(from, data_end) - begin);
    const auto left = static_cast<std::uint32_t>(std::min(to, data_end) - std::min(from, data_end));
    cut_segment(sdu, skip, left, has_fin, *context_->frames);
  }
  const StoredSegment stored{
      .begin = from, .sdu = &sdu, .length = static_cast<std::uint32_t>(to - from), .fin = has_fin};
  const Shelf::Place place = s.shelf.put(stored);
  enter(s, stored);
  if (has_fin) s.life.fin = data_end;
  if (s.shelf.short_of_places()) join_near(s, place);
  const bool had_hole = !s.beyond.empty();
  if (in_order) take_in_order(s, to);
  settle_ack(s, in_order && !had_hole);
}

// The server's stream ends at `fin`: what came out of order and reaches beyond is dropped. Requires: nothing
// in order reaches beyond.
void SplitProxy::drop_beyond(SplitFlow& s, Offset fin) noexcept {
  DP_EXPECT(s.life.next <= fin);
  while (!s.shelf.empty() && s.shelf.back().end() > fin) drop_last(s);
}

void SplitProxy::enter(SplitFlow& s, const StoredSegment& stored) noexcept {
  DP_EXPECT(stored.sdu->segments == 1);
  context_->account.buffered += 1;
  context_->account.mbufs_held += 1;
  ++stored_;
  s.life.stored += stored.length;
  stats_->stored_bytes.add(stored.length);
}

// Two short neighbours on the shelf, the one at `place` and the one behind it, become one; `place` is where
// that stands then. False when they do not fit into one segment, or there is no memory.
bool SplitProxy::join_at(SplitFlow& s, Shelf::Place& place) noexcept {
  if (!s.shelf.has(place) || !s.shelf.has(s.shelf.after(place))) return false;
  const StoredSegment a = s.shelf.at(place), b = s.shelf.at(s.shelf.after(place));
  const std::uint32_t length = a.length + b.length;
  if (a.end() != b.begin || a.fin || a.begin < s.acked() || length > s.engine.mss()) return false;
  Sdu* const both = join_segments(*a.sdu, *b.sdu, *context_->frames);
  if (both == nullptr) return false;
  context_->create(*both, Side::radio, Creation::proxy_data);
  const StoredSegment joined{.begin = a.begin, .sdu = both, .length = length, .fin = b.fin};
  release_stored(s, a, DropReason::proxied_data);
  release_stored(s, b, DropReason::proxied_data);
  place = s.shelf.join(place, joined);
  enter(s, joined);
  return true;
}

// Looks at so many pairs, from where it ended the last time; true when two have become one.
bool SplitProxy::sweep(SplitFlow& s, std::uint32_t pairs) noexcept {
  for (; pairs > 0; --pairs) {
    Shelf::Place& at = s.life.swept;
    if (!s.shelf.has(at) || !s.shelf.has(s.shelf.after(at))) at = Shelf::first();
    if (join_at(s, at)) return true;
    at = s.shelf.after(at);
  }
  return false;
}

// While places are short: the new one is joined to its neighbours, and what came before places were short is
// swept as fast as the rest of them fills. So when the shelf is full hardly two neighbours are left that fit
// into one segment, and nobody has to look for them.
void SplitProxy::join_near(SplitFlow& s, Shelf::Place place) noexcept {
  constexpr std::uint32_t kPairs = 4;
  if (place != Shelf::first()) {
    Shelf::Place before = s.shelf.before(place);
    if (join_at(s, before)) place = before;
  }
  join_at(s, place);
  sweep(s, kPairs);
}

// A place on the shelf. What is in order has its place in any case: the highest of what is out of order goes
// for it (RFC 2018 section 8).
bool SplitProxy::make_place(SplitFlow& s, bool in_order) noexcept {
  constexpr std::uint32_t kPairs = 16;
  if (!s.shelf.full() || sweep(s, kPairs)) return true;
  if (!in_order || s.beyond.empty()) return false;
  drop_last(s);
  return true;
}

// Requires: the highest of what is stored is out of order.
void SplitProxy::drop_last(SplitFlow& s) noexcept {
  const StoredSegment highest = s.shelf.back();
  DP_EXPECT(highest.begin > s.life.next);
  s.beyond.cut(highest.begin);
  if (highest.fin) s.life.fin = SplitFlow::Life::kNoFin;
  release_stored(s, highest, DropReason::proxied_data);
  s.shelf.pop_last();
}

void SplitProxy::take_in_order(SplitFlow& s, Offset end) noexcept {
  const Offset before = s.life.next;
  s.life.next = end;
  while (!s.beyond.empty() && s.beyond.first().left <= s.life.next) {
    s.life.next = std::max(s.life.next, s.beyond.first().right);
    s.beyond.advance(s.life.next);
  }
  s.engine.offer(static_cast<std::uint64_t>(std::min(s.life.next, s.life.fin) - before));
  if (s.life.finished()) s.engine.close();
}

// RFC 5681 section 4.2: every second segment, or a while after the first; at once out of order, or when a
// hole is filled.
void SplitProxy::settle_ack(SplitFlow& s, bool in_order) noexcept {
  if (s.life.state == SplitState::drain) return;
  if (!in_order || ++s.life.unacked >= config_.ack_every) return send_ack(s);
  if (s.life.ack_at == kNever) s.life.ack_at = context_->now + config_.ack_delay;
}

// What an ACK to the server may say now. A FIN is acknowledged when the UE has it, and never here.
Offset SplitProxy::number(const SplitFlow& s) const noexcept {
  if (s.life.state == SplitState::drain) return std::max(s.life.told, s.acked());
  const bool fin_only_here = s.life.finished() && s.acked() <= s.life.fin;
  return std::max(s.life.told, fin_only_here ? s.life.fin : std::max(s.life.next, s.acked()));
}

// The server may have so much outstanding as the UE would take, and the proxy's window allows, beyond what
// the UE has acknowledged: it may then be let go at any time. The right edge stays where it was told. Where
// windows are told in units that cannot say that, up to two units more are offered; beyond that it goes back
// by less than one (RFC 7323 section 2.4).
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
void SplitProxy::note_told(SplitFlow& s, Offset number, std::uint16_t field) noexcept {
  DP_EXPECT(number >= s.life.told);
  Flow& flow = *s.flow;
  const Offset ahead = number - std::max(s.life.told, s.acked());
  if (ahead > 0) stats_->acked_bytes.add(static_cast<std::uint64_t>(ahead));
  s.life.told = number;
  s.life.edge = std::max(s.life.edge, number + Offset{flow.window_of(field)});
  s.life.unacked = 0;
  s.life.ack_at = kNever;
  if (field == 0 && !s.life.closed) stats_->window_closed.add(1);
  s.life.closed = field == 0;
  flow.told = std::max(flow.told, number);
  flow.told_edge = std::max(flow.told_edge, s.life.edge);
  flow.told_once = true;
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
  note_told(s, number, field);
  context_->send(*ack, Side::core);
}

// The UE has acknowledged more: the server hears of it when that opens its window by two segments.
void SplitProxy::open_window(SplitFlow& s) noexcept {
  const Offset wanted = s.acked() + std::min<Offset>(s.life.window, s.engine.peer_window());
  const Offset worth = std::min<Offset>(2 * Offset{s.engine.mss()}, s.life.window / 2);
  if (wanted - s.life.edge >= worth) send_ack(s);
}

}  // namespace dp
