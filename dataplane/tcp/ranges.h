// A bounded, sorted set of ranges of the stream, none touching another: a receiver's data out of order, or
// a sender's SACKed data. Its memory is taken once, by the engine that owns it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "dataplane/base/expect.h"
#include "dataplane/packet/seq.h"

namespace dp {

struct Range {
  Offset left, right;        // the first byte, and the first beyond the last
  std::uint32_t age = 0;     // when it was last added to: the higher, the later, among those of one set
  std::uint32_t pieces = 1;  // that made it up
  Offset size() const noexcept { return right - left; }
};

// Invariants between two calls: each range ends below where the next begins; no two have the same age, none 0
// and none above clock_; bytes_ is the sum of their sizes.
class RangeSet {
 public:
  // Ages begin above `clock`. Requires: fewer than 2^16 ranges.
  explicit RangeSet(std::size_t capacity, std::uint32_t clock = 0)
      : ranges_(capacity == 0 ? nullptr : std::make_unique<Range[]>(capacity)),
        clock_(clock),
        capacity_(static_cast<std::uint16_t>(capacity)) {
    DP_EXPECT(capacity <= std::numeric_limits<std::uint16_t>::max());
  }
  // A set that was moved from may only be assigned to.
  RangeSet(RangeSet&&) = default;
  RangeSet& operator=(RangeSet&&) = default;
  static constexpr std::size_t bytes_for(std::size_t capacity) noexcept { return capacity * sizeof(Range); }

  bool empty() const noexcept { return size_ == 0; }
  std::size_t size() const noexcept { return size_; }
  std::span<const Range> all() const noexcept { return {ranges_.get(), size_}; }
  // first() and last() require: the set is not empty.
  const Range& first() const noexcept {
    DP_EXPECT(!empty());
    return *begin();
  }
  const Range& last() const noexcept {
    DP_EXPECT(!empty());
    return end()[-1];
  }
  // The sum of the sizes of all ranges, in bytes.
  Offset bytes() const noexcept { return bytes_; }

  // Adds [left, right), joining what it touches. False when a new range had no room; nothing changes then.
  // Requires: left < right.
  bool add(Offset left, Offset right) noexcept {
    DP_EXPECT(left < right);
    Range* const from =
        std::lower_bound(begin(), end(), left, [](const Range& r, Offset x) { return r.right < x; });
    Range* to = from;
    Range merged{left, right, next_age(), 0};
    Offset known = 0;
    for (; to != end() && to->left <= right; ++to) {
      merged.left = std::min(merged.left, to->left);
      merged.right = std::max(merged.right, to->right);
      merged.pieces += to->pieces;
      known += to->size();
    }
    if (merged.size() > known) ++merged.pieces;
    if (from == to) {
      if (size_ == capacity_) return false;
      std::move_backward(from, end(), end() + 1);
      ++size_;
    } else {
      erase(from + 1, to);
    }
    *from = merged;
    bytes_ += merged.size() - known;
    return true;
  }

  // Forgets everything below `to`.
  void advance(Offset to) noexcept {
    Range* keep = begin();
    for (; keep != end() && keep->right <= to; ++keep) bytes_ -= keep->size();
    erase(begin(), keep);
    if (empty() || begin()->left >= to) return;
    bytes_ -= to - begin()->left;
    begin()->left = to;
  }

  // Forgets everything from `from` on.
  void cut(Offset from) noexcept {
    while (!empty() && last().right > from) {
      Range& last = end()[-1];
      bytes_ -= last.right - std::max(last.left, from);
      if (last.left < from) {
        last.right = from;
        return;
      }
      --size_;
    }
  }

  void clear() noexcept {
    size_ = 0;
    bytes_ = 0;
  }

  // The range that holds [left, right) whole, or null.
  const Range* holding(Offset left, Offset right) const noexcept {
    const Range* const it =
        std::lower_bound(begin(), end(), left, [](const Range& r, Offset x) { return r.right <= x; });
    return it != end() && it->left <= left && right <= it->right ? it : nullptr;
  }

 private:
  Range* begin() const noexcept { return ranges_.get(); }
  Range* end() const noexcept { return ranges_.get() + size_; }
  void erase(Range* from, Range* to) noexcept {
    std::move(to, end(), from);
    size_ = static_cast<std::uint16_t>(size_ - (to - from));
  }

  std::uint32_t next_age() noexcept {
    if (clock_ == std::numeric_limits<std::uint32_t>::max()) begin_ages_anew();
    return ++clock_;
  }
  // The ages become 1, 2, 3 ... in the same order: the lowest first, so that those that are set already are
  // below all that are not.
  void begin_ages_anew() noexcept {
    std::uint32_t done = 0;  // ages up to here have been replaced
    for (clock_ = 0; clock_ < size_;) {
      Range* next = nullptr;
      for (Range& r : std::span<Range>(ranges_.get(), size_)) {
        if (r.age > done && (next == nullptr || r.age < next->age)) next = &r;
      }
      DP_EXPECT(next != nullptr);
      done = next->age;
      next->age = ++clock_;
    }
  }

  std::unique_ptr<Range[]> ranges_;  // the first size_ of capacity_ are in the set
  Offset bytes_ = 0;
  std::uint32_t clock_;
  std::uint16_t size_ = 0, capacity_;
};

}  // namespace dp
