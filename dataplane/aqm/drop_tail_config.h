// Settings and texts, for configuration and control, of `drop-tail`; the policy itself is aqm/drop_tail.h.
#pragma once
#include <string_view>

#include "dataplane/base/fields.h"

namespace dp {

struct DropTailSpec {
  static constexpr std::string_view kName = "drop-tail";
  static constexpr std::string_view kDoc = "drops arriving SDUs when the buffer's limit is reached";
  struct Config {
    static constexpr FieldTable<> kFields{};
    friend bool operator==(const Config&, const Config&) = default;
  };
};

}  // namespace dp
