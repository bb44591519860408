// libFuzzer target: segments of both sides of a split proxy, as split_check.h reads them.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/split_check.h"

// Failures that the bench reports count as well.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  GTEST_FLAG_SET(break_on_failure, true);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (const char* fault = dp::test::split_fault(std::as_bytes(std::span(data, size)))) {
    std::fprintf(stderr, "split: %s\n", fault);
    std::abort();
  }
  return 0;
}
