// ACK stages that cannot work beside each other.
#pragma once
#include <string_view>

namespace dp {

// A stage that another one cannot work beside, and why. A stage for which there are such lists them in
// `static constexpr std::array kExcludes{AckExclusion{...}}`; one of the two is enough.
struct AckExclusion {
  std::string_view other, why;
};

}  // namespace dp
