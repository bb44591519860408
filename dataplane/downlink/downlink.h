// Table of contents of the way core -> UE: one file a stage, in this order.
#pragma once
#include <array>
#include <string_view>

#include "dataplane/downlink/classify.h"
#include "dataplane/downlink/deliver.h"
#include "dataplane/downlink/enqueue.h"
#include "dataplane/downlink/parse.h"
#include "dataplane/downlink/serve.h"

namespace dp::downlink {

inline constexpr std::array<std::string_view, 5> kStages{"parse", "classify",
                                                         "enqueue",            // as the frame comes
                                                         "serve", "deliver"};  // when the link says so

inline void receive(Burst& burst, BearerTable& table, Context& context) noexcept {
  parse(burst, context);
  classify(burst, table, context);
  enqueue(burst, context);
}

}  // namespace dp::downlink
