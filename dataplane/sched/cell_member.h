// What a bearer has of its own in a cell: the radio that it is reached by, and its place. Made by control and
// lent with the bearer, as an air is; touched by the worker that has the cell, but for the counters.
#pragma once
#include <cstdint>
#include <limits>
#include <utility>

#include "dataplane/base/counter.h"
#include "dataplane/packet/context.h"
#include "dataplane/sched/radio/radio.h"
#include "dataplane/sched/scheduler.h"
#include "dataplane/sched/served_rate.h"

namespace dp {

class Cell;

class CellMember {
 public:
  static constexpr CellPlace kNoPlace = std::numeric_limits<CellPlace>::max();

  // `number` tells apart the bearers of like settings.
  CellMember(const RadioConfig& radio, std::uint64_t number) noexcept : radio_(radio, number) {}

  // The cell in which it has a room (Cell::take_room), null while it has none. While its bearer is with
  // another worker than the cell, or on its way there, it has the room and no place.
  Cell* cell() const noexcept { return cell_; }
  // Control's, before a worker gets the bearer; then that worker's. Requires: it has no place.
  void set_cell(Cell* cell) noexcept {
    DP_EXPECT(place_ == kNoPlace);
    cell_ = cell;
  }
  CellPlace place() const noexcept { return place_; }
  bool placed() const noexcept { return place_ != kNoPlace; }

  // bit/s, the highest that a slot carries to it.
  std::uint64_t limit() const noexcept { return limit_; }
  void set_limit(std::uint64_t rate) noexcept { limit_ = rate; }

  // The rate at which its slots serve it; its link's.
  ServedRate& served() noexcept { return rate_served_; }
  const ServedRate& served() const noexcept { return rate_served_; }

  // False when its radio takes no reports: nothing has changed.
  bool report(std::uint64_t rate, Time now) noexcept {
    if (!radio_.report(rate, now)) return false;
    reported_at_.set(static_cast<std::uint64_t>(ns(now)));
    return true;
  }
  // Goes on by the radio of `fresh`, which gets the one that it had.
  void adopt(CellMember& fresh) noexcept { std::swap(radio_, fresh.radio_); }

  // These are read by control too. Slots that it was given, in whatever cell; the mean rate at the last of
  // them in bit/s; when a rate was reported last, 0 when never.
  std::uint64_t slots() const noexcept { return slots_.get(); }
  std::uint64_t mean() const noexcept { return mean_.get(); }
  std::uint64_t reported_at() const noexcept { return reported_at_.get(); }

 private:
  friend class Cell;

  Cell* cell_ = nullptr;
  WorkerTimer* leg_ = nullptr;  // while it has a place: serves what a slot has carried
  CellPlace place_ = kNoPlace;
  std::uint64_t limit_ = 0;
  std::uint64_t carried_ = 0;  // by the slot that has ended, in 1 / kCellUnitsPerBit bit, until it is asked
  std::uint64_t served_ = 0;   // SlotUser::served
  double held_ = -1;           // the mean rate at which it rests, while it is not to decay; negative: none
  Counter slots_, mean_, reported_at_;
  ServedRate rate_served_;
  Radio radio_;
};

}  // namespace dp
