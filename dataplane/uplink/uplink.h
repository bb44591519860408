// Table of contents of the path UE -> core: one file a stage, in this order. The ACK stages see frames that
// have crossed the link.
// Tests: tests/contract/spine_contract_test.cc
#pragma once
#include <array>
#include <string_view>

#include "dataplane/uplink/ack.h"
#include "dataplane/uplink/classify.h"
#include "dataplane/uplink/cross.h"
#include "dataplane/uplink/distribute.h"
#include "dataplane/uplink/forward.h"
#include "dataplane/uplink/parse.h"
#include "dataplane/uplink/proxy.h"

namespace dp::uplink {

inline constexpr std::array<std::string_view, 7> kStages{"parse", "distribute", "classify", "cross",
                                                         "ack",   "proxy",      "forward"};

// Receives frames of this worker's own UEs: after distribute(), or handed over by another worker.
inline void receive_own(Burst& burst, BearerTable& table, Context& context) noexcept {
  classify(burst, table, context);
  cross(burst, context);
}

// Receives a burst from a port.
inline void receive(Burst& burst, BearerTable& table, Context& context) noexcept {
  parse(burst, context);
  distribute(burst, context);
  receive_own(burst, table, context);
}

}  // namespace dp::uplink
