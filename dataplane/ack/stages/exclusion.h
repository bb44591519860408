// ACK stages that cannot be combined.
// Tests: tests/unit/config/ack_test.cc
#pragma once
#include <array>
#include <string_view>

namespace dp {

// A stage with which another one cannot be combined, and why. A stage lists such others in `static constexpr
// std::array kExcludes{AckExclusion{...}}`; an entry at one of both is enough.
struct AckExclusion {
  std::string_view other, why;
  bool behind_only = false;  // the listing stage may be before the other, but not behind it
};

// The reason for which `S` excludes the stage called `other` behind or before it; empty if it does not.
template <class S>
constexpr std::string_view excludes(std::string_view other, bool stands_behind) {
  if constexpr (requires { S::kExcludes; }) {
    for (const AckExclusion& one : S::kExcludes) {
      if (one.other == other && (stands_behind || !one.behind_only)) return one.why;
    }
  }
  return {};
}

}  // namespace dp
