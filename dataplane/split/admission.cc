// Connections get and give up their slots here: those of the bearer, and those in the store that all proxies
// of a worker share.
#include <algorithm>

#include "dataplane/base/expect.h"
#include "dataplane/split/proxy.h"

namespace dp {
namespace {

// Bounds of one search for a slot, however much is stored.
constexpr std::uint32_t kMostProxies = 4, kMostFlows = 8;
// A connection with nothing stored gives its slot to another of its bearer after this time without a
// segment.
constexpr Duration kQuiet = std::chrono::seconds(1);

}  // namespace

// True if the store has room for one connection more. It is found, or made, for a bearer that stays within
// its share; what is made so by connections that are let go later on is kept for such bearers for a while.
bool SplitProxy::gets_share() noexcept {
  FairStore& store = context_->proxy_store;
  const bool wanted = context_->now < context_->proxy_wanted_until;
  const std::uint64_t share = store.share_of(share_, wanted);
  const bool within = share_.held() + capacity_.segments <= share;
  if (!within && wanted) return false;
  if (store.has_space(capacity_.segments)) return true;
  if (!within) return false;
  for (std::uint32_t looked = 0; looked < kMostProxies; ++looked) {
    FairStore::Holder* const holder = store.next_of_the_largest();
    if (holder == nullptr || holder->held() <= share) continue;
    SplitProxy& other = *static_cast<Share*>(holder)->proxy;
    DP_EXPECT(&other != this);
    const Way way = other.give_way(*context_);
    if (way == Way::now && store.has_space(capacity_.segments)) return true;
    if (way == Way::soon) break;
  }
  context_->proxy_wanted_until = context_->now + config_.give_way;
  return false;
}

// One connection of this bearer, which has more than its share, gives way: at once if nothing is at risk, or
// by a reset if the UE has stopped acknowledging, else by a drain, unless one is draining already.
SplitProxy::Way SplitProxy::give_way(Context& context) noexcept {
  const Visit visit = begin_visit(context);
  SplitFlow *stalled = nullptr, *moving = nullptr;
  bool leaving = false;
  for (std::uint32_t looked = std::min(kMostFlows, splits_); looked > 0; --looked) {
    SplitFlow& s = next_split();
    if (s.life.acknowledged <= s.acked()) {
      stats_->gave_way.add(1);
      let_go(s);
      return Way::now;
    }
    if (context.now - s.life.moved_at >= config_.give_way) {
      stalled = &s;
    } else if (s.life.leaving) {
      leaving = true;
    } else {
      moving = &s;
    }
  }
  if (stalled != nullptr) {
    stats_->gave_way.add(1);
    reset(*stalled, SplitReset::gave_way);
    return Way::now;
  }
  if (leaving || moving == nullptr) return leaving ? Way::soon : Way::none;
  stats_->gave_way.add(1);
  start_drain(*moving, true);
  return Way::soon;
}

// A slot for one connection more of this bearer: where there is none, one that is quiet is let go.
bool SplitProxy::gets_slot() noexcept {
  for (std::uint32_t looked = std::min(kMostFlows, splits_); free_ == nullptr && looked > 0; --looked) {
    SplitFlow& s = next_split();
    if (!s.queue.empty() || s.life.acknowledged > s.acked() || context_->now - s.life.seen < kQuiet) continue;
    stats_->gave_way.add(1);
    let_go(s);
  }
  return free_ != nullptr;
}

// Requires: a connection is split.
SplitFlow& SplitProxy::next_split() noexcept {
  const std::uint32_t slot = used_.next(hand_);
  hand_ = (slot + 1) % slots_;
  return *splits_of_[slot];
}

}  // namespace dp
