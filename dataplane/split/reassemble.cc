// Keeps the server's segments until the UE has acknowledged them: slots in the queue, and short neighbours
// that become one.
#include <algorithm>

#include "dataplane/base/expect.h"
#include "dataplane/split/proxy.h"

namespace dp {

// The server's stream ends at `fin`: what came out of order and reaches beyond is dropped. Requires: nothing
// in order reaches beyond.
void SplitProxy::drop_beyond(SplitFlow& s, Offset fin) noexcept {
  DP_EXPECT(s.life.next <= fin);
  while (!s.queue.empty() && s.queue.back().end() > fin) drop_last(s);
}

// The first piece of [begin, end) at or above `next` that is not stored; its left edge is at or above `end`
// when there is none. All that is stored above `next` is in `beyond`.
Range SplitProxy::missing_piece(const SplitFlow& s, Offset begin, Offset end) const noexcept {
  Range piece{std::max(begin, s.life.next), end};
  for (const Range& here : s.beyond.all()) {
    if (here.left > piece.left) {
      piece.right = std::min(end, here.left);
      break;
    }
    piece.left = std::max(piece.left, here.right);
  }
  return piece;
}

// A segment goes in the queue. Requires: make_slot() found a slot.
void SplitProxy::add(SplitFlow& s, const StoredSegment& stored) noexcept {
  const SegmentQueue::Position position = s.queue.put(stored);
  enter(s, stored);
  if (stored.fin) s.life.fin = stored.end() - 1;
  if (s.queue.short_of_slots()) join_near(s, position);
}

void SplitProxy::enter(SplitFlow& s, const StoredSegment& stored) noexcept {
  DP_EXPECT(stored.sdu->segments == 1);
  context_->account.buffered += 1;
  context_->account.mbufs_held += 1;
  ++stored_;
  s.life.stored += stored.length;
  stats_->stored_bytes.add(stored.length);
}

// Two short neighbours in the queue, the one at `position` and the one behind it, become one; `position` is
// where that stands then. False when they do not fit into one segment, or there is no memory.
bool SplitProxy::join_at(SplitFlow& s, SegmentQueue::Position& position) noexcept {
  if (!s.queue.has(position) || !s.queue.has(s.queue.after(position))) return false;
  const StoredSegment a = s.queue.at(position), b = s.queue.at(s.queue.after(position));
  const std::uint32_t length = a.length + b.length;
  if (a.end() != b.begin || a.fin || a.begin < s.acked() || length > s.engine.mss()) return false;
  Sdu* const both = join_segments(*a.sdu, *b.sdu, *context_->frames);
  if (both == nullptr) return false;
  context_->create(*both, Side::radio, Creation::proxy_data);
  const StoredSegment joined{.begin = a.begin, .sdu = both, .length = length, .fin = b.fin};
  release_stored(s, a, DropReason::proxied_data);
  release_stored(s, b, DropReason::proxied_data);
  position = s.queue.join(position, joined);
  enter(s, joined);
  return true;
}

// Looks at `pairs` pairs, from where it ended the last time; true when two have become one.
bool SplitProxy::sweep(SplitFlow& s, std::uint32_t pairs) noexcept {
  for (; pairs > 0; --pairs) {
    SegmentQueue::Position& at = s.life.swept;
    if (!s.queue.has(at) || !s.queue.has(s.queue.after(at))) at = SegmentQueue::first();
    if (join_at(s, at)) return true;
    at = s.queue.after(at);
  }
  return false;
}

// While slots are short: the new one is joined to its neighbours, and what came before slots were short is
// swept as fast as the rest of them fills. So when the queue is full hardly two neighbours are left that fit
// into one segment, and nobody has to look for them.
void SplitProxy::join_near(SplitFlow& s, SegmentQueue::Position position) noexcept {
  constexpr std::uint32_t kPairs = 4;
  if (position != SegmentQueue::first()) {
    SegmentQueue::Position before = s.queue.before(position);
    if (join_at(s, before)) position = before;
  }
  join_at(s, position);
  sweep(s, kPairs);
}

// A slot in the queue. What is in order has its slot in any case: the highest of what is out of order goes
// for it (RFC 2018 section 8).
bool SplitProxy::make_slot(SplitFlow& s, bool in_order) noexcept {
  constexpr std::uint32_t kPairs = 16;
  if (!s.queue.full() || sweep(s, kPairs)) return true;
  if (!in_order || s.beyond.empty()) return false;
  drop_last(s);
  return true;
}

// Requires: the highest of what is stored is out of order.
void SplitProxy::drop_last(SplitFlow& s) noexcept {
  const StoredSegment highest = s.queue.back();
  DP_EXPECT(highest.begin > s.life.next);
  s.beyond.cut(highest.begin);
  if (highest.fin) s.life.fin = SplitFlow::Life::kNoFin;
  release_stored(s, highest, DropReason::proxied_data);
  s.queue.pop_last();
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

}  // namespace dp
