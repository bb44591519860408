// Table of contents of the way UE -> core: one file a stage, in this order. What the ACK stages see has
// crossed the link.
#pragma once
#include <array>
#include <string_view>

#include "dataplane/uplink/ack.h"
#include "dataplane/uplink/classify.h"
#include "dataplane/uplink/cross.h"
#include "dataplane/uplink/forward.h"
#include "dataplane/uplink/parse.h"
#include "dataplane/uplink/proxy.h"
#include "dataplane/uplink/share.h"

namespace dp::uplink {

inline constexpr std::array<std::string_view, 7> kStages{"parse", "share", "classify", "cross",
                                                         "ack",   "proxy", "forward"};

// What is known to be of this worker's UEs: after share(), or handed over by another worker.
inline void receive_own(Burst& burst, BearerTable& table, Context& context) noexcept {
  classify(burst, table, context);
  cross(burst, context);
}

// What a port received.
inline void receive(Burst& burst, BearerTable& table, Context& context) noexcept {
  parse(burst, context);
  share(burst, context);
  receive_own(burst, table, context);
}

}  // namespace dp::uplink
