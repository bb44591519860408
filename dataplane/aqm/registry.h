// The AQM policies. A new one is a file beside this and its name in the list: configuration, help, metrics
// labels, reference table and contract tests follow from it.
#pragma once
#include "dataplane/aqm/drop_tail.h"
#include "dataplane/aqm/pdpc.h"
#include "dataplane/aqm/policy.h"
#include "dataplane/aqm/red.h"
#include "dataplane/aqm/sbd.h"
#include "dataplane/base/typelist.h"

namespace dp {

using AqmList = TypeList<DropTail, Red, Pdpc, Sbd>;

using AqmSlot = AqmList::Variant;
using AqmConfig = AqmList::Configs;

template <AqmPolicy... Ps>
constexpr bool all_are_policies(TypeList<Ps...>) {
  return true;
}
static_assert(all_are_policies(AqmList{}));

}  // namespace dp
