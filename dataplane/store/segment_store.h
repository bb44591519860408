// The segments of one bearer that are kept until their receiver has them: their order in their flow, and the
// state of each. It has the records; the frames are its owner's, who keeps a reference to each
// (FrameSource::keep). Memory is allocated at construction, by control; used by the bearer's worker. It knows
// a flow by a number only. No call but for_each() reads more records than the logarithm of their number, in
// whatever order they were put.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "dataplane/base/balanced_tree.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/looks.h"
#include "dataplane/base/time.h"
#include "dataplane/packet/sdu.h"
#include "dataplane/packet/seq.h"

namespace dp {

// One segment. Only the store and its owner write it.
struct KeptSegment {
  static constexpr std::uint16_t kNone = 0xffff;

  Offset begin = 0;                  // its first octet, in the sender's stream
  Sdu* sdu = nullptr;                // null: a free record
  std::uint32_t flow = 0;            // the flow's number
  std::uint32_t sent_us = 0;         // the time when its last bit left, the last time, modulo 2^32
  std::uint16_t length = 0;          // octets
  std::uint16_t mbufs = 0;           // of its frame, once it was sent
  std::uint16_t older = kNone;       // the neighbours in the flow, by `begin`
  std::uint16_t newer = kNone;       // for a free record: the next one
  std::uint16_t next_to_go = kNone;  // the segments to be sent again after it, and before it
  std::uint16_t prev_to_go = kNone;
  std::uint8_t resent = 0;     // number of transmissions from here after the first, 255 at most
  bool sent : 1 = false;       // its first transmission is over: only from here on is it kept by reference
  bool in_buffer : 1 = false;  // sent, it stays in the occupancy of the buffer
  bool to_go : 1 = false;      // it waits to be sent again
  bool repeat : 1 = false;     // the source has sent these octets before
  bool checked : 1 = false;    // its checksum was found right

  // In the tree of its flow, by `begin`: its subtrees, the size of its own, and the number in it that are ...
  std::uint16_t left = kNone, right = kNone;
  std::uint16_t size = 0;
  enum Sum : std::uint8_t {
    kSent,   // sent
    kIdle,   // sent, and not to go
    kFresh,  // sent once: not again from here, nor by the source
    kSums
  };
  std::array<std::uint16_t, kSums> sums{};

  Offset end() const noexcept { return begin + length; }
  bool is(Sum what) const noexcept {
    if (what == kSent) return sent;
    return what == kIdle ? sent && !to_go : sent && !to_go && resent == 0 && !repeat;
  }
};
static_assert(sizeof(KeptSegment) <= 56);

class SegmentStore {
 public:
  static constexpr std::uint32_t kMostSegments = 4096;

  // Space for `capacity` segments, of flows with numbers below `flows`. Requires: at least one of each, and
  // at most kMostSegments of the first.
  SegmentStore(std::uint32_t capacity, std::uint32_t flows);
  // The memory that it takes beside its own size.
  static std::size_t bytes_for(std::uint32_t capacity, std::uint32_t flows) noexcept;

  std::uint32_t capacity() const noexcept { return capacity_; }
  std::uint32_t size() const noexcept { return size_; }
  // The number of flows with segments here.
  std::uint32_t flows() const noexcept { return flows_present_; }

  // Functions that take a flow require: its number is below the `flows` of the constructor. Segments of it
  // here.
  std::uint32_t count_of(std::uint32_t flow) const noexcept { return of(flow).count; }
  // True if one more of the flow may come: there is space, and the flow has less than its part of it, which
  // is an equal share for each flow, but at least kLeastPart.
  static constexpr std::uint32_t kLeastPart = 8;
  bool has_space_for(std::uint32_t flow) const noexcept;

  // The segments with the lowest and with the highest octets; null if there is none.
  KeptSegment* oldest(std::uint32_t flow) noexcept { return at(of(flow).oldest); }
  KeptSegment* newest(std::uint32_t flow) noexcept { return at(of(flow).newest); }
  // Its neighbours in the flow; null at the ends.
  KeptSegment* after(const KeptSegment& segment) noexcept { return at(segment.newer); }
  KeptSegment* before(const KeptSegment& segment) noexcept { return at(segment.older); }
  // The segment that holds an octet, and the first that ends beyond it; null if there is none.
  KeptSegment* holding(std::uint32_t flow, Offset octet) noexcept;
  KeptSegment* first_beyond(std::uint32_t flow, Offset octet) noexcept;
  // The segment with this frame, if it is the next to be sent, as it mostly is; else null.
  KeptSegment* next_of_frame(std::uint32_t flow, const Sdu& sdu) noexcept;

  // The number of the flow's segments in state `what`, in all and of those that begin above an octet; the
  // n-th of them, from 0 on, null if there are fewer.
  std::uint32_t count_of(std::uint32_t flow, KeptSegment::Sum what) const noexcept;
  std::uint32_t count_above(std::uint32_t flow, Offset octet, KeptSegment::Sum what) const noexcept;
  KeptSegment* nth(std::uint32_t flow, std::uint32_t n, KeptSegment::Sum what) noexcept;

  // Puts a segment in its place. Null if it shares octets with one that is here. Requires:
  // has_space_for(flow), at least one octet.
  KeptSegment* put(std::uint32_t flow, Offset begin, std::uint16_t length, Sdu& sdu, bool repeat) noexcept;
  // Its first transmission is over.
  void mark_sent(KeptSegment& segment) noexcept;
  // Frees its record; it is not to be sent again any more. Requires, as do the others that take a segment: it
  // is here.
  void remove(KeptSegment& segment) noexcept;

  // The segments to be sent again, in the order in which that was requested; push counts it as sent again.
  // Requires: it does not wait already.
  bool any_to_go() const noexcept { return first_to_go_ != KeptSegment::kNone; }
  KeptSegment* first_to_go() noexcept { return at(first_to_go_); }
  void push_to_go(KeptSegment& segment) noexcept;
  void leave_to_go(KeptSegment& segment) noexcept;

  // f(segment) for each segment here; f may remove it.
  template <class F>
  void for_each(F&& f) {
    for (std::uint32_t i = 0; i < capacity_; ++i) {
      if (segments_[i].sdu != nullptr) f(segments_[i]);
    }
  }

 private:
  struct FlowEnds {
    std::uint16_t oldest = KeptSegment::kNone, newest = KeptSegment::kNone;
    std::uint16_t root = KeptSegment::kNone;
    std::uint16_t unsent = KeptSegment::kNone;  // the next to be sent, mostly
    std::uint16_t count = 0;
  };
  // For BalancedTree.
  struct Links {
    using Ref = std::uint16_t;
    static constexpr Ref kNone = KeptSegment::kNone;
    KeptSegment* segments;
    Ref& left(Ref at) const noexcept { return segments[at].left; }
    Ref& right(Ref at) const noexcept { return segments[at].right; }
    std::uint32_t size(Ref at) const noexcept { return at == kNone ? 0 : segments[at].size; }
    bool before(Ref a, Ref b) const noexcept { return segments[a].begin < segments[b].begin; }
    void sum(Ref at) const noexcept;
  };

  const FlowEnds& of(std::uint32_t flow) const noexcept {
    DP_EXPECT(flow < flow_slots_);
    return flows_[flow];
  }
  FlowEnds& of(std::uint32_t flow) noexcept {
    DP_EXPECT(flow < flow_slots_);
    return flows_[flow];
  }
  KeptSegment* at(std::uint16_t index) const noexcept {
    count_look();
    return index == KeptSegment::kNone ? nullptr : &segments_[index];
  }
  BalancedTree<Links> tree() const noexcept { return BalancedTree<Links>(Links{segments_.get()}); }
  std::uint32_t sum_of(std::uint16_t root, KeptSegment::Sum what) const noexcept {
    return root == KeptSegment::kNone ? 0 : segments_[root].sums[what];
  }
  std::uint16_t index_of(const KeptSegment& segment) const noexcept {
    const auto index = static_cast<std::uint32_t>(&segment - segments_.get());
    DP_EXPECT(index < capacity_ && segment.sdu != nullptr);
    return static_cast<std::uint16_t>(index);
  }

  std::uint32_t capacity_, flow_slots_;
  std::uint32_t size_ = 0;
  std::uint32_t flows_present_ = 0;
  std::uint16_t free_ = 0;
  std::uint16_t first_to_go_ = KeptSegment::kNone, last_to_go_ = KeptSegment::kNone;
  std::unique_ptr<KeptSegment[]> segments_;
  std::unique_ptr<FlowEnds[]> flows_;
};

}  // namespace dp
