// The implementations of the radio models, in the order of sched/radio/registry.h.
// Tests: tests/contract/radio_contract_test.cc
#pragma once
#include "dataplane/sched/radio/constant.h"
#include "dataplane/sched/radio/hdr.h"
#include "dataplane/sched/radio/model.h"
#include "dataplane/sched/radio/registry.h"
#include "dataplane/sched/radio/reported.h"
#include "dataplane/sched/radio/trace.h"

namespace dp {

using RadioEngines = TypeList<HdrRadio, ConstantRadio, ReportedRadio, TraceRadio>;
using AnyRadio = RadioEngines::Variant;  // RadioEngines::make_named(model, settings, number)
static_assert(kRuns<RadioEngines, RadioList>);

template <RadioModel... Rs>
constexpr bool all_are_radios(TypeList<Rs...>) {
  return true;
}
static_assert(all_are_radios(RadioEngines{}));

}  // namespace dp
