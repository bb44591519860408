// Segments of the server's, in the steps of RFC 9293 section 3.10.7.4. The proxy judges in the UE's place
// where it acknowledges in the UE's place: sequence numbers, RST, segment text and FIN. The rest passes.
//
//   first    sequence number  is_unacceptable() by track_downlink(); data are dropped, anything else passes
//   second   RST              take_reset(), before the first step: RFC 5961 section 3.2 has a check of its
//   own fourth   SYN              passes; the UE answers it by an ACK (RFC 5961 section 4.2) fifth    ACK
//   read_header(): kept for the segments that go to the UE sixth    URG              drain_before() seventh
//   segment text     process_text(): stored, and acknowledged eighth   FIN              likewise, as the
//   octet behind the data; acknowledged when the UE has it
//
// The third, security and compartment, does not exist here.
#include <algorithm>

#include "dataplane/flow/signed.h"
#include "dataplane/flow/track.h"
#include "dataplane/packet/ecn.h"
#include "dataplane/packet/tcp_checksum.h"
#include "dataplane/split/proxy.h"

namespace dp {
namespace {

constexpr Duration kChallengeDelay = std::chrono::milliseconds(10);

}  // namespace

bool SplitProxy::receive(SplitFlow& s, Sdu& sdu, const FlowSegment& segment) noexcept {
  // Neither end of a split connection has asked for signatures: the UE judges a signed segment.
  if (is_signed(segment.tcp)) return false;
  // The checksum of what is acknowledged here must be right.
  if (!tcp_checksum_right(sdu)) {
    context_->drop(sdu, DropReason::proxied_data);
    return true;
  }
  if (segment.tcp.has(TcpView::kRst)) return take_reset(s, sdu, segment);
  if (segment.tcp.has(TcpView::kSyn) && segment.payload > 0) per_flow_[s.flow->index].fast_open = true;
  return process(s, sdu, segment);
}

bool SplitProxy::process(SplitFlow& s, Sdu& sdu, const FlowSegment& segment) noexcept {
  const TcpView& tcp = segment.tcp;
  Flow& flow = *s.flow;
  // First, the sequence number.
  const bool unacceptable = track_downlink(flow, segment, context_->now);
  flows_.touch(flow);
  if (unacceptable) {
    if (segment.payload > 0) context_->drop(sdu, DropReason::proxied_data);
    return segment.payload > 0;
  }
  s.life.seen = context_->now;
  // Fourth, SYN.
  if (tcp.has(TcpView::kSyn)) return false;
  // Fifth, ACK.
  const std::uint32_t stamp = read_header(s, sdu, tcp);
  const Offset begin = flow.space.offset(tcp.seq(), s.life.next);
  if (segment.length() == 0) return process_bare(s, sdu, begin);
  if (segment.payload <= 1 && !tcp.has(TcpView::kFin) && begin < s.life.next && s.queue.empty()) {
    // A probe of the window, or a keepalive (RFC 9293 section 3.8): the UE answers it.
    s.life.probed = true;
    arm(s);
    return false;
  }
  // Sixth, URG.
  if (sdu.segments != 1 || tcp.has(TcpView::kUrg)) {
    drain_before(s, sdu);
    return true;
  }
  // Seventh and eighth, segment text and FIN.
  if (begin <= s.life.acknowledged && !stamp_before(stamp, s.life.recent)) s.life.recent = stamp;
  process_text(s, sdu, segment);
  emit(s);
  if (s.flow != nullptr) send_update(s);
  return true;
}

// Remembers what the server's header says to the UE, and the ECN field of its packet. The answer is its
// timestamp, or the latest before where there is none.
std::uint32_t SplitProxy::read_header(SplitFlow& s, const Sdu& sdu, const TcpView& tcp) noexcept {
  s.life.server_window = tcp.window();
  std::uint32_t stamp = s.life.recent;
  if (s.life.stamps) {
    if (const auto said = tcp.timestamps()) {
      stamp = said->value;
      if (!stamp_before(said->echo, s.life.echo)) s.life.echo = said->echo;
    }
  }
  if (tcp.has(TcpView::kCwr)) s.life.ece = false;
  if (sdu.ecn == kCe && s.flow->ecn()) s.life.ece = true;
  return stamp;
}

// Urgent data, which must not be late, or a frame that cannot be taken apart: the connection drains. The
// server sends the segment again, and it passes once the connection was let go.
void SplitProxy::drain_before(SplitFlow& s, Sdu& sdu) noexcept {
  count_unsplit(*s.flow, Unsplit::chain);
  start_drain(s, true);
  context_->drop(sdu, DropReason::proxied_data);
  if (!drained(s)) arm(s);
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
bool SplitProxy::process_bare(SplitFlow& s, Sdu& sdu, Offset begin) noexcept {
  if (begin < s.life.next && !s.queue.empty()) {
    // A probe whether the UE is there. It would come behind what is stored; the server hears from here that
    // it is heard.
    context_->drop(sdu, DropReason::proxied_data);
    send_ack(s);
    arm(s);
    return true;
  }
  s.life.probed = s.life.probed || begin < s.life.next;
  HeaderEdit edit = header_to_ue(s, sdu);
  if (begin >= s.life.next) edit.seq = s.flow->space.wire(s.engine.max());
  edit_header(sdu, edit);
  arm(s);
  return false;
}

void SplitProxy::process_text(SplitFlow& s, Sdu& sdu, const FlowSegment& segment) noexcept {
  const Text text = queue_text(s, sdu, segment);
  if (text == Text::queued) return;
  context_->drop(sdu, DropReason::proxied_data);
  if (text == Text::dropped_and_acked) send_ack(s);
}

// Queues the first piece of the segment that is not here yet; the server repeats the rest if there is more.
SplitProxy::Text SplitProxy::queue_text(SplitFlow& s, Sdu& sdu, const FlowSegment& segment) noexcept {
  const Offset begin = s.flow->space.offset(segment.tcp.seq(), s.life.next);
  const bool fin = segment.tcp.has(TcpView::kFin);
  const Offset data_end = begin + segment.payload, end = data_end + (fin ? 1 : 0);
  // In a drain the server repeats what was not acknowledged. The ACK follows when the UE has it.
  const Text duplicate = s.life.state == SplitState::drain ? Text::dropped : Text::dropped_and_acked;
  // 1. Something of it is new, all of it is in the advertised window, and nothing lies beyond the FIN. The
  //    lowest FIN ends the stream.
  if (end <= s.life.next) return duplicate;
  if (begin > s.life.edge || data_end > s.life.edge) return Text::dropped_and_acked;
  if (data_end > s.life.fin) return Text::dropped;
  if (fin && data_end < s.life.fin) drop_beyond(s, data_end);
  // 2. The server repeats what lies behind a hole, and not the hole: the UE may have that from around the
  // box.
  const Range piece = missing_piece(s, begin, end);
  if (piece.left >= end) {
    probe_ue(s);
    return duplicate;
  }
  // 3. There is a slot for it, and a range if it lies behind a hole.
  const bool in_order = piece.left == s.life.next;
  if (!make_slot(s, in_order)) return Text::dropped;
  if (!in_order && !s.beyond.add(piece.left, piece.right)) return duplicate;
  // 4. The piece alone is stored.
  const bool has_fin = fin && piece.right == end;
  if (piece.left != begin || piece.right != end) {
    const Offset from = std::min(piece.left, data_end), to = std::min(piece.right, data_end);
    cut_segment(sdu, static_cast<std::uint32_t>(from - begin), static_cast<std::uint32_t>(to - from), has_fin,
                *context_->frames);
  }
  add(s,
      {.begin = piece.left, .sdu = &sdu, .length = static_cast<std::uint32_t>(piece.size()), .fin = has_fin});
  // 5. RCV.NXT advances, over what waited behind a hole as well, and the server gets its ACK.
  const bool had_hole = !s.beyond.empty();
  if (in_order) take_in_order(s, piece.right);
  settle_ack(s, in_order && !had_hole);
  return Text::queued;
}

}  // namespace dp
