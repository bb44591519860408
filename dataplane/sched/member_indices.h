// The indices of a cell: taken, waiting for a slot, with an SDU of a short flow first, new. Part of the cell;
// memory is allocated at construction.
// Tests: tests/unit/sched/cell_life_test.cc
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataplane/base/expect.h"
#include "dataplane/sched/scheduler.h"

namespace dp {

// A set of indices, one bit each, 64 in a word.
class IndexSet {
 public:
  explicit IndexSet(std::size_t indices) : words_((indices + 63) / 64) {}

  bool has(MemberIndex index) const noexcept { return (words_[index / 64] >> index % 64 & 1) != 0; }
  // False if it was in the set.
  bool insert(MemberIndex index) noexcept { return !has(index) && flip(index); }
  bool erase(MemberIndex index) noexcept { return has(index) && flip(index); }

  // Calls f(index) in ascending order; f must not change the set.
  template <class F>
  void for_each(F&& f) const noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        f(static_cast<MemberIndex>(64 * i + static_cast<std::size_t>(std::countr_zero(rest))));
      }
    }
  }

 private:
  bool flip(MemberIndex index) noexcept {
    words_[index / 64] ^= std::uint64_t{1} << index % 64;
    return true;
  }
  std::vector<std::uint64_t> words_;
};

class MemberIndices {
 public:
  explicit MemberIndices(std::uint32_t indices)
      : awake_(indices), short_(indices), new_(indices), size_(indices) {
    free_.reserve(indices);
    while (free_.size() < indices) free_.push_back(indices - 1 - static_cast<MemberIndex>(free_.size()));
  }

  std::uint32_t size() const noexcept { return size_; }
  std::uint32_t taken() const noexcept { return size_ - static_cast<std::uint32_t>(free_.size()); }

  // Takes the index freed last, initially the lowest. Requires: one is free.
  MemberIndex take() noexcept {
    DP_EXPECT(!free_.empty());
    const MemberIndex index = free_.back();
    free_.pop_back();
    return index;
  }
  // Requires: the index is taken, and not waiting.
  void free(MemberIndex index) noexcept {
    DP_EXPECT(!awake_.has(index) && free_.size() < size_);
    short_.erase(index);
    take_new(index);
    free_.push_back(index);
  }

  // Marks an index as waiting; false if it was already.
  bool wake(MemberIndex index) noexcept { return awake_.insert(index) && ++count_ != 0; }
  bool rest(MemberIndex index) noexcept { return awake_.erase(index) && count_-- != 0; }
  std::uint32_t awake() const noexcept { return count_; }
  bool waits(MemberIndex index) const noexcept { return awake_.has(index); }
  template <class F>
  void for_each_awake(F&& f) const noexcept {
    awake_.for_each(f);
  }

  void set_short(MemberIndex index, bool short_flow) noexcept {
    short_flow ? short_.insert(index) : short_.erase(index);
  }
  bool is_short(MemberIndex index) const noexcept { return short_.has(index); }

  void mark_new(MemberIndex index) noexcept { newcomers_ += new_.insert(index) ? 1 : 0; }
  bool any_new() const noexcept { return newcomers_ != 0; }
  bool is_new(MemberIndex index) const noexcept { return new_.has(index); }
  // True if the index was new; it is not any more.
  bool take_new(MemberIndex index) noexcept {
    const bool was = new_.erase(index);
    newcomers_ -= was ? 1 : 0;
    return was;
  }

 private:
  std::vector<MemberIndex> free_;
  IndexSet awake_, short_, new_;
  std::uint32_t size_, count_ = 0, newcomers_ = 0;
};

}  // namespace dp
