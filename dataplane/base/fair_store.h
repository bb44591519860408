// A bounded amount of a resource, such as memory, from which holders take parts: the part of each holder, the
// fair share, and the holders with the largest parts. Holders are intrusive nodes of lists, one list for each
// power of two of what they hold, so that every call takes constant time for any number of them. Not for
// several threads.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "dataplane/base/expect.h"

namespace dp {

class FairStore {
 public:
  class Holder {
   public:
    Holder() = default;
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;
    std::uint64_t held() const noexcept { return held_; }

   private:
    friend class FairStore;
    std::uint64_t held_ = 0;
    Holder *next_ = nullptr, *before_ = nullptr;  // in the list of its level
  };

  explicit FairStore(std::uint64_t cap = ~std::uint64_t{0}) noexcept : cap_(cap) {}

  void set_cap(std::uint64_t cap) noexcept { cap_ = cap; }
  std::uint64_t taken() const noexcept { return taken_; }
  bool has_space(std::uint64_t amount) const noexcept { return taken_ <= cap_ && amount <= cap_ - taken_; }
  // The amount divided by the holders that have some, `one` included, and one that waits for its share.
  std::uint64_t share_of(const Holder& one, bool another_waits = false) const noexcept {
    return cap_ / (holders_ + (one.held_ == 0 || another_waits ? 1 : 0));
  }

  // Requires of both: an amount above 0; of give_back() that the holder has it.
  void take(Holder& one, std::uint64_t amount) noexcept { change(one, one.held_ + amount); }
  void give_back(Holder& one, std::uint64_t amount) noexcept {
    DP_EXPECT(amount <= one.held_);
    change(one, one.held_ - amount);
  }

  // One of the holders with the largest parts, within a factor of two; null if no holder has any. Holders of
  // one level take turns: each call returns the next.
  Holder* next_of_the_largest() noexcept {
    if (levels_ == 0) return nullptr;
    List& list = lists_[level_of(levels_)];
    Holder* const first = list.first;
    unlink(*first, list);
    link(*first, list);
    return first;
  }

 private:
  struct List {
    Holder *first = nullptr, *last = nullptr;
  };

  // Requires: an amount above 0.
  static std::size_t level_of(std::uint64_t amount) noexcept {
    return static_cast<std::size_t>(std::bit_width(amount)) - 1;
  }

  void change(Holder& one, std::uint64_t to) noexcept {
    DP_EXPECT(to != one.held_);
    if (one.held_ != 0) leave(one);
    taken_ = taken_ - one.held_ + to;
    one.held_ = to;
    if (to != 0) enter(one);
  }
  void enter(Holder& one) noexcept {
    const std::size_t level = level_of(one.held_);
    link(one, lists_[level]);
    levels_ |= std::uint64_t{1} << level;
    ++holders_;
  }
  void leave(Holder& one) noexcept {
    const std::size_t level = level_of(one.held_);
    unlink(one, lists_[level]);
    if (lists_[level].first == nullptr) levels_ &= ~(std::uint64_t{1} << level);
    --holders_;
  }
  static void link(Holder& one, List& list) noexcept {
    one.next_ = nullptr;
    one.before_ = list.last;
    (list.last == nullptr ? list.first : list.last->next_) = &one;
    list.last = &one;
  }
  static void unlink(Holder& one, List& list) noexcept {
    (one.before_ == nullptr ? list.first : one.before_->next_) = one.next_;
    (one.next_ == nullptr ? list.last : one.next_->before_) = one.before_;
    one.next_ = one.before_ = nullptr;
  }

  std::uint64_t cap_;
  std::uint64_t taken_ = 0, holders_ = 0;
  std::uint64_t levels_ = 0;  // bit i: lists_[i] is not empty
  std::array<List, 64> lists_{};
};

}  // namespace dp
