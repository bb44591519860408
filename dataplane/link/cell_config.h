// What configuration and control know of `cell`; the link itself is link/cell.h.
#pragma once
#include <string_view>

#include "dataplane/sched/radio/hdr_settings.h"

namespace dp {

struct CellSpec {
  static constexpr std::string_view kName = "cell";
  static constexpr std::string_view kDoc =
      "slots of an HDR cell, shared with other bearers and at rates that fade; `rate` is the highest. In "
      "rnclab only";
  static constexpr bool kBuffers = true;
  using Config = HdrSettings;
};

}  // namespace dp
