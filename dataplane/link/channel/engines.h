// The channel models as the air runs them, in the order of link/channel/registry.h.
// Tests: tests/contract/channel_contract_test.cc
#pragma once
#include "dataplane/link/channel/bernoulli.h"
#include "dataplane/link/channel/channel.h"
#include "dataplane/link/channel/markov.h"
#include "dataplane/link/channel/none.h"
#include "dataplane/link/channel/registry.h"
#include "dataplane/link/channel/trace.h"

namespace dp {

using ChannelEngines = TypeList<NoErrors, Bernoulli, Markov, Trace>;
using AnyChannel = ChannelEngines::Variant;  // ChannelEngines::make_named(model, settings, rng)
static_assert(kRuns<ChannelEngines, ChannelList>);

template <ChannelModel... Cs>
constexpr bool all_are_channels(TypeList<Cs...>) {
  return true;
}
static_assert(all_are_channels(ChannelEngines{}));

}  // namespace dp
