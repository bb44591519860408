// What a split proxy stores of one connection: the server's segments in the order of its stream, none sharing
// an octet with another. It has the records; the frames are the proxy's. Memory is taken at construction.
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

// A ring of records of 16 bytes. What holds between two calls: the size_ records from first_ on are in the
// order of the stream, none sharing an octet with another; base_ is the first octet of the first of them, and
// they all begin and end less than 2^32 octets beyond it.
class Shelf {
 public:
  // So many segments.
  explicit Shelf(std::uint32_t capacity)
      : records_(std::make_unique<Record[]>(capacity)), capacity_(capacity) {}
  static constexpr std::size_t bytes_for(std::uint32_t capacity) noexcept {
    return capacity * sizeof(Record);
  }

  std::uint32_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  bool full() const noexcept { return size_ == capacity_; }
  // More than half of its places are taken.
  bool short_of_places() const noexcept { return 2 * size_ > capacity_; }
  // Requires: i < size().
  StoredSegment at(std::uint32_t i) const noexcept {
    DP_EXPECT(i < size_);
    const Record& r = record(i);
    return {.begin = begin_of(r), .sdu = r.sdu, .length = r.length, .fin = r.fin != 0, .sent = r.sent != 0};
  }
  StoredSegment front() const noexcept { return at(0); }
  // Requires: i < size().
  void mark_sent(std::uint32_t i) noexcept {
    DP_EXPECT(i < size_);
    record(i).sent = 1;
  }

  // Asks for the records at either end.
  [[gnu::always_inline]] void fetch() const noexcept {
    __builtin_prefetch(&record(0), 1);
    __builtin_prefetch(&record(size_ == 0 ? 0 : size_ - 1), 1);
  }
  // The first that ends beyond an octet: it holds it, or lies above it. size() when there is none. Mostly it
  // is one of the last, which are looked at before the others.
  std::uint32_t find(Offset octet) const noexcept {
    std::uint32_t low = 0, high = size_;
    for (std::uint32_t looked = 0; looked < kNear; ++looked, --high) {
      if (high == 0 || end_of(record(high - 1)) <= octet) return high;
    }
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (octet < end_of(record(middle))) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
  // Nothing when none holds it.
  std::optional<StoredSegment> holding(Offset octet) const noexcept {
    const std::uint32_t i = find(octet);
    if (i == size_ || begin_of(record(i)) > octet) return std::nullopt;
    return at(i);
  }

  // Requires: it is not full, none here shares an octet with it, and none begins or ends 2^32 octets and more
  // from where it begins or ends; it is shorter than 2^30. Answers where it is.
  std::uint32_t put(const StoredSegment& segment) noexcept {
    DP_EXPECT(!full() && segment.length > 0 && segment.length <= kLongest);
    const std::uint32_t i =
        empty() || end_of(record(size_ - 1)) <= segment.begin ? size_ : find(segment.begin);
    DP_EXPECT(i == size_ || segment.end() <= begin_of(record(i)));
    DP_EXPECT(empty() ||
              std::max(end_of(record(size_ - 1)), segment.end()) - std::min(base_, segment.begin) < kReach);
    if (i == 0) base_ = segment.begin;
    open(i);
    record(i) = packed(segment);
    return i;
  }
  // Requires: it is not empty.
  void pop() noexcept {
    DP_EXPECT(!empty());
    if (size_ > 1) base_ = begin_of(record(1));
    close(0);
  }
  void pop_last() noexcept {
    DP_EXPECT(!empty());
    --size_;
  }
  // The segment and its successor become one. Requires: i + 1 < size(), and no octet lies between them.
  void join(std::uint32_t i, const StoredSegment& both) noexcept {
    DP_EXPECT(i + 1 < size_ && both.begin == at(i).begin && both.end() == at(i + 1).end());
    DP_EXPECT(both.length <= kLongest);
    record(i) = packed(both);
    close(i + 1);
  }
  void clear() noexcept { size_ = first_ = 0; }

 private:
  struct Record {
    Sdu* sdu = nullptr;
    std::uint32_t begin = 0;  // the low bits of its place
    std::uint32_t length : 30 = 0;
    std::uint32_t fin : 1 = 0, sent : 1 = 0;
  };
  static_assert(sizeof(Record) == 16);
  static constexpr std::uint32_t kNear = 4;
  static constexpr std::uint32_t kLongest = (1u << 30) - 1;
  static constexpr Offset kReach = Offset{1} << 32;

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

  const Record& record(std::uint32_t i) const noexcept {
    count_look();
    const std::uint32_t place = first_ + i;
    return records_[place < capacity_ ? place : place - capacity_];
  }
  Record& record(std::uint32_t i) noexcept {
    return const_cast<Record&>(static_cast<const Shelf*>(this)->record(i));
  }

  // Room for an i-th record, or one less: of those before it and those behind it, the fewer move.
  void open(std::uint32_t i) noexcept {
    ++size_;
    if (i < size_ / 2) {
      first_ = (first_ == 0 ? capacity_ : first_) - 1;
      for (std::uint32_t k = 0; k < i; ++k) record(k) = record(k + 1);
    } else {
      for (std::uint32_t k = size_ - 1; k > i; --k) record(k) = record(k - 1);
    }
  }
  void close(std::uint32_t i) noexcept {
    if (i < size_ / 2) {
      for (std::uint32_t k = i; k > 0; --k) record(k) = record(k - 1);
      if (++first_ == capacity_) first_ = 0;
    } else {
      for (std::uint32_t k = i; k + 1 < size_; ++k) record(k) = record(k + 1);
    }
    --size_;
  }

  std::unique_ptr<Record[]> records_;
  Offset base_ = 0;
  std::uint32_t capacity_, first_ = 0, size_ = 0;
};

}  // namespace dp
