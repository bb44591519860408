// The cells that exist: the settings sent for each, and the object that a worker has. Belongs to the control
// thread, which makes and frees them. Requires: it outlives the workers' last poll.
// Tests: tests/unit/control/plane/cells_test.cc
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "control/workers/command_sender.h"
#include "dataplane/bearer/settings.h"
#include "dataplane/sched/cell.h"
#include "dataplane/worker/rate_sheet.h"

namespace control {

struct CellRecord {
  std::string name;
  dp::CellSettings settings;  // the last settings sent to its worker
  std::unique_ptr<dp::Cell> cell;
  bool lent = false;  // its worker has received it
};

class CellRecords {
 public:
  using Map = std::map<std::string, std::unique_ptr<CellRecord>, std::less<>>;
  using Reports = std::vector<dp::RateSheet::Report>;

  explicit CellRecords(CommandSender& sender) : sender_(sender), places_(sender.workers()) {}

  // By name.
  const Map& all() const { return records_; }
  const CellRecord* find(std::string_view name) const;
  CellRecord* find(std::string_view name) {
    return const_cast<CellRecord*>(static_cast<const CellRecords*>(this)->find(name));
  }
  // Requires: it is in here.
  CellRecord& of(const dp::Cell& cell);

  // Makes a cell for the worker whose cells have the fewest places; no worker knows it yet. Requires: there
  // is none of that name.
  CellRecord& make(const std::string& name, const dp::CellSettings& settings);
  // All of these require: the cell is in here.
  // Lends the cell to its worker: from here on bearers may enter. Requires: it was not lent.
  void lend(CellRecord& cell);
  // Frees a cell that was never lent.
  void discard(CellRecord& cell);
  // Changes a cell from its next slot on. Requires: the cell was lent, and has as many members as before.
  void change(CellRecord& cell, const dp::CellSettings& settings, std::function<void()> then);
  // Frees the cell, unless a bearer has a room in it: `then` receives whether it is gone. Requires: it was
  // lent; no rule leads UEs to it.
  void remove(CellRecord& cell, std::function<void(bool gone)> then);
  // Passes to the worker reports of the bits that the next slots would carry; `then` receives the number of
  // UEs that have no bearer in the cell, or a radio that takes no reports.
  void report(const CellRecord& cell, const Reports& reports,
              std::function<void(std::uint32_t unknown)> then);

 private:
  void erase(const CellRecord& cell);

  CommandSender& sender_;
  Map records_;
  std::unordered_map<const dp::Cell*, CellRecord*> by_object_;
  std::vector<std::uint64_t> places_;  // places of all cells of each worker
  std::uint64_t made_ = 0;
};

// Frees the cells that were made for a change, unless it was begun and they were lent.
class NewCells {
 public:
  explicit NewCells(CellRecords& cells) : cells_(cells) {}
  NewCells(const NewCells&) = delete;
  NewCells& operator=(const NewCells&) = delete;
  ~NewCells() {
    for (auto it = cells_.all().begin(); it != cells_.all().end();) {
      CellRecord& cell = *it++->second;  // before it goes
      if (!cell.lent) cells_.discard(cell);
    }
  }

 private:
  CellRecords& cells_;
};

// True if the two agree: settings whose downlink shares slots have a cell, others have none.
inline bool fits(const dp::BearerSettings& settings, const CellRecord* cell) {
  return dp::uses_cell(settings) == (cell != nullptr);
}

}  // namespace control
