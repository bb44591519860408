// Rates of slots as reported by a component that knows the true radio. Old reports expire: otherwise a UE
// that left coverage during a good period would keep the cell.
// Tests: tests/unit/sched/radio/radio_test.cc
#pragma once
#include "dataplane/sched/radio/model.h"
#include "dataplane/sched/radio/registry.h"

namespace dp {

class ReportedRadio : public ReportedSpec {
 public:
  ReportedRadio(const RadioSettings& settings, std::uint64_t) noexcept
      : initial_(settings.initial), valid_(settings.valid) {}

  // `now` is by the worker's clock. The report is valid for slots that begin before `now` plus the settings'
  // `valid`.
  void report(std::uint64_t rate, Time now) noexcept {
    reported_ = rate;
    until_ = now + valid_;
    fresh_ = true;
  }
  std::uint64_t rate(const CellSlot& slot) noexcept {
    if (fresh_ && slot.now >= until_) {
      fresh_ = false;
      if (slot.stale_reports != nullptr) slot.stale_reports->add(1);
    }
    return fresh_ ? reported_ : initial_;
  }

 private:
  std::uint64_t initial_, reported_ = 0;  // bit/s
  Duration valid_;
  Time until_{};
  bool fresh_ = false;
};

}  // namespace dp
