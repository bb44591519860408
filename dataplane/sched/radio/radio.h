// A bearer's radio: the rate of each of its cell's slots. Part of the bearer's membership
// (sched/cell_member.h).
#pragma once
#include <cstdint>
#include <variant>

#include "dataplane/sched/radio/engines.h"

namespace dp {

class Radio {
 public:
  // `number` distinguishes bearers with equal settings.
  Radio(const RadioConfig& settings, std::uint64_t number) noexcept
      : model_(RadioEngines::make_named(static_cast<std::size_t>(settings.radio), settings, number)) {}

  // bit/s; 0 if that slot would carry nothing. Requires: slots ascend.
  std::uint64_t rate(const CellSlot& slot) noexcept {
    return std::visit([&](auto& model) { return model.rate(slot); }, model_);
  }

  // False, without effect, for a model without reports.
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
