// The gate of a leg: whether its SDUs pass. The core closes one with PFCP's Gate Status (TS 29.244 clause
// 8.2.7), and holds the downlink of an idle UE with the Apply Action BUFF (clause 8.2.26).
// Tests: tests/contract/link_contract_test.cc, tests/unit/config/gate_test.cc
#pragma once
#include "dataplane/base/named_enum.h"

namespace dp {

#define DP_GATES(X)                                                                    \
  X(open, "SDUs pass")                                                                 \
  X(hold, "SDUs wait in the buffer, whose limits and AQM apply, until the gate opens") \
  X(closed, "SDUs are dropped, those that wait too")

DP_NAMED_ENUM(Gate, DP_GATES)

}  // namespace dp
