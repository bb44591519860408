// The mobile of an emulated HDR cell. Bearers with equal settings fade independently, each by its number.
// Tests: tests/unit/sched/closed_forms_test.cc
#pragma once
#include "dataplane/sched/radio/hdr_channel.h"
#include "dataplane/sched/radio/model.h"
#include "dataplane/sched/radio/registry.h"

namespace dp {

class HdrRadio : public HdrSpec {
 public:
  HdrRadio(const RadioSettings& settings, std::uint64_t number) noexcept : channel_(settings, number) {}

  std::uint64_t rate(const CellSlot& slot) noexcept { return channel_.rate(slot.number, slot.per_second); }

 private:
  HdrChannel channel_;
};

}  // namespace dp
