// Cells whose bearers always have something to send: what `rncbench cell` times. Plain: no rte_ names.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "dataplane/sched/cell_settings.h"
#include "dataplane/sched/radio/registry.h"

namespace dp::yardstick {

struct CellPlan {
  std::uint32_t cells = 1;
  std::uint32_t bearers = 4;  // in each cell, all with an SDU that never ends
  SchedulerConfig scheduler;
  RadioConfig radio;
};

// The worker's calendar with the cells' timers and legs in it, under a clock that is moved by hand.
class CellSubject {
 public:
  virtual ~CellSubject() = default;
  // TSC cycles of the next slot of every cell, in the order in which they begin.
  virtual std::uint64_t round() noexcept = 0;
  // Slots of all cells that were given to a bearer so far.
  virtual std::uint64_t given() const noexcept = 0;
};
std::unique_ptr<CellSubject> make_cells(const CellPlan& plan);

}  // namespace dp::yardstick
