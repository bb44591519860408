// A bounded, sorted set of ranges of the stream, none touching another: what a receiver holds out of order,
// what a sender knows to be SACKed. Its memory is taken once, by the engine that owns it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/base/expect.h"
#include "dataplane/packet/seq.h"

namespace dp {

struct Range {
  Offset left, right;        // the first byte, and the first beyond the last
  std::uint64_t age = 0;     // when it was last added to: the higher, the later
  std::uint32_t pieces = 1;  // that made it up
  Offset size() const noexcept { return right - left; }
};

class RangeSet {
 public:
  explicit RangeSet(std::size_t capacity) { ranges_.reserve(capacity); }
  // A copy would come without the room.
  RangeSet(RangeSet&&) = default;
  RangeSet& operator=(RangeSet&&) = default;

  bool empty() const noexcept { return ranges_.empty(); }
  std::size_t size() const noexcept { return ranges_.size(); }
  std::span<const Range> all() const noexcept { return ranges_; }
  // Both require: it is not empty.
  const Range& first() const noexcept {
    DP_EXPECT(!empty());
    return ranges_.front();
  }
  const Range& last() const noexcept {
    DP_EXPECT(!empty());
    return ranges_.back();
  }
  // Bytes in all ranges.
  Offset bytes() const noexcept { return bytes_; }

  // Adds [left, right), joining what it touches. False when a new range had no room; nothing changes then.
  // Requires: left < right.
  bool add(Offset left, Offset right) noexcept {
    DP_EXPECT(left < right);
    auto from = std::lower_bound(ranges_.begin(), ranges_.end(), left,
                                 [](const Range& r, Offset x) { return r.right < x; });
    auto to = from;
    Range merged{left, right, ++clock_, 0};
    Offset known = 0;
    for (; to != ranges_.end() && to->left <= right; ++to) {
      merged.left = std::min(merged.left, to->left);
      merged.right = std::max(merged.right, to->right);
      merged.pieces += to->pieces;
      known += to->size();
    }
    if (merged.size() > known) ++merged.pieces;
    if (from == to) {
      if (ranges_.size() == ranges_.capacity()) return false;
      ranges_.insert(from, merged);
    } else {
      *from = merged;
      ranges_.erase(from + 1, to);
    }
    bytes_ += merged.size() - known;
    return true;
  }

  // Forgets everything below `to`.
  void advance(Offset to) noexcept {
    auto keep = ranges_.begin();
    for (; keep != ranges_.end() && keep->right <= to; ++keep) bytes_ -= keep->size();
    ranges_.erase(ranges_.begin(), keep);
    if (ranges_.empty() || ranges_.front().left >= to) return;
    bytes_ -= to - ranges_.front().left;
    ranges_.front().left = to;
  }

  // Forgets everything from `from` on.
  void cut(Offset from) noexcept {
    while (!ranges_.empty() && ranges_.back().right > from) {
      Range& last = ranges_.back();
      bytes_ -= last.right - std::max(last.left, from);
      if (last.left < from) {
        last.right = from;
        return;
      }
      ranges_.pop_back();
    }
  }

  void clear() noexcept {
    ranges_.clear();
    bytes_ = 0;
  }

  // The range that holds [left, right) whole, or null.
  const Range* holding(Offset left, Offset right) const noexcept {
    const auto it = std::lower_bound(ranges_.begin(), ranges_.end(), left,
                                     [](const Range& r, Offset x) { return r.right <= x; });
    return it != ranges_.end() && it->left <= left && right <= it->right ? &*it : nullptr;
  }

 private:
  std::vector<Range> ranges_;
  Offset bytes_ = 0;
  std::uint64_t clock_ = 0;
};

}  // namespace dp
