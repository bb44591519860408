#include "dataplane/base/expect.h"

#include <cstdio>
#include <cstdlib>

namespace dp {

void expectation_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "%s:%d: required, and does not hold: %s\n", file, line, condition);
  std::abort();
}

}  // namespace dp
