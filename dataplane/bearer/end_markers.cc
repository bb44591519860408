#include "dataplane/bearer/end_markers.h"

#include <algorithm>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/bearer.h"

namespace dp {

void EndMarkers::take(Sdu& message, Bearer& bearer, Direction direction, Context& context) noexcept {
  if (Waiting* const alike = find(bearer, direction)) {
    if (alike->sdus.size() == kMostAlike) return context.drop(message, DropReason::repeated);
    return add(*alike, message, context);
  }
  Waiting waiting{{}, &bearer, direction, message.arrival};
  if (used_ == kMost || may_leave(waiting, context)) return context.pass(message, PassReason::gtp_u_message);
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

EndMarkers::Waiting* EndMarkers::find(const Bearer& bearer, Direction direction) noexcept {
  for (std::size_t i = 0; i < used_; ++i) {
    if (waiting_[i].bearer == &bearer && waiting_[i].direction == direction) return &waiting_[i];
  }
  return nullptr;
}

bool EndMarkers::may_leave(Waiting& waiting, const Context& context) noexcept {
  const Leg& leg = waiting.bearer->leg(waiting.direction);
  if (!waiting.left_buffer) {
    if (leg.buffers() && leg.buffer().holds_since(waiting.arrival)) return false;
    waiting.left_buffer = true;
    waiting.lands = leg.all_landed_at();
  }
  return context.now >= waiting.lands;
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

void EndMarkers::poll(Context& context) noexcept {
  for (std::size_t left = std::min(used_, kLookedAt); left > 0 && used_ > 0; --left) {
    if (next_ >= used_) next_ = 0;
    if (!may_leave(waiting_[next_], context) || !send(next_, context)) ++next_;
  }
}

void EndMarkers::send_all_of(const Bearer& bearer, Context& context) noexcept {
  for (std::size_t i = 0; i < used_;) {
    if (waiting_[i].bearer != &bearer || !send(i, context)) ++i;
  }
}

void EndMarkers::forget(const Bearer& bearer, Context& context) noexcept {
  for (std::size_t i = 0; i < used_;) {
    if (waiting_[i].bearer != &bearer) {
      ++i;
      continue;
    }
    while (!waiting_[i].sdus.empty()) leave(i, context);
    waiting_[i] = waiting_[--used_];
  }
}

}  // namespace dp
