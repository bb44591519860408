// Settings and texts, for configuration and control, of the stage `snoop`; the stage itself is
// ack/stages/snoop.h.
#pragma once
#include <array>
#include <string_view>

#include "dataplane/ack/stages/exclusion.h"
#include "dataplane/ack/stages/repair_config.h"

namespace dp {

struct SnoopSpec : RepairSpec {
  static constexpr std::string_view kName = "snoop";
  static constexpr std::string_view kDoc =
      "keeps segments until the UE has them, sends again what the radio has lost, and keeps the duplicate "
      "ACKs of such losses from the source";
  static constexpr std::array kExcludes{
      AckExclusion{"window-regulator", "that one holds ACKs which tell this one of losses"},
      AckExclusion{"ack-regulator", "that one holds ACKs which tell this one of losses"},
      AckExclusion{"ack-rate", "that one holds ACKs which tell this one of losses", true},
      AckExclusion{"new-snoop", "both keep and repair the same segments"}};
  using Config = RepairConfig<10>;
};

}  // namespace dp
