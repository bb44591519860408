// Settings and texts, for configuration and control, of the stage `new-snoop`; the stage itself is
// ack/stages/new_snoop.h.
#pragma once
#include <array>
#include <string_view>

#include "dataplane/ack/stages/exclusion.h"
#include "dataplane/ack/stages/repair_config.h"

namespace dp {

struct NewSnoopSpec : RepairSpec {
  static constexpr std::string_view kName = "new-snoop";
  static constexpr std::string_view kDoc =
      "`snoop` that keeps every duplicate ACK of a loss it repairs from the source, so that the source "
      "waits, and tries until the UE has the segment";
  static constexpr std::array kExcludes{
      AckExclusion{"window-regulator", "that one holds ACKs which tell this one of losses"},
      AckExclusion{"ack-regulator", "that one holds ACKs which tell this one of losses"},
      AckExclusion{"ack-rate", "that one holds ACKs which tell this one of losses", true}};
  using Config = RepairConfig<0>;
};

}  // namespace dp
