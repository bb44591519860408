// libFuzzer target: a row of segments of both directions, as flow_check.h reads them.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/flow_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (const char* fault = dp::test::flow_fault(std::as_bytes(std::span(data, size)))) {
    std::fprintf(stderr, "flow: %s\n", fault);
    std::abort();
  }
  return 0;
}
