// A link as somebody recorded it, again from the start when the trace ends.
#pragma once
#include <algorithm>

#include "dataplane/base/expect.h"
#include "dataplane/sched/radio/model.h"
#include "dataplane/sched/radio/registry.h"

namespace dp {

class TraceRadio : public RadioTraceSpec {
 public:
  TraceRadio(const RadioSettings& settings, std::uint64_t) noexcept : trace_(settings.trace) {
    DP_EXPECT(trace_ == nullptr || (!trace_->at.empty() && trace_->at.back() > 0));
  }

  // The packets that may leave after the slot's beginning, up to its end: what a slot carries is delivered
  // when it ends, so none is early, and with 1000 slots a second none is late.
  std::uint64_t rate(const CellSlot& slot) noexcept {
    if (trace_ == nullptr) return 0;
    const std::uint64_t packets = until(slot.end) - until(slot.begin);
    return packets * RadioTrace::kBits * slot.per_second;
  }

 private:
  // How many may have left by `t`, beginning at 0.
  std::uint64_t until(Time t) const noexcept {
    constexpr std::uint64_t kNsPerMs = 1'000'000;
    const std::uint64_t ms = static_cast<std::uint64_t>(std::max<std::int64_t>(ns(t), 0)) / kNsPerMs;
    const auto& at = trace_->at;
    const auto upto = std::upper_bound(at.begin(), at.end(), ms % at.back());
    return ms / at.back() * at.size() + static_cast<std::uint64_t>(upto - at.begin());
  }

  std::shared_ptr<const RadioTrace> trace_;
};

}  // namespace dp
