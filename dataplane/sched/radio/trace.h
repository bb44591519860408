// A recorded link, which repeats at the end of the trace.
// Tests: tests/unit/sched/radio/radio_test.cc
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

  // The packets that may leave between the slot's start and its end: a slot's bits are delivered at its end,
  // so that none is early, and with 1000 slots a second none is late.
  std::uint64_t rate(const CellSlot& slot) noexcept {
    if (trace_ == nullptr) return 0;
    const std::uint64_t packets = trace_->until(slot.end) - trace_->until(slot.begin);
    return packets * RadioTrace::kBits * slot.per_second;
  }

 private:
  std::shared_ptr<const RadioTrace> trace_;
};

}  // namespace dp
