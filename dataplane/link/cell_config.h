// The `cell` link for configuration and control; the link itself is link/cell.h.
#pragma once
#include <string_view>

#include "dataplane/sched/radio/registry.h"

namespace dp {

struct CellSpec {
  static constexpr std::string_view kName = "cell";
  static constexpr std::string_view kDoc =
      "slots of a cell, shared with other bearers; its `radio` says what each would carry, `rate` is the "
      "highest";
  static constexpr bool kBuffers = true;
  using Config = RadioConfig;
};

}  // namespace dp
