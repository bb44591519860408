// The places of a cell: taken, waiting for a slot, with an SDU of a short flow first, new. Part of the cell;
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

// A set of places, one bit each, 64 in a word.
class PlaceSet {
 public:
  explicit PlaceSet(std::size_t places) : words_((places + 63) / 64) {}

  bool has(CellPlace place) const noexcept { return (words_[place / 64] >> place % 64 & 1) != 0; }
  // False if it was in the set.
  bool insert(CellPlace place) noexcept { return !has(place) && flip(place); }
  bool erase(CellPlace place) noexcept { return has(place) && flip(place); }

  // Calls f(place) in ascending order; f must not change the set.
  template <class F>
  void for_each(F&& f) const noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        f(static_cast<CellPlace>(64 * i + static_cast<std::size_t>(std::countr_zero(rest))));
      }
    }
  }

 private:
  bool flip(CellPlace place) noexcept {
    words_[place / 64] ^= std::uint64_t{1} << place % 64;
    return true;
  }
  std::vector<std::uint64_t> words_;
};

class CellPlaces {
 public:
  explicit CellPlaces(std::uint32_t places) : awake_(places), short_(places), new_(places), size_(places) {
    free_.reserve(places);
    while (free_.size() < places) free_.push_back(places - 1 - static_cast<CellPlace>(free_.size()));
  }

  std::uint32_t size() const noexcept { return size_; }
  std::uint32_t taken() const noexcept { return size_ - static_cast<std::uint32_t>(free_.size()); }

  // Takes the place freed last, initially the lowest. Requires: one is free.
  CellPlace take() noexcept {
    DP_EXPECT(!free_.empty());
    const CellPlace place = free_.back();
    free_.pop_back();
    return place;
  }
  // Requires: the place is taken, and not waiting.
  void free(CellPlace place) noexcept {
    DP_EXPECT(!awake_.has(place) && free_.size() < size_);
    short_.erase(place);
    take_new(place);
    free_.push_back(place);
  }

  // Marks a place as waiting; false if it was already.
  bool wake(CellPlace place) noexcept { return awake_.insert(place) && ++count_ != 0; }
  bool rest(CellPlace place) noexcept { return awake_.erase(place) && count_-- != 0; }
  std::uint32_t awake() const noexcept { return count_; }
  bool waits(CellPlace place) const noexcept { return awake_.has(place); }
  template <class F>
  void for_each_awake(F&& f) const noexcept {
    awake_.for_each(f);
  }

  void set_short(CellPlace place, bool short_flow) noexcept {
    short_flow ? short_.insert(place) : short_.erase(place);
  }
  bool is_short(CellPlace place) const noexcept { return short_.has(place); }

  void mark_new(CellPlace place) noexcept { newcomers_ += new_.insert(place) ? 1 : 0; }
  bool any_new() const noexcept { return newcomers_ != 0; }
  bool is_new(CellPlace place) const noexcept { return new_.has(place); }
  // True if the place was new; it is not any more.
  bool take_new(CellPlace place) noexcept {
    const bool was = new_.erase(place);
    newcomers_ -= was ? 1 : 0;
    return was;
  }

 private:
  std::vector<CellPlace> free_;
  PlaceSet awake_, short_, new_;
  std::uint32_t size_, count_ = 0, newcomers_ = 0;
};

}  // namespace dp
