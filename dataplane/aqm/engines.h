// The implementations of the AQM policies, in the order of aqm/registry.h.
// Tests: tests/contract/aqm_contract_test.cc
#pragma once
#include <array>

#include "dataplane/aqm/codel.h"
#include "dataplane/aqm/drop_tail.h"
#include "dataplane/aqm/fq_codel.h"
#include "dataplane/aqm/pdpc.h"
#include "dataplane/aqm/pie.h"
#include "dataplane/aqm/policy.h"
#include "dataplane/aqm/red.h"
#include "dataplane/aqm/registry.h"
#include "dataplane/aqm/sbd.h"

namespace dp {

using AqmEngines = TypeList<DropTail, Red, Pdpc, Sbd, Codel, Pie, FqCodel>;
using AnyAqm = AqmEngines::Variant;
static_assert(kRuns<AqmEngines, AqmList>);

template <AqmPolicy... Ps>
constexpr bool all_are_policies(TypeList<Ps...>) {
  return true;
}
static_assert(all_are_policies(AqmEngines{}));

// True if the policy can return anything but `pass`: is_active() in aqm/policy.h.
inline bool is_active(const AqmConfig& aqm) noexcept {
  static constexpr std::array kActive = AqmEngines::each([]<class P>(TypeTag<P>) { return is_active<P>(); });
  return kActive[aqm.index()];
}

}  // namespace dp
