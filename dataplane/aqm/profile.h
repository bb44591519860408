// A profile: what a policy's parameters are at each of some rates. Made by the configuration and kept by
// control, which takes the numbers for a leg's rate from it; a worker reads those numbers alone.
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
  std::size_t policy = 0;  // its place in AqmList
  Duration rtt = std::chrono::milliseconds{250};
  std::uint32_t keys = 0;     // a bit for each row of the policy's field table that the points give
  std::vector<Point> points;  // at least one, by rising rate
  friend bool operator==(const AqmProfile&, const AqmProfile&) = default;
};

// Shared by all legs that follow it; compared by what it says, so that a file read again changes nothing.
struct AqmProfileRef {
  std::shared_ptr<const AqmProfile> ptr;

  explicit operator bool() const { return ptr != nullptr; }
  // Both require: there is one.
  const AqmProfile& operator*() const {
    DP_EXPECT(ptr != nullptr);
    return *ptr;
  }
  const AqmProfile* operator->() const { return &**this; }
  friend bool operator==(const AqmProfileRef& a, const AqmProfileRef& b) {
    return a.ptr == b.ptr || (a && b && *a == *b);
  }
};

// Where a leg's AQM parameters come from: a profile but for the rows of the field table that stand beside it.
struct AqmOrigin {
  AqmProfileRef profile;
  std::uint32_t own = 0;
  friend bool operator==(const AqmOrigin&, const AqmOrigin&) = default;
};

}  // namespace dp
