// The ranges that a UE has reported by SACK (RFC 2018) above its cumulative ACK: a few, bounded. Part of its
// Flow.
#pragma once
#include <array>
#include <cstddef>
#include <span>

#include "dataplane/base/expect.h"
#include "dataplane/packet/seq.h"

namespace dp {

class SackedRanges {
 public:
  static constexpr std::size_t kMax = 8;
  struct Piece {
    Offset left, right;
  };

  Offset bytes() const noexcept { return bytes_; }
  bool empty() const noexcept { return size_ == 0; }
  // End of the highest range; 0 if empty.
  Offset highest() const noexcept { return size_ == 0 ? 0 : ranges_[size_ - 1].right; }
  // In ascending order; no two touch.
  std::span<const Piece> pieces() const noexcept { return {ranges_.data(), size_}; }
  // True if it contains all of [left, right).
  bool covers(Offset left, Offset right) const noexcept {
    for (std::size_t i = 0; i < size_; ++i) {
      if (ranges_[i].left <= left && right <= ranges_[i].right) return true;
    }
    return false;
  }
  void clear() noexcept { size_ = 0, bytes_ = 0; }

  // Adds [left, right). If there is no room the lowest range is dropped; the next ACKs repeat the important
  // ones.
  void add(Offset left, Offset right) noexcept {
    if (left >= right) return;
    for (std::size_t i = 0; i < size_;) {
      if (ranges_[i].right < left || right < ranges_[i].left) {
        ++i;
        continue;
      }
      left = left < ranges_[i].left ? left : ranges_[i].left;
      right = right > ranges_[i].right ? right : ranges_[i].right;
      erase(i);
    }
    if (size_ == kMax) erase(0);
    DP_EXPECT(size_ < kMax);
    std::size_t at = size_;
    for (; at > 0 && ranges_[at - 1].left > left; --at) ranges_[at] = ranges_[at - 1];
    ranges_[at] = {left, right};
    ++size_;
    bytes_ += right - left;
  }

  // Removes everything below `to`, which is acknowledged.
  void advance(Offset to) noexcept {
    while (size_ > 0 && ranges_[0].right <= to) erase(0);
    if (size_ == 0 || ranges_[0].left >= to) return;
    bytes_ -= to - ranges_[0].left;
    ranges_[0].left = to;
  }

 private:
  void erase(std::size_t i) noexcept {
    DP_EXPECT(i < size_);
    bytes_ -= ranges_[i].right - ranges_[i].left;
    for (--size_; i < size_; ++i) ranges_[i] = ranges_[i + 1];
  }

  // These two are read for each segment, so they precede the ranges, which are usually empty (Flow).
  std::size_t size_ = 0;
  Offset bytes_ = 0;
  std::array<Piece, kMax> ranges_{};
};

}  // namespace dp
