// The effect of telling a bearer its tunnel (TunnelBook::tell).
// Tests: tests/unit/worker/tunnel_told_test.cc
#pragma once
#include "dataplane/base/named_enum.h"

namespace dp {

#define DP_TUNNEL_TOLDS(X)                                               \
  X(unchanged, "it was the tunnel already")                              \
  X(changed, "the tunnel is another, and no SDU of the downlink waited") \
  X(kept, "SDUs that wait leave in the tunnel in which they came")       \
  X(rewritten, "SDUs that wait leave in the new tunnel")                 \
  X(sent, "SDUs that waited have left at once, in the tunnel in which they came")
DP_NAMED_ENUM(TunnelTold, DP_TUNNEL_TOLDS)

}  // namespace dp
