// The `shaper` link for configuration and control; the link itself is link/shaper.h.
#pragma once
#include <string_view>

#include "dataplane/base/fields.h"

namespace dp {

struct ShaperSpec {
  static constexpr std::string_view kName = "shaper";
  static constexpr std::string_view kDoc = "a dedicated channel that serves at the bearer's rate";
  static constexpr bool kBuffers = true;
  struct Config {
    static constexpr FieldTable<> kFields{};
    friend bool operator==(const Config&, const Config&) = default;
  };
};

}  // namespace dp
