#include "dataplane/bearer/end_markers.h"

#include <algorithm>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/bearer/tunnel_index.h"

namespace dp {

void EndMarkers::take(Sdu& message, const TunnelKey& tunnel, const TunnelIndex& index,
                      Context& context) noexcept {
  const Direction direction = direction_from(message.ingress);
  if (Waiting* const alike = find(tunnel, direction)) {
    if (alike->sdus.size() == kMostAlike) return context.drop(message, DropReason::repeated);
    return add(*alike, message, context);
  }
  Waiting waiting{{}, tunnel, direction, message.arrival};
  if (used_ == kMost || may_leave(waiting, index, context))
    return context.pass(message, PassReason::gtp_u_message);
  add(waiting, message, context);
  waiting_[used_++] = waiting;
}

void EndMarkers::add(Waiting& waiting, Sdu& message, Context& context) noexcept {
  context.account.held += 1;
  context.account.mbufs_held += message.segments;
  waiting.sdus.push(message);
  waiting.arrival = message.arrival;
  waiting.left_buffer = false;
}

EndMarkers::Waiting* EndMarkers::find(const TunnelKey& tunnel, Direction direction) noexcept {
  for (std::size_t i = 0; i < used_; ++i) {
    if (waiting_[i].tunnel == tunnel && waiting_[i].direction == direction) return &waiting_[i];
  }
  return nullptr;
}

// True if the bearer that is waited for holds, or has on its way, SDUs of the tunnel that came before.
bool EndMarkers::holds_back(Waiting& waiting, const Context& context) noexcept {
  const Leg& leg = waiting.bearer->leg(waiting.direction);
  // The SDUs there leave in another tunnel.
  if (leg.rewrites() && !waiting.bearer->tunnel(waiting.direction).is(waiting.tunnel)) return false;
  if (!waiting.left_buffer) {
    if (leg.buffers() && leg.buffer().holds_since(waiting.arrival)) return true;
    waiting.left_buffer = true;
    waiting.lands = leg.all_landed_at();
  }
  return context.now < waiting.lands;
}

// Waits for the next bearer that holds it back, if the present one does not.
bool EndMarkers::may_leave(Waiting& waiting, const TunnelIndex& index, const Context& context) noexcept {
  if (waiting.bearer != nullptr && holds_back(waiting, context)) return false;
  Waiting next = waiting;
  bool held = false;
  index.for_each(waiting.tunnel, [&](Bearer& bearer) {
    if (held || &bearer == waiting.bearer) return;
    next.bearer = &bearer;
    next.left_buffer = false;
    held = holds_back(next, context);
  });
  if (!held) next.bearer = nullptr;
  waiting = next;
  return !held;
}

// True if all of them have left.
bool EndMarkers::send(std::size_t at, Context& context) noexcept {
  DP_EXPECT(at < used_);
  const SduList& sdus = waiting_[at].sdus;
  while (!sdus.empty()) {
    const Sdu& first = *sdus.front();
    if (!context.egress[index(opposite(first.ingress))].has_space(first)) return false;
    leave(at, context);
  }
  waiting_[at] = waiting_[--used_];
  return true;
}

// The first of them.
void EndMarkers::leave(std::size_t at, Context& context) noexcept {
  Sdu& sdu = waiting_[at].sdus.pop();
  DP_EXPECT(context.account.held > 0 && context.account.mbufs_held >= sdu.segments);
  context.account.held -= 1;
  context.account.mbufs_held -= sdu.segments;
  context.pass(sdu, PassReason::gtp_u_message);
}

void EndMarkers::poll(const TunnelIndex& index, Context& context) noexcept {
  for (std::size_t left = std::min(used_, kLookedAt); left > 0 && used_ > 0; --left) {
    if (next_ >= used_) next_ = 0;
    if (!may_leave(waiting_[next_], index, context) || !send(next_, context)) ++next_;
  }
}

void EndMarkers::pass_by(const Bearer& bearer, const TunnelIndex& index, Context& context) noexcept {
  for (std::size_t i = 0; i < used_;) {
    const bool waits =
        waiting_[i].bearer == &bearer && !bearer.tunnel(waiting_[i].direction).is(waiting_[i].tunnel);
    if (!waits || !may_leave(waiting_[i], index, context) || !send(i, context)) ++i;
  }
}

void EndMarkers::forget(const Bearer& bearer, const TunnelIndex& index, Context& context) noexcept {
  for (std::size_t i = 0; i < used_;) {
    if (waiting_[i].bearer != &bearer) {
      ++i;
      continue;
    }
    waiting_[i].bearer = nullptr;
    if (!may_leave(waiting_[i], index, context)) {
      ++i;
      continue;
    }
    while (!waiting_[i].sdus.empty()) leave(i, context);
    waiting_[i] = waiting_[--used_];
  }
}

}  // namespace dp
