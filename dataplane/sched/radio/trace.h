// A link as somebody recorded it, again from the start when the trace ends.
#pragma once
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
    const std::uint64_t packets = trace_->until(slot.end) - trace_->until(slot.begin);
    return packets * RadioTrace::kBits * slot.per_second;
  }

 private:
  std::shared_ptr<const RadioTrace> trace_;
};

}  // namespace dp
