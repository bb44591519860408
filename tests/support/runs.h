// The number of times that a test repeats itself with another seed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace dp::test {

// All of `whole` runs. Where the environment has RNCD_RUNS_DIVIDED_BY=N, an N-th of them, and at least one:
// so tests/sanitize --short, whose builds are many times slower, runs the same code on fewer seeds.
inline std::uint32_t runs_of(std::uint32_t whole) {
  const char* const divisor = std::getenv("RNCD_RUNS_DIVIDED_BY");
  return divisor == nullptr ? whole
                            : std::max(1u, whole / std::max(1u, static_cast<unsigned>(std::atoi(divisor))));
}

// The step from one of the values 0 to `last` to the next that is tested: 1, or, if runs are divided, half of
// the way, so that the first, the middle and the last remain.
inline unsigned step_of(unsigned last) { return runs_of(last) < last ? last / 2 : 1; }

}  // namespace dp::test
