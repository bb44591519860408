// A channel without errors.
// Tests: tests/contract/channel_contract_test.cc
#pragma once
#include "dataplane/link/channel/channel.h"
#include "dataplane/link/channel/registry.h"

namespace dp {

class NoErrors : public NoErrorsSpec {
 public:
  NoErrors(const ChannelSettings&, Rng) noexcept {}
  bool lost(std::uint64_t) noexcept { return false; }
};

}  // namespace dp
