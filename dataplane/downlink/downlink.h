// Table of contents of the path core -> UE: one file a stage, in this order.
// Tests: tests/contract/spine_contract_test.cc
#pragma once
#include <array>
#include <string_view>

#include "dataplane/downlink/classify.h"
#include "dataplane/downlink/deliver.h"
#include "dataplane/downlink/distribute.h"
#include "dataplane/downlink/enqueue.h"
#include "dataplane/downlink/parse.h"
#include "dataplane/downlink/proxy.h"
#include "dataplane/downlink/serve.h"

namespace dp::downlink {

inline constexpr std::array<std::string_view, 7> kStages{"parse", "distribute", "classify",
                                                         "proxy", "enqueue",   // on arrival
                                                         "serve", "deliver"};  // when the link serves

// Receives frames of this worker's own UEs: after distribute(), or handed over by another worker.
inline void receive_own(Burst& burst, BearerTable& table, Context& context) noexcept {
  classify(burst, table, context);
  enqueue(burst, context);
}

// Receives a burst from a port.
inline void receive(Burst& burst, BearerTable& table, Context& context) noexcept {
  parse(burst, context);
  distribute(burst, context);
  receive_own(burst, table, context);
}

}  // namespace dp::downlink
