// The receiver towards the server: what comes is stored and acknowledged.
#include <algorithm>

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

}  // namespace dp
