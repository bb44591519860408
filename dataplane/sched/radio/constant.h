// Constant rate in every slot: a sector of constant capacity, shared by bearers.
// Tests: tests/unit/sched/radio/radio_test.cc
#pragma once
#include "dataplane/sched/radio/model.h"
#include "dataplane/sched/radio/registry.h"

namespace dp {

class ConstantRadio : public ConstantSpec {
 public:
  ConstantRadio(const RadioSettings& settings, std::uint64_t) noexcept : rate_(settings.rate) {}

  std::uint64_t rate(const CellSlot&) noexcept { return rate_; }

 private:
  std::uint64_t rate_;
};

}  // namespace dp
