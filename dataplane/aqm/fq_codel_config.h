// Settings and texts, for configuration and control, of `fq-codel`; the policy itself is aqm/fq_codel.h.
#pragma once
#include <cstdint>
#include <string_view>

#include "dataplane/aqm/codel_config.h"
#include "dataplane/base/fields.h"

namespace dp {

struct FqCodelSpec {
  static constexpr std::string_view kName = "fq-codel";
  static constexpr std::string_view kDoc =
      "a queue for each flow, served in turns, CoDel in each; overflow drops from the longest";
  struct Config : CodelSettings {
    std::uint32_t flows = 1024;
    std::uint32_t quantum = 1514;
    friend bool operator==(const Config&, const Config&) = default;

    // clang-format off
    static constexpr FieldTable kOwnFields{
        Field{"flows", &Config::flows, Unit::count, 1u, 65'536u,
              "queues, into which flows are hashed; 80 bytes of memory each, for each bearer and direction",
              "RFC 8290 section 5.2.3"},
        Field{"quantum", &Config::quantum, Unit::bytes, 64u, 65'536u,
              "bytes of a flow's turn", "RFC 8290 section 5.2.4"},
    };
    // clang-format on
    static constexpr auto kFields = joined(CodelSettings::kFields, kOwnFields);
  };
};

}  // namespace dp
