// Gives an object access to the worker's context during a call only: the object has a pointer, null between
// two calls, and each call creates a Visit.
#pragma once
#include "dataplane/base/expect.h"

namespace dp {

struct Context;

class Visit {
 public:
  // Requires: no call is active in the object.
  Visit(Context*& place, Context& context) : place_(place) {
    DP_EXPECT(place == nullptr);
    place_ = &context;
  }
  ~Visit() { place_ = nullptr; }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

 private:
  Context*& place_;
};

}  // namespace dp
