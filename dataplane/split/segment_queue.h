// The segments that a split proxy stores of one connection, in the order of the server's stream; no two share
// an octet. It has the records; the frames are the proxy's. Memory is taken at construction.
//
// Records stand in rings of kRing places, and the rings in order, as in a B+ tree of one level. Adding or
// removing a record moves at most half a ring of others, wherever it stands, and at most all entries of the
// list of rings, of which the largest window has 194. So the work for a segment is bounded by constants,
// however much the server or the UE has made the proxy store. A connection with at most kRing places, which
// is a window of up to 168 kB, has one ring (dataplane/decisions/092).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "dataplane/base/expect.h"
#include "dataplane/base/looks.h"
#include "dataplane/packet/sdu.h"
#include "dataplane/packet/seq.h"

namespace dp {

struct StoredSegment {
  Offset begin = 0;  // its first octet
  Sdu* sdu = nullptr;
  std::uint32_t length = 0;  // octets, FIN included
  bool fin = false;          // the last octet is the FIN
  bool sent = false;         // its frame went to the UE: it is kept by a reference only (FrameSource::keep)
  Offset end() const noexcept { return begin + length; }
};

// Invariants: the records are in the order of the stream, no two share an octet, and all begin and end less
// than 2^32 octets beyond base_, the first octet of the first of them. There is at least one ring. Only a
// ring alone is empty; each ring but the first and the last is at least half full. Entries of the list beyond
// the rings_ in use have the memory of the others, and no record.
class SegmentQueue {
 public:
  // Requires: 1 <= capacity <= kMostSegments.
  static constexpr std::uint32_t kMostSegments = 1u << 20;
  explicit SegmentQueue(std::uint32_t capacity);
  // The memory that it takes beside its own size.
  static constexpr std::size_t bytes_for(std::uint32_t capacity) noexcept {
    const std::uint32_t rings = rings_for(capacity);
    return std::size_t{rings} * ring_places(capacity) * sizeof(Record) + (rings - 1) * sizeof(Ring);
  }

  // A record, or the end, until a record is added or removed. Made by the functions below only; all that take
  // one require that it was not made before such a change, but for has().
  struct Place {
    std::uint16_t ring = 0, at = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };

  std::uint32_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  bool full() const noexcept { return size_ == capacity_; }
  // More than half of its places are taken.
  bool short_of_places() const noexcept { return 2 * size_ > capacity_; }

  // The first record, or the end when there is none.
  static constexpr Place first() noexcept { return {}; }
  // True if a record is there. The place may be older than the last change.
  bool has(Place place) const noexcept { return place.ring < rings_ && place.at < ring(place.ring).size; }
  // The next record, or the end. Requires: has(place).
  Place after(Place place) const noexcept {
    const bool last_of_ring = place.at + 1 == ring(place.ring).size && place.ring + 1 < rings_;
    return last_of_ring ? Place{static_cast<std::uint16_t>(place.ring + 1), 0}
                        : Place{place.ring, static_cast<std::uint16_t>(place.at + 1)};
  }
  // Requires: it is not the first.
  Place before(Place place) const noexcept {
    DP_EXPECT(place != first());
    const std::uint16_t into = place.at > 0 ? place.ring : static_cast<std::uint16_t>(place.ring - 1);
    const std::uint16_t behind = place.at > 0 ? place.at : ring(into).size;
    return {into, static_cast<std::uint16_t>(behind - 1)};
  }
  // Requires: has(place).
  StoredSegment at(Place place) const noexcept {
    DP_EXPECT(has(place));
    const Record& r = record(place);
    return {.begin = begin_of(r), .sdu = r.sdu, .length = r.length, .fin = r.fin != 0, .sent = r.sent != 0};
  }
  StoredSegment front() const noexcept { return at(first()); }
  StoredSegment back() const noexcept { return at(before(end())); }
  // Requires: has(place).
  void mark_sent(Place place) noexcept {
    DP_EXPECT(has(place));
    record(place).sent = 1;
  }

  // Prefetches the records at either end.
  [[gnu::always_inline]] void fetch() const noexcept {
    const Ring& last = ring(rings_ - 1);
    __builtin_prefetch(&slot(front_, 0), 1);
    __builtin_prefetch(&slot(last, last.size == 0 ? 0 : last.size - 1), 1);
  }
  // The first record that ends beyond an octet: it holds the octet, or lies above it. The end when there is
  // none. Mostly it is one of the last, so these are searched before the others.
  Place find(Offset octet) const noexcept {
    Place high = end();
    for (std::uint32_t looked = 0; looked < kNear; ++looked) {
      if (high == first()) return high;
      const Place place = before(high);
      if (end_of(record(place)) <= octet) return high;
      high = place;
    }
    return search(octet, high);
  }
  // The segment that holds an octet, if there is one.
  std::optional<StoredSegment> holding(Offset octet) const noexcept {
    const Place place = find(octet);
    if (!has(place) || begin_of(record(place)) > octet) return std::nullopt;
    return at(place);
  }

  // Adds a record; the answer is its place. Requires: it is not full, none here shares an octet with it, and
  // none begins or ends 2^32 octets and more from where it begins or ends; it is shorter than 2^30.
  Place put(const StoredSegment& segment) noexcept {
    DP_EXPECT(!full() && segment.length > 0 && segment.length <= kLongest);
    Place place = end();
    if (!empty()) {
      const Offset highest = end_of(record(before(place)));
      if (segment.begin < highest) place = find(segment.begin);
      DP_EXPECT(!has(place) || segment.end() <= begin_of(record(place)));
      DP_EXPECT(std::max(highest, segment.end()) - std::min(base_, segment.begin) < kReach);
    }
    if (place == first()) base_ = segment.begin;
    if (ring(place.ring).size == ring_places_) place = make_way(place);
    open(ring(place.ring), place.at);
    ++size_;
    record(place) = packed(segment);
    return place;
  }
  // Removes the first record, or the last. Both require: it is not empty.
  void pop() noexcept {
    DP_EXPECT(!empty());
    if (size_ > 1) base_ = begin_of(record(after(first())));
    remove(first());
  }
  void pop_last() noexcept {
    DP_EXPECT(!empty());
    remove(before(end()));
  }
  // The record and its successor become one; the answer is its place. Requires: both are there, and no octet
  // lies between them.
  Place join(Place place, const StoredSegment& both) noexcept {
    DP_EXPECT(has(place) && has(after(place)) && both.length <= kLongest);
    DP_EXPECT(both.begin == at(place).begin && both.end() == at(after(place)).end());
    const Place second = after(place);
    record(place) = packed(both);
    remove(second);
    return find(both.begin);
  }
  void clear() noexcept;

 private:
  struct Record {
    Sdu* sdu = nullptr;
    std::uint32_t begin = 0;  // the low bits of its place in the stream
    std::uint32_t length : 30 = 0;
    std::uint32_t fin : 1 = 0, sent : 1 = 0;
  };
  static_assert(sizeof(Record) == 16);
  // `size` of the ring_places_ records from records_[memory] on, the first of them at `first`.
  struct Ring {
    std::uint32_t memory = 0;
    std::uint16_t first = 0, size = 0;
  };
  static constexpr std::uint32_t kRing = 256, kHalf = kRing / 2;
  static constexpr std::uint32_t kNear = 4;
  static constexpr std::uint32_t kLongest = (1u << 30) - 1;
  static constexpr Offset kReach = Offset{1} << 32;

  static constexpr std::uint32_t ring_places(std::uint32_t capacity) noexcept {
    return std::min(capacity, kRing);
  }
  // Suffices, since all but the first and the last are half full.
  static constexpr std::uint32_t rings_for(std::uint32_t capacity) noexcept {
    return capacity <= kRing ? 1 : capacity / kHalf + 2;
  }

  static Record packed(const StoredSegment& s) noexcept {
    return {.sdu = s.sdu,
            .begin = static_cast<std::uint32_t>(s.begin),
            .length = s.length & kLongest,
            .fin = s.fin ? 1u : 0u,
            .sent = s.sent ? 1u : 0u};
  }
  Offset begin_of(const Record& r) const noexcept {
    return base_ + static_cast<std::uint32_t>(r.begin - static_cast<std::uint32_t>(base_));
  }
  Offset end_of(const Record& r) const noexcept { return begin_of(r) + Offset{r.length}; }

  const Ring& ring(std::uint32_t i) const noexcept { return i == 0 ? front_ : more_[i - 1]; }
  Ring& ring(std::uint32_t i) noexcept { return i == 0 ? front_ : more_[i - 1]; }
  Place end() const noexcept { return {static_cast<std::uint16_t>(rings_ - 1), ring(rings_ - 1).size}; }

  Record& slot(const Ring& ring, std::uint32_t at) const noexcept {
    count_look();
    const std::uint32_t place = ring.first + at;
    return records_[ring.memory + (place < ring_places_ ? place : place - ring_places_)];
  }
  const Record& record(Place place) const noexcept { return slot(ring(place.ring), place.at); }
  Record& record(Place place) noexcept { return slot(ring(place.ring), place.at); }

  // find() among the records before `high`, which ends beyond the octet as well.
  Place search(Offset octet, Place high) const noexcept;
  // Room for a record at `at`, or one less: of those before it and those behind it, the fewer move. The first
  // requires: the ring is not full.
  void open(Ring& ring, std::uint32_t at) noexcept;
  void close(Ring& ring, std::uint32_t at) noexcept;
  Place make_way(Place place) noexcept;
  void remove(Place place) noexcept {
    close(ring(place.ring), place.at);
    --size_;
    if (rings_ > 1) rebalance(place.ring);
  }
  void rebalance(std::uint32_t i) noexcept;
  void move_to_end(Ring& to, Ring& from) noexcept;
  Ring& add_ring(std::uint32_t i) noexcept;
  void remove_ring(std::uint32_t i) noexcept;

  std::unique_ptr<Record[]> records_;
  std::unique_ptr<Ring[]> more_;  // all rings but the first, which is asked for most
  Offset base_ = 0;
  Ring front_;
  std::uint32_t capacity_, size_ = 0;
  std::uint16_t ring_places_, rings_ = 1;
};

}  // namespace dp
