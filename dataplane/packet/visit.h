// Gives an object access to the worker's context during a call only: the object has a pointer, null between
// two calls, and each call creates a Visit.
#pragma once
#include "dataplane/base/expect.h"

namespace dp {

struct Context;

class Visit {
 public:
  // Requires: no call is active in the object.
  Visit(Context*& current, Context& context) : current_(current) {
    DP_EXPECT(current == nullptr);
    current_ = &context;
  }
  ~Visit() { current_ = nullptr; }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

 private:
  Context*& current_;
};

}  // namespace dp
