#include "control/told/sink/known_bearers.h"

namespace control::told {

KnownBearer* KnownBearers::find(const dp::UeAddress& bearer) {
  const auto at = map_.find(bearer);
  return at == map_.end() ? nullptr : &at->second;
}

const KnownBearer* KnownBearers::find(const dp::UeAddress& bearer) const {
  const auto at = map_.find(bearer);
  return at == map_.end() ? nullptr : &at->second;
}

KnownBearer& KnownBearers::make(const dp::UeAddress& bearer, std::string_view owner, dp::Time now) {
  const auto [at, made] = map_.try_emplace(bearer);
  if (made) {
    ++counted(BearerState::waiting);
    at->second.since = now;
    at->second.owner = owner;
  }
  return at->second;
}

void KnownBearers::set_state(KnownBearer& known, BearerState state, dp::Time now, std::string_view why) {
  if (known.why != why) known.why = why;
  if (known.state == state) return;
  --counted(known.state);
  ++counted(state);
  known.state = state;
  known.since = now;
}

void KnownBearers::erase(const dp::UeAddress& bearer) {
  const auto at = map_.find(bearer);
  if (at == map_.end()) return;
  --counted(at->second.state);
  map_.erase(at);
}

std::vector<dp::UeAddress> KnownBearers::bearers_of(const dp::UeAddress& ue) const {
  std::vector<dp::UeAddress> bearers;
  auto at = map_.lower_bound(dp::default_bearer_of(ue));
  for (; at != map_.end() && dp::same_ue(at->first, ue); ++at) bearers.push_back(at->first);
  return bearers;
}

}  // namespace control::told
