// The worker's context is at hand in an object while the worker calls it, and only then: the object has a
// place for a pointer, which is null between two calls, and one of these for each call.
#pragma once
#include "dataplane/base/expect.h"

namespace dp {

struct Context;

class Visit {
 public:
  // Requires: nobody is in the object already.
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
