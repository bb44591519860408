// A profile: a policy's parameters at some rates. Created by the configuration and kept by control, which
// computes the parameters for a leg's rate; a worker sees only the result.
// Tests: tests/unit/config/profiles_test.cc
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dataplane/aqm/registry.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/time.h"

namespace dp {

struct AqmProfile {
  struct Point {
    std::uint64_t rate = 0;  // bit/s
    AqmConfig values;
    friend bool operator==(const Point&, const Point&) = default;
  };

  std::string name;
  std::string source;
  std::size_t policy = 0;  // its index in AqmList
  Duration rtt = std::chrono::milliseconds{250};
  std::uint32_t keys = 0;     // a bit for each row of the policy's field table given in the points
  std::vector<Point> points;  // at least one, in order of rising rate
  friend bool operator==(const AqmProfile&, const AqmProfile&) = default;
};

// Shared by all legs that follow it; compared by value, so that reading a file again changes nothing.
struct AqmProfileRef {
  std::shared_ptr<const AqmProfile> ptr;

  explicit operator bool() const { return ptr != nullptr; }
  // Requires (both): not null.
  const AqmProfile& operator*() const {
    DP_EXPECT(ptr != nullptr);
    return *ptr;
  }
  const AqmProfile* operator->() const { return &**this; }
  friend bool operator==(const AqmProfileRef& a, const AqmProfileRef& b) {
    return a.ptr == b.ptr || (a && b && *a == *b);
  }
};

// The origin of a leg's AQM parameters: a profile, and the rows of the field table given beside it.
struct AqmOrigin {
  AqmProfileRef profile;
  std::uint32_t own = 0;
  friend bool operator==(const AqmOrigin&, const AqmOrigin&) = default;
};

}  // namespace dp
