// A problem of a configuration, for the operator: its place, what was found, what was expected and how to
// mend it. Plain values.
// Tests: tests/unit/config/choice_test.cc
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/base/expect.h"

namespace config {

struct Problem {
  std::string source;        // file name, `--set KEY=VALUE` or variable; empty: a request on the socket
  std::uint32_t line = 0;    // from 1; 0: the source has no lines
  std::uint32_t column = 0;  // from 1
  std::string path;          // the key, from the root: classes.internet.downlink.rate
  std::string message;
  int os_error = 0;  // errno when the file could not be read
};

// "FILE:LINE:COLUMN: path: message", without empty parts.
std::string to_string(const Problem& problem);

// A value, or every reason why there is none.
template <class T>
struct [[nodiscard]] Checked {
  std::optional<T> value;
  std::vector<Problem> problems;

  explicit operator bool() const { return value.has_value(); }
  // Requires (all three): there is a value.
  T& operator*() {
    DP_EXPECT(value.has_value());
    return *value;
  }
  const T& operator*() const {
    DP_EXPECT(value.has_value());
    return *value;
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }
};

}  // namespace config
