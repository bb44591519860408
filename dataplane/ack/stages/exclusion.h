// ACK stages that cannot work beside each other.
#pragma once
#include <array>
#include <string_view>

namespace dp {

// A stage that another one cannot work beside, and why. A stage for which there are such lists them in
// `static constexpr std::array kExcludes{AckExclusion{...}}`; one of the two is enough.
struct AckExclusion {
  std::string_view other, why;
  bool behind_only = false;  // the stage that lists it may stand before the other, and only there
};

// Whether a stage `S` says why it cannot stand with the stage called `other`, behind it or before it; empty
// when it can, for all it says.
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
