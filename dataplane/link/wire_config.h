// The `wire` link for configuration and control; the link itself is link/wire.h.
#pragma once
#include <string_view>

#include "dataplane/base/fields.h"

namespace dp {

struct WireSpec {
  static constexpr std::string_view kName = "wire";
  static constexpr std::string_view kDoc = "no limit; frames cross at once";
  static constexpr bool kBuffers = false;
  struct Config {
    static constexpr FieldTable<> kFields{};
    friend bool operator==(const Config&, const Config&) = default;
  };
};

}  // namespace dp
