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

namespace dp::uplink {

inline constexpr std::array<std::string_view, 5> kStages{"parse", "classify", "cross", "ack", "forward"};

inline void receive(Burst& burst, BearerTable& table, Context& context) noexcept {
  parse(burst, context);
  classify(burst, table, context);
  cross(burst, context);
}

}  // namespace dp::uplink
