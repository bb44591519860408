// The channel models. A new one is a file beside this and its name in the list.
#pragma once
#include "dataplane/base/typelist.h"
#include "dataplane/link/channel/bernoulli.h"
#include "dataplane/link/channel/channel.h"
#include "dataplane/link/channel/markov.h"
#include "dataplane/link/channel/none.h"
#include "dataplane/link/channel/trace.h"

namespace dp {

using ChannelList = TypeList<NoErrors, Bernoulli, Markov, Trace>;
using ChannelSlot = ChannelList::Variant;  // ChannelList::make_named(model, settings, rng)

template <ChannelModel... Cs>
constexpr bool all_are_channels(TypeList<Cs...>) {
  return true;
}
static_assert(all_are_channels(ChannelList{}));

}  // namespace dp
