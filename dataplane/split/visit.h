// For the sources of SplitProxy alone: the worker's context is at hand while the worker calls, and only then.
#pragma once
#include "dataplane/base/expect.h"
#include "dataplane/split/proxy.h"

namespace dp {

class SplitProxy::Visit {
 public:
  Visit(SplitProxy& proxy, Context& context) : place_(proxy.context_) {
    DP_EXPECT(place_ == nullptr && proxy.stats_ != nullptr && proxy.exit_.leg != nullptr);
    place_ = &context;
  }
  ~Visit() { place_ = nullptr; }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

 private:
  Context*& place_;
};

}  // namespace dp
