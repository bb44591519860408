// A test's input as libFuzzer gives it, read from its front.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "dataplane/packet/bytes.h"

namespace dp::test {

// Zeros when it is at its end.
class Input {
 public:
  explicit Input(Bytes bytes) : rest_(bytes) {}
  Input(const std::uint8_t* data, std::size_t size) : rest_(std::as_bytes(std::span(data, size))) {}
  bool empty() const { return rest_.empty(); }
  Bytes take(std::size_t n) {
    const Bytes head = rest_.first(std::min(n, rest_.size()));
    rest_ = rest_.subspan(head.size());
    return head;
  }
  unsigned byte() {
    const Bytes b = take(1);
    return b.empty() ? 0 : load8(b.data());
  }
  unsigned word() {
    const unsigned high = byte();
    return high << 8 | byte();
  }

 private:
  Bytes rest_;
};

// A finding, unless the rule was kept.
inline void expect(bool kept, const char* rule) {
  if (kept) return;
  std::fprintf(stderr, "broken: %s\n", rule);
  std::abort();
}

}  // namespace dp::test
