// How often a test repeats itself with another seed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace dp::test {

// All of them; or, in an environment with RNCD_RUNS_DIVIDED_BY, that part, and at least one. Builds that are
// many times slower set it: the same code runs on fewer draws.
inline std::uint32_t runs_of(std::uint32_t whole) {
  const char* const divisor = std::getenv("RNCD_RUNS_DIVIDED_BY");
  return divisor == nullptr ? whole
                            : std::max(1u, whole / std::max(1u, static_cast<unsigned>(std::atoi(divisor))));
}

}  // namespace dp::test
