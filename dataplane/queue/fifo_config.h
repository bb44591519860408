// The `fifo` queue for configuration and control: SDUs wait in it by default.
#pragma once
#include <string_view>

#include "dataplane/base/fields.h"

namespace dp {

struct FifoSpec {
  static constexpr std::string_view kName = "fifo";
  static constexpr std::string_view kDoc = "SDUs leave in the order in which they came";
  struct Config {
    static constexpr FieldTable<> kFields{};
    friend bool operator==(const Config&, const Config&) = default;
  };
};

}  // namespace dp
