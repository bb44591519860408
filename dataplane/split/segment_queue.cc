#include "dataplane/split/segment_queue.h"

namespace dp {

SegmentQueue::SegmentQueue(std::uint32_t capacity)
    : capacity_(capacity), ring_slots_(static_cast<std::uint16_t>(ring_slots(capacity))) {
  DP_EXPECT(capacity >= 1 && capacity <= kMostSegments);
  const std::uint32_t rings = rings_for(capacity);
  records_ = std::make_unique<Record[]>(std::size_t{rings} * ring_slots_);
  if (rings > 1) more_ = std::make_unique<Ring[]>(rings - 1);
  for (std::uint32_t i = 0; i < rings; ++i) ring(i).memory = i * ring_slots_;
}

void SegmentQueue::clear() noexcept {
  for (std::uint32_t i = 0; i < rings_; ++i) ring(i).first = ring(i).size = 0;
  rings_ = 1;
  size_ = 0;
}

SegmentQueue::Position SegmentQueue::search(Offset octet, Position high) const noexcept {
  // The first ring whose last record ends beyond the octet.
  std::uint32_t ring_low = 0, ring_high = high.ring;
  while (ring_low < ring_high) {
    const std::uint32_t middle = (ring_low + ring_high) / 2;
    if (octet < end_of(slot(ring(middle), ring(middle).size - 1u))) {
      ring_high = middle;
    } else {
      ring_low = middle + 1;
    }
  }
  const Ring& in = ring(ring_low);
  std::uint32_t low_at = 0, high_at = ring_low == high.ring ? high.at : in.size;
  while (low_at < high_at) {
    const std::uint32_t middle = (low_at + high_at) / 2;
    if (octet < end_of(slot(in, middle))) {
      high_at = middle;
    } else {
      low_at = middle + 1;
    }
  }
  return {static_cast<std::uint16_t>(ring_low), static_cast<std::uint16_t>(low_at)};
}

void SegmentQueue::open(Ring& ring, std::uint32_t at) noexcept {
  ++ring.size;
  if (at < ring.size / 2u) {
    ring.first = static_cast<std::uint16_t>((ring.first == 0 ? ring_slots_ : ring.first) - 1);
    for (std::uint32_t k = 0; k < at; ++k) slot(ring, k) = slot(ring, k + 1);
  } else {
    for (std::uint32_t k = ring.size - 1u; k > at; --k) slot(ring, k) = slot(ring, k - 1);
  }
}

void SegmentQueue::close(Ring& ring, std::uint32_t at) noexcept {
  if (at < ring.size / 2u) {
    for (std::uint32_t k = at; k > 0; --k) slot(ring, k) = slot(ring, k - 1);
    if (++ring.first == ring_slots_) ring.first = 0;
  } else {
    for (std::uint32_t k = at; k + 1 < ring.size; ++k) slot(ring, k) = slot(ring, k + 1);
  }
  --ring.size;
}

// Makes room in a full ring for a record at `position`; the answer is its position afterwards. A record
// behind all others begins a ring; for any other the upper half of the ring becomes a ring of its own.
SegmentQueue::Position SegmentQueue::make_way(Position position) noexcept {
  const auto next = static_cast<std::uint16_t>(position.ring + 1);
  Ring& upper = add_ring(next);
  if (position.at == ring_slots_) return {next, 0};
  Ring& lower = ring(position.ring);
  for (std::uint32_t k = kHalf; k < kRing; ++k) slot(upper, k - kHalf) = slot(lower, k);
  lower.size = upper.size = kHalf;
  if (position.at <= kHalf) return position;
  return {next, static_cast<std::uint16_t>(position.at - kHalf)};
}

// The i-th ring, which has one record less, becomes as full again as the invariant says: by a record of the
// ring behind it, or by all of them when both fit into one ring.
void SegmentQueue::rebalance(std::uint32_t i) noexcept {
  Ring& own = ring(i);
  if (own.size == 0) return remove_ring(i);
  if (i == 0 || i + 1u == rings_ || own.size >= kHalf) return;
  Ring& next = ring(i + 1);
  if (std::uint32_t{own.size} + next.size > kRing) return move_to_end(own, next);
  while (next.size > 0) move_to_end(own, next);
  remove_ring(i + 1);
}

void SegmentQueue::move_to_end(Ring& to, Ring& from) noexcept {
  slot(to, to.size++) = slot(from, 0);
  close(from, 0);
}

// An empty i-th ring; those from there on stand one further. Requires: i > 0.
SegmentQueue::Ring& SegmentQueue::add_ring(std::uint32_t i) noexcept {
  DP_EXPECT(i > 0 && i <= rings_ && rings_ < rings_for(capacity_));
  Ring fresh = ring(rings_);
  for (std::uint32_t k = rings_++; k > i; --k) {
    count_look();
    ring(k) = ring(k - 1);
  }
  fresh.first = fresh.size = 0;
  return ring(i) = fresh;
}

// Requires: the ring is empty, and not alone.
void SegmentQueue::remove_ring(std::uint32_t i) noexcept {
  DP_EXPECT(rings_ > 1 && ring(i).size == 0);
  const Ring old = ring(i);
  --rings_;
  for (std::uint32_t k = i; k < rings_; ++k) {
    count_look();
    ring(k) = ring(k + 1);
  }
  ring(rings_) = old;
}

}  // namespace dp
