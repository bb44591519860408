// A FIFO of SDUs for consumers of many at a time: the first ones are in an array, so that they can be read
// without following links; further ones are linked behind them, without limit. Owns its SDUs until they are
// removed.
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

// Invariants between two calls: the first SDUs are near_[begin_] to near_[end_ - 1], the others follow in
// behind_. If the array is empty, behind_ is empty and begin_ and end_ are 0, so that the first cache lines
// of the array are reused. If behind_ is not empty, end_ is kNear.
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

  // The first SDUs, at most `most`, and at least one unless empty. They stay in the queue; the span is valid
  // until the next remove().
  std::span<Sdu* const> first(std::size_t most) const noexcept {
    return std::span(near_).subspan(begin_, std::min<std::size_t>(most, end_ - begin_));
  }
  // Removes the first `count`, which the caller then owns. Requires: first() returned them.
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
