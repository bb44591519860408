#include "dataplane/store/segment_store.h"

#include <algorithm>

namespace dp {

// Invariants between two calls:
//
// - Each record is either free (sdu is null) and in the list that begins at free_, or a segment and in the
//   list and the tree of its flow, both in the order of `begin`; no two of a flow share an octet.
// - Segments with to_go, and no others, are in the list that begins at first_to_go_.
// - size_ is the number of segments, FlowEnds::count that of a flow's, flows_present_ the number of flows
//   whose count is not 0.

SegmentStore::SegmentStore(std::uint32_t capacity, std::uint32_t flows)
    : capacity_(capacity),
      flow_slots_(flows),
      segments_(std::make_unique<KeptSegment[]>(capacity)),
      flows_(std::make_unique<FlowEnds[]>(flows)) {
  DP_EXPECT(capacity >= 1 && capacity <= kMostSegments && flows >= 1);
  for (std::uint32_t i = 0; i + 1 < capacity; ++i) segments_[i].newer = static_cast<std::uint16_t>(i + 1);
}

std::size_t SegmentStore::bytes_for(std::uint32_t capacity, std::uint32_t flows) noexcept {
  return capacity * sizeof(KeptSegment) + flows * sizeof(FlowEnds);
}

bool SegmentStore::has_space_for(std::uint32_t flow) const noexcept {
  if (size_ == capacity_) return false;
  const std::uint32_t own = of(flow).count;
  if (own < kLeastPart) return true;
  return own < capacity_ / flows_present_;
}

void SegmentStore::Links::sum(Ref at) const noexcept {
  KeptSegment& root = segments[at];
  root.size = static_cast<std::uint16_t>(size(root.left) + size(root.right) + 1);
  for (std::uint8_t what = 0; what < KeptSegment::kSums; ++what) {
    std::uint32_t sum = root.is(KeptSegment::Sum{what}) ? 1 : 0;
    if (root.left != kNone) sum += segments[root.left].sums[what];
    if (root.right != kNone) sum += segments[root.right].sums[what];
    root.sums[what] = static_cast<std::uint16_t>(sum);
  }
}

KeptSegment* SegmentStore::first_beyond(std::uint32_t flow, Offset octet) noexcept {
  // Usually it is one of the ends.
  KeptSegment* const first = oldest(flow);
  if (first == nullptr || first->end() > octet) return first;
  KeptSegment* const last = newest(flow);
  if (last->end() <= octet) return nullptr;
  if (last->begin <= octet) return last;
  KeptSegment* found = nullptr;
  for (KeptSegment* root = at(of(flow).root); root != nullptr;) {
    const bool beyond = root->end() > octet;
    if (beyond) found = root;
    root = at(beyond ? root->left : root->right);
  }
  return found;
}

KeptSegment* SegmentStore::holding(std::uint32_t flow, Offset octet) noexcept {
  KeptSegment* const found = first_beyond(flow, octet);
  return found != nullptr && found->begin <= octet ? found : nullptr;
}

KeptSegment* SegmentStore::next_of_frame(std::uint32_t flow, const Sdu& sdu) noexcept {
  KeptSegment* const next = at(of(flow).unsent);
  return next != nullptr && next->sdu == &sdu ? next : nullptr;
}

std::uint32_t SegmentStore::count_of(std::uint32_t flow, KeptSegment::Sum what) const noexcept {
  return sum_of(of(flow).root, what);
}

std::uint32_t SegmentStore::count_above(std::uint32_t flow, Offset octet,
                                        KeptSegment::Sum what) const noexcept {
  std::uint32_t count = 0;
  for (const KeptSegment* root = at(of(flow).root); root != nullptr;) {
    const bool above = root->begin > octet;
    if (above) count += sum_of(root->right, what) + (root->is(what) ? 1 : 0);
    root = at(above ? root->left : root->right);
  }
  return count;
}

KeptSegment* SegmentStore::nth(std::uint32_t flow, std::uint32_t n, KeptSegment::Sum what) noexcept {
  for (KeptSegment* root = at(of(flow).root); root != nullptr;) {
    const std::uint32_t below = sum_of(root->left, what), own = root->is(what) ? 1 : 0;
    if (own == 1 && n == below) return root;
    const bool high = n >= below;
    if (high) n -= below + own;
    root = at(high ? root->right : root->left);
  }
  return nullptr;
}

KeptSegment* SegmentStore::put(std::uint32_t flow, Offset begin, std::uint16_t length, Sdu& sdu,
                               bool repeat) noexcept {
  DP_EXPECT(has_space_for(flow) && length > 0);
  FlowEnds& ends = of(flow);
  KeptSegment* const upper = first_beyond(flow, begin);
  if (upper != nullptr && upper->begin < begin + length) return nullptr;
  KeptSegment* const lower = upper == nullptr ? at(ends.newest) : before(*upper);
  const std::uint16_t index = free_;
  KeptSegment& segment = segments_[index];
  DP_EXPECT(segment.sdu == nullptr);
  free_ = segment.newer;
  segment = {.begin = begin, .sdu = &sdu, .flow = flow, .length = length};
  segment.repeat = repeat;
  segment.older = lower == nullptr ? KeptSegment::kNone : index_of(*lower);
  segment.newer = upper == nullptr ? KeptSegment::kNone : index_of(*upper);
  (lower == nullptr ? ends.oldest : lower->newer) = index;
  (upper == nullptr ? ends.newest : upper->older) = index;
  if (ends.unsent == KeptSegment::kNone) ends.unsent = index;
  ends.root = tree().insert(ends.root, index);
  flows_present_ += ends.count++ == 0 ? 1 : 0;
  ++size_;
  return &segment;
}

void SegmentStore::remove(KeptSegment& segment) noexcept {
  const std::uint16_t index = index_of(segment);
  if (segment.to_go) leave_to_go(segment);
  FlowEnds& ends = of(segment.flow);
  KeptSegment* const lower = at(segment.older);
  KeptSegment* const upper = at(segment.newer);
  (lower == nullptr ? ends.oldest : lower->newer) = segment.newer;
  (upper == nullptr ? ends.newest : upper->older) = segment.older;
  if (ends.unsent == index) ends.unsent = segment.newer;
  ends.root = tree().remove(ends.root, index);
  DP_EXPECT(ends.count > 0 && size_ > 0);
  flows_present_ -= --ends.count == 0 ? 1 : 0;
  --size_;
  segment = {};
  segment.newer = free_;
  free_ = index;
}

void SegmentStore::mark_sent(KeptSegment& segment) noexcept {
  const std::uint16_t index = index_of(segment);
  segment.sent = true;
  of(segment.flow).unsent = segment.newer;
  tree().refresh(of(segment.flow).root, index);
}

void SegmentStore::push_to_go(KeptSegment& segment) noexcept {
  const std::uint16_t index = index_of(segment);
  DP_EXPECT(!segment.to_go);
  segment.to_go = true;
  if (segment.resent < 255) ++segment.resent;
  segment.next_to_go = KeptSegment::kNone;
  segment.prev_to_go = last_to_go_;
  (first_to_go_ == KeptSegment::kNone ? first_to_go_ : segments_[last_to_go_].next_to_go) = index;
  last_to_go_ = index;
  tree().refresh(of(segment.flow).root, index);
}

void SegmentStore::leave_to_go(KeptSegment& segment) noexcept {
  const std::uint16_t index = index_of(segment);
  DP_EXPECT(segment.to_go && any_to_go());
  const std::uint16_t before = segment.prev_to_go, after = segment.next_to_go;
  (before == KeptSegment::kNone ? first_to_go_ : segments_[before].next_to_go) = after;
  (after == KeptSegment::kNone ? last_to_go_ : segments_[after].prev_to_go) = before;
  segment.to_go = false;
  segment.next_to_go = segment.prev_to_go = KeptSegment::kNone;
  tree().refresh(of(segment.flow).root, index);
}

}  // namespace dp
