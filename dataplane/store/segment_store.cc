#include "dataplane/store/segment_store.h"

#include <algorithm>

namespace dp {

// What holds between two calls:
//
// - Each record is nobody's (sdu is null) and in the list that begins at free_, or a segment and in the list
//   of its flow, in the order of `begin`; no two of a flow share an octet.
// - Those with to_go, and no others, are in the list that begins at first_to_go_.
// - size_ is the number of segments, FlowEnds::count that of a flow's, flows_present_ the number of flows
//   whose count is not 0.

SegmentStore::SegmentStore(std::uint32_t capacity, std::uint32_t flows)
    : capacity_(capacity),
      flow_places_(flows),
      segments_(std::make_unique<KeptSegment[]>(capacity)),
      flows_(std::make_unique<FlowEnds[]>(flows)) {
  DP_EXPECT(capacity >= 1 && capacity <= kMostSegments && flows >= 1);
  for (std::uint32_t i = 0; i + 1 < capacity; ++i) segments_[i].newer = static_cast<std::uint16_t>(i + 1);
}

std::size_t SegmentStore::bytes_for(std::uint32_t capacity, std::uint32_t flows) noexcept {
  return capacity * sizeof(KeptSegment) + flows * sizeof(FlowEnds);
}

bool SegmentStore::has_room_for(std::uint32_t flow) const noexcept {
  if (size_ == capacity_) return false;
  const std::uint32_t own = of(flow).count;
  if (own < kLeastPart) return true;
  return own < capacity_ / flows_present_;
}

KeptSegment* SegmentStore::holding(std::uint32_t flow, Offset octet) noexcept {
  KeptSegment* found = oldest(flow);
  while (found != nullptr && found->end() <= octet) found = after(*found);
  return found != nullptr && found->begin <= octet ? found : nullptr;
}

KeptSegment* SegmentStore::of_frame(std::uint32_t flow, const Sdu& sdu) noexcept {
  FlowEnds& ends = of(flow);
  const auto from = [&](KeptSegment* found) {
    while (found != nullptr && found->sdu != &sdu) found = after(*found);
    return found;
  };
  KeptSegment* found = from(at(ends.unsent));
  if (found == nullptr) found = from(at(ends.oldest));
  if (found != nullptr) ends.unsent = found->newer;
  return found;
}

KeptSegment* SegmentStore::put(std::uint32_t flow, Offset begin, std::uint16_t length, Sdu& sdu) noexcept {
  DP_EXPECT(has_room_for(flow) && length > 0);
  FlowEnds& ends = of(flow);
  // Nearly always the newest of its flow.
  KeptSegment* lower = at(ends.newest);
  while (lower != nullptr && lower->begin > begin) lower = before(*lower);
  KeptSegment* const upper = lower == nullptr ? at(ends.oldest) : after(*lower);
  if (lower != nullptr && lower->end() > begin) return nullptr;
  if (upper != nullptr && upper->begin < begin + length) return nullptr;
  const std::uint16_t place = free_;
  KeptSegment& segment = segments_[place];
  DP_EXPECT(segment.sdu == nullptr);
  free_ = segment.newer;
  segment = {.begin = begin, .sdu = &sdu, .flow = flow, .length = length};
  segment.older = lower == nullptr ? KeptSegment::kNone : place_of(*lower);
  segment.newer = upper == nullptr ? KeptSegment::kNone : place_of(*upper);
  (lower == nullptr ? ends.oldest : lower->newer) = place;
  (upper == nullptr ? ends.newest : upper->older) = place;
  if (ends.unsent == KeptSegment::kNone) ends.unsent = place;
  flows_present_ += ends.count++ == 0 ? 1 : 0;
  ++size_;
  return &segment;
}

void SegmentStore::remove(KeptSegment& segment) noexcept {
  const std::uint16_t place = place_of(segment);
  if (segment.to_go) leave_to_go(segment);
  FlowEnds& ends = of(segment.flow);
  KeptSegment* const lower = at(segment.older);
  KeptSegment* const upper = at(segment.newer);
  (lower == nullptr ? ends.oldest : lower->newer) = segment.newer;
  (upper == nullptr ? ends.newest : upper->older) = segment.older;
  if (ends.unsent == place) ends.unsent = segment.newer;
  DP_EXPECT(ends.count > 0 && size_ > 0);
  flows_present_ -= --ends.count == 0 ? 1 : 0;
  --size_;
  segment = {};
  segment.newer = free_;
  free_ = place;
}

void SegmentStore::push_to_go(KeptSegment& segment) noexcept {
  const std::uint16_t place = place_of(segment);
  DP_EXPECT(!segment.to_go);
  segment.to_go = true;
  segment.next_to_go = KeptSegment::kNone;
  (first_to_go_ == KeptSegment::kNone ? first_to_go_ : segments_[last_to_go_].next_to_go) = place;
  last_to_go_ = place;
}

void SegmentStore::leave_to_go(KeptSegment& segment) noexcept {
  const std::uint16_t place = place_of(segment);
  DP_EXPECT(segment.to_go && any_to_go());
  std::uint16_t before = KeptSegment::kNone;
  for (std::uint16_t i = first_to_go_; i != place; i = segments_[i].next_to_go) {
    DP_EXPECT(i != KeptSegment::kNone);
    before = i;
  }
  (before == KeptSegment::kNone ? first_to_go_ : segments_[before].next_to_go) = segment.next_to_go;
  if (last_to_go_ == place) last_to_go_ = before;
  segment.to_go = false;
  segment.next_to_go = KeptSegment::kNone;
}

}  // namespace dp
