// A FIFO of SDUs for who takes many at a time: the first stand in an array, so that nobody follows pointers
// from one to the next; what there is no room for in it is linked behind, however many that are. Owns what it
// holds until it is removed.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/base/expect.h"
#include "dataplane/packet/sdu.h"
#include "dataplane/packet/sdu_list.h"

namespace dp {

// What holds between two calls: the first are near_[begin_] to near_[end_ - 1], the others follow in behind_.
// Where nothing is near nothing is behind, and begin_ and end_ are 0, so that the same few lines of the array
// are used again and again. While something is behind, end_ is kNear.
class SduQueue {
 public:
  static constexpr std::uint32_t kNear = 1024;

  bool empty() const noexcept { return begin_ == end_; }
  std::size_t size() const noexcept { return end_ - begin_ + behind_.size(); }

  [[gnu::always_inline]] void push(Sdu& sdu) noexcept {
    if (end_ == kNear) [[unlikely]]
      return behind_.push(sdu);
    near_[end_++] = &sdu;
  }

  // The first, at most so many, and at least one if there is any. They stay, and stand there until the next
  // remove().
  std::span<Sdu* const> first(std::size_t most) const noexcept {
    return std::span(near_).subspan(begin_, std::min<std::size_t>(most, end_ - begin_));
  }
  // So many of the first are the caller's. Requires: first() has them.
  void remove(std::size_t count) noexcept {
    DP_EXPECT_HOT(count <= end_ - begin_);
    begin_ += static_cast<std::uint32_t>(count);
    if (begin_ == end_) refill();
  }

 private:
  void refill() noexcept {
    begin_ = end_ = 0;
    while (!behind_.empty() && end_ < kNear) near_[end_++] = &behind_.pop();
  }

  std::uint32_t begin_ = 0, end_ = 0;
  SduList behind_;
  std::array<Sdu*, kNear> near_;
};

}  // namespace dp
