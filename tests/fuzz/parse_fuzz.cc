// libFuzzer target. Input: one byte for what lies behind the first segment (in units of 8 bytes), then the
// first segment.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/parse_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const dp::Bytes head = std::as_bytes(std::span(data + 1, size - 1));
  if (const char* fault = dp::test::parse_fault(head, data[0] * 8u)) {
    std::fprintf(stderr, "parse: %s\n", fault);
    std::abort();
  }
  return 0;
}
