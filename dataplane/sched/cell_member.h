// A bearer's membership of a cell: its radio, and its index. Created by control and lent with the bearer,
// like a radio link; used by the cell's worker only, except for the counters.
// Tests: tests/unit/sched/cell_test.cc
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
  static constexpr MemberIndex kNoIndex = std::numeric_limits<MemberIndex>::max();

  // `number` distinguishes bearers with equal settings.
  CellMember(const RadioConfig& radio, std::uint64_t number) noexcept : radio_(radio, number) {}

  // The cell in which it has a reservation (Cell::reserve); null without one. While its bearer is with
  // another worker than the cell, or moving between workers, it has the reservation but no index.
  Cell* cell() const noexcept { return cell_; }
  // Called by control before a worker gets the bearer, then by that worker. Requires: it has no index.
  void set_cell(Cell* cell) noexcept {
    DP_EXPECT(index_ == kNoIndex);
    cell_ = cell;
  }
  MemberIndex index() const noexcept { return index_; }
  bool entered() const noexcept { return index_ != kNoIndex; }

  // bit/s: upper limit of the rate of its slots.
  std::uint64_t limit() const noexcept { return limit_; }
  void set_limit(std::uint64_t rate) noexcept { limit_ = rate; }

  // The measured rate of its slots; owned by its link.
  ServedRate& served() noexcept { return rate_served_; }
  const ServedRate& served() const noexcept { return rate_served_; }

  // False, without effect, if its radio takes no reports.
  bool report(std::uint64_t rate, Time now) noexcept {
    if (!radio_.report(rate, now)) return false;
    reported_at_.set(static_cast<std::uint64_t>(ns(now)));
    return true;
  }
  // Exchanges its radio with that of `fresh`.
  void adopt(CellMember& fresh) noexcept { std::swap(radio_, fresh.radio_); }

  // Also read by control: number of slots granted to it in any cell; its mean rate at the last of them in
  // bit/s; time of the last reported rate, 0 if there is none.
  std::uint64_t slots() const noexcept { return slots_.get(); }
  std::uint64_t mean() const noexcept { return mean_.get(); }
  std::uint64_t reported_at() const noexcept { return reported_at_.get(); }

 private:
  friend class Cell;

  Cell* cell_ = nullptr;
  WorkerTimer* leg_ = nullptr;  // null without an index; serves the bits that a slot carried
  MemberIndex index_ = kNoIndex;
  std::uint64_t limit_ = 0;
  std::uint64_t carried_ = 0;  // bits of the ended slot, in 1 / kCellUnitsPerBit bit, until collected
  std::uint64_t served_ = 0;   // SlotUser::served
  double held_ = -1;           // mean rate held while idle; negative: not held
  Counter slots_, mean_, reported_at_;
  ServedRate rate_served_;
  Radio radio_;
};

}  // namespace dp
