// The segments that a split proxy stores of one connection, in the order of the server's stream; no two share
// an octet. It has the records; the frames are the proxy's. Memory is taken at construction.
//
// Records stand in rings of kRing slots, and the rings in order, as in a B+ tree of one level. Adding or
// removing a record moves at most half a ring of others, wherever it stands, and at most all entries of the
// list of rings, of which the largest window has 194. So the work for a segment is bounded by constants,
// however much the server or the UE has made the proxy store. A connection with at most kRing slots, which
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
    return std::size_t{rings} * ring_slots(capacity) * sizeof(Record) + (rings - 1) * sizeof(Ring);
  }

  // A record, or the end, until a record is added or removed. Made by the functions below only; all that take
  // one require that it was not made before such a change, but for has().
  struct Position {
    std::uint16_t ring = 0, at = 0;
    friend bool operator==(const Position&, const Position&) = default;
  };

  std::uint32_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  bool full() const noexcept { return size_ == capacity_; }
  // More than half of its slots are taken.
  bool short_of_slots() const noexcept { return 2 * size_ > capacity_; }

  // The first record, or the end when there is none.
  static constexpr Position first() noexcept { return {}; }
  // True if a record is there. The position may be older than the last change.
  bool has(Position position) const noexcept {
    return position.ring < rings_ && position.at < ring(position.ring).size;
  }
  // The next record, or the end. Requires: has(position).
  Position after(Position position) const noexcept {
    const bool last_of_ring = position.at + 1 == ring(position.ring).size && position.ring + 1 < rings_;
    return last_of_ring ? Position{static_cast<std::uint16_t>(position.ring + 1), 0}
                        : Position{position.ring, static_cast<std::uint16_t>(position.at + 1)};
  }
  // Requires: it is not the first.
  Position before(Position position) const noexcept {
    DP_EXPECT(position != first());
    const std::uint16_t into =
        position.at > 0 ? position.ring : static_cast<std::uint16_t>(position.ring - 1);
    const std::uint16_t behind = position.at > 0 ? position.at : ring(into).size;
    return {into, static_cast<std::uint16_t>(behind - 1)};
  }
  // Requires: has(position).
  StoredSegment at(Position position) const noexcept {
    DP_EXPECT(has(position));
    const Record& r = record(position);
    return {.begin = begin_of(r), .sdu = r.sdu, .length = r.length, .fin = r.fin != 0, .sent = r.sent != 0};
  }
  StoredSegment front() const noexcept { return at(first()); }
  StoredSegment back() const noexcept { return at(before(end())); }
  // Requires: has(position).
  void mark_sent(Position position) noexcept {
    DP_EXPECT(has(position));
    record(position).sent = 1;
  }

  // Prefetches the records at either end.
  [[gnu::always_inline]] void fetch() const noexcept {
    const Ring& last = ring(rings_ - 1);
    __builtin_prefetch(&slot(front_, 0), 1);
    __builtin_prefetch(&slot(last, last.size == 0 ? 0 : last.size - 1), 1);
  }
  // The first record that ends beyond an octet: it holds the octet, or lies above it. The end when there is
  // none. Mostly it is one of the last, so these are searched before the others.
  Position find(Offset octet) const noexcept {
    Position high = end();
    for (std::uint32_t looked = 0; looked < kNear; ++looked) {
      if (high == first()) return high;
      const Position position = before(high);
      if (end_of(record(position)) <= octet) return high;
      high = position;
    }
    return search(octet, high);
  }
  // The segment that holds an octet, if there is one.
  std::optional<StoredSegment> holding(Offset octet) const noexcept {
    const Position position = find(octet);
    if (!has(position) || begin_of(record(position)) > octet) return std::nullopt;
    return at(position);
  }

  // Adds a record; the answer is its position. Requires: it is not full, none here shares an octet with it,
  // and none begins or ends 2^32 octets and more from where it begins or ends; it is shorter than 2^30.
  Position put(const StoredSegment& segment) noexcept {
    DP_EXPECT(!full() && segment.length > 0 && segment.length <= kLongest);
    Position position = end();
    if (!empty()) {
      const Offset highest = end_of(record(before(position)));
      if (segment.begin < highest) position = find(segment.begin);
      DP_EXPECT(!has(position) || segment.end() <= begin_of(record(position)));
      DP_EXPECT(std::max(highest, segment.end()) - std::min(base_, segment.begin) < kReach);
    }
    if (position == first()) base_ = segment.begin;
    if (ring(position.ring).size == ring_slots_) position = make_way(position);
    open(ring(position.ring), position.at);
    ++size_;
    record(position) = packed(segment);
    return position;
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
  // The record and its successor become one; the answer is its position. Requires: both are there, and no
  // octet lies between them.
  Position join(Position position, const StoredSegment& both) noexcept {
    DP_EXPECT(has(position) && has(after(position)) && both.length <= kLongest);
    DP_EXPECT(both.begin == at(position).begin && both.end() == at(after(position)).end());
    const Position second = after(position);
    record(position) = packed(both);
    remove(second);
    return find(both.begin);
  }
  void clear() noexcept;

 private:
  struct Record {
    Sdu* sdu = nullptr;
    std::uint32_t begin = 0;  // the low bits of its position in the stream
    std::uint32_t length : 30 = 0;
    std::uint32_t fin : 1 = 0, sent : 1 = 0;
  };
  static_assert(sizeof(Record) == 16);
  // `size` of the ring_slots_ records from records_[memory] on, the first of them at `first`.
  struct Ring {
    std::uint32_t memory = 0;
    std::uint16_t first = 0, size = 0;
  };
  static constexpr std::uint32_t kRing = 256, kHalf = kRing / 2;
  static constexpr std::uint32_t kNear = 4;
  static constexpr std::uint32_t kLongest = (1u << 30) - 1;
  static constexpr Offset kReach = Offset{1} << 32;

  static constexpr std::uint32_t ring_slots(std::uint32_t capacity) noexcept {
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
  Position end() const noexcept { return {static_cast<std::uint16_t>(rings_ - 1), ring(rings_ - 1).size}; }

  Record& slot(const Ring& ring, std::uint32_t at) const noexcept {
    count_look();
    const std::uint32_t nth = ring.first + at;
    return records_[ring.memory + (nth < ring_slots_ ? nth : nth - ring_slots_)];
  }
  const Record& record(Position position) const noexcept { return slot(ring(position.ring), position.at); }
  Record& record(Position position) noexcept { return slot(ring(position.ring), position.at); }

  // find() among the records before `high`, which ends beyond the octet as well.
  Position search(Offset octet, Position high) const noexcept;
  // Room for a record at `at`, or one less: of those before it and those behind it, the fewer move. The first
  // requires: the ring is not full.
  void open(Ring& ring, std::uint32_t at) noexcept;
  void close(Ring& ring, std::uint32_t at) noexcept;
  Position make_way(Position position) noexcept;
  void remove(Position position) noexcept {
    close(ring(position.ring), position.at);
    --size_;
    if (rings_ > 1) rebalance(position.ring);
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
  std::uint16_t ring_slots_, rings_ = 1;
};

}  // namespace dp
