// Errors without memory: each frame is lost with the same probability, independently of others.
// Tests: tests/contract/channel_contract_test.cc
#pragma once
#include "dataplane/link/channel/channel.h"
#include "dataplane/link/channel/registry.h"

namespace dp {

class Bernoulli : public BernoulliSpec {
 public:
  Bernoulli(const ChannelSettings& settings, Rng rng) noexcept : fer_(settings.fer), rng_(rng) {}

  // A generator for each frame: the result does not depend on the other frames queried.
  bool lost(std::uint64_t frame) noexcept { return rng_.fork(frame).chance(fer_); }

 private:
  double fer_;
  Rng rng_;
};

}  // namespace dp
