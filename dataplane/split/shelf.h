// What a split proxy stores of one connection: the server's segments in the order of its stream, none sharing
// an octet with another. It has the records; the frames are the proxy's. Memory is taken at construction.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataplane/base/expect.h"
#include "dataplane/packet/sdu.h"
#include "dataplane/packet/seq.h"

namespace dp {

struct StoredSegment {
  Offset begin = 0;  // its first octet
  Sdu* sdu = nullptr;
  std::uint32_t length = 0;  // octets, FIN included
  std::uint16_t mbufs = 0;
  bool fin = false;   // the last octet is the FIN
  bool sent = false;  // its frame went to the UE: it is kept by a reference only (FrameSource::keep)
  Offset end() const noexcept { return begin + length; }
};

class Shelf {
 public:
  // So many segments.
  explicit Shelf(std::uint32_t capacity) : capacity_(capacity) { segments_.reserve(room_for(capacity)); }
  static std::size_t bytes_for(std::uint32_t capacity) noexcept {
    return room_for(capacity) * sizeof(StoredSegment);
  }

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(segments_.size() - first_); }
  bool empty() const noexcept { return size() == 0; }
  bool full() const noexcept { return size() == capacity_; }
  // Requires: i < size(). What stands there may change, but for its place in the stream.
  StoredSegment& at(std::uint32_t i) noexcept {
    DP_EXPECT(i < size());
    return segments_[first_ + i];
  }
  StoredSegment& front() noexcept { return at(0); }

  // The first that ends beyond an octet: it holds it, or lies above it. size() when there is none.
  std::uint32_t find(Offset octet) const noexcept {
    const auto from = segments_.begin() + static_cast<std::ptrdiff_t>(first_);
    const auto it = std::upper_bound(from, segments_.end(), octet,
                                     [](Offset o, const StoredSegment& s) { return o < s.end(); });
    return static_cast<std::uint32_t>(it - from);
  }
  // Null when none holds it.
  StoredSegment* holding(Offset octet) noexcept {
    const std::uint32_t i = find(octet);
    return i < size() && at(i).begin <= octet ? &at(i) : nullptr;
  }

  // Requires: it is not full, and none here shares an octet with it.
  void put(const StoredSegment& segment) noexcept {
    DP_EXPECT(!full() && segment.length > 0);
    if (segments_.size() == segments_.capacity()) close_up();
    const std::uint32_t i = empty() || at(size() - 1).end() <= segment.begin ? size() : find(segment.begin);
    DP_EXPECT(i == size() || segment.end() <= at(i).begin);
    segments_.insert(segments_.begin() + static_cast<std::ptrdiff_t>(first_ + i), segment);
  }
  // Requires: it is not empty.
  void pop() noexcept {
    DP_EXPECT(!empty());
    if (++first_ == segments_.size()) clear();
  }
  void pop_last() noexcept {
    DP_EXPECT(!empty());
    segments_.pop_back();
    if (first_ == segments_.size()) clear();
  }
  // The segment and its successor become one. Requires: i + 1 < size(), and no octet lies between them.
  void join(std::uint32_t i, const StoredSegment& both) noexcept {
    DP_EXPECT(i + 1 < size() && both.begin == at(i).begin && both.end() == at(i + 1).end());
    at(i) = both;
    segments_.erase(segments_.begin() + static_cast<std::ptrdiff_t>(first_ + i + 1));
  }
  void clear() noexcept {
    segments_.clear();
    first_ = 0;
  }

 private:
  // Beside the segments, what those that are gone may take before the rest closes up.
  static constexpr std::size_t room_for(std::uint32_t capacity) noexcept {
    return capacity + capacity / 4 + 1;
  }
  void close_up() noexcept {
    segments_.erase(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }

  std::vector<StoredSegment> segments_;  // those before first_ are gone
  std::size_t first_ = 0;
  std::uint32_t capacity_;
};

}  // namespace dp
