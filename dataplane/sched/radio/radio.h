// A bearer's radio: what the slots of the cell that it is in would carry to it. Lives in what the bearer
// has of its own there (sched/cell_member.h).
#pragma once
#include <cstdint>
#include <variant>

#include "dataplane/sched/radio/engines.h"

namespace dp {

class Radio {
 public:
  // `number` tells apart bearers of like settings.
  Radio(const RadioConfig& settings, std::uint64_t number) noexcept
      : model_(RadioEngines::make_named(static_cast<std::size_t>(settings.radio), settings, number)) {}

  // bit/s, 0 when that slot would carry nothing. Requires: slots ascend.
  std::uint64_t rate(const CellSlot& slot) noexcept {
    return std::visit([&](auto& model) { return model.rate(slot); }, model_);
  }

  // False for a model that no reports are for: nothing has changed.
  bool report(std::uint64_t rate, Time now) noexcept {
    auto* const reported = std::get_if<ReportedRadio>(&model_);
    if (reported == nullptr) return false;
    reported->report(rate, now);
    return true;
  }

 private:
  AnyRadio model_;
};

}  // namespace dp
