// The cells of a worker; owned by control.
// Tests: tests/unit/sched/cell_life_test.cc
#pragma once
#include <utility>

#include "dataplane/base/expect.h"
#include "dataplane/sched/cell.h"

namespace dp {

class CellList {
 public:
  // Requires: the cell is in no list.
  void add(Cell& cell) noexcept {
    DP_EXPECT(cell.next == nullptr && first_ != &cell);
    cell.next = std::exchange(first_, &cell);
  }
  // Requires: the cell is in this list.
  void remove(Cell& cell) noexcept {
    Cell** at = &first_;
    while (*at != nullptr && *at != &cell) at = &(*at)->next;
    DP_EXPECT(*at != nullptr);
    *at = std::exchange(cell.next, nullptr);
  }
  void postpone(Duration pause) noexcept {
    for (Cell* cell = first_; cell != nullptr; cell = cell->next) cell->postpone(pause);
  }

 private:
  Cell* first_ = nullptr;
};

}  // namespace dp
