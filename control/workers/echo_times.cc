#include "control/workers/echo_times.h"

#include <algorithm>
#include <utility>

namespace control {

// A response may be read before its request, which another worker has forwarded: what is read waits for the
// next drain(). By then all that came before it has been read, since a request is noted before it leaves.
void EchoTimes::drain(const std::vector<dp::TunnelBook*>& books, dp::Time now) {
  dp::Time until{};
  for (const dp::Echo& echo : waiting_) until = std::max(until, echo.at);
  for (dp::TunnelBook* book : books) {
    for (dp::Echo echo; book->echoes().pop(echo);) waiting_.push_back(echo);
  }
  std::ranges::stable_sort(waiting_, {},
                           [](const dp::Echo& echo) { return std::pair(echo.at, !echo.request); });
  const auto rest = std::ranges::upper_bound(waiting_, until, {}, &dp::Echo::at);
  for (auto at = waiting_.begin(); at != rest; ++at) at->request ? take_request(*at) : take_response(*at);
  waiting_.erase(waiting_.begin(), rest);
  std::erase_if(paths_, [&](const Path& path) { return now - path.last_request > kForgotten; });
}

void EchoTimes::take_request(const dp::Echo& echo) {
  Path* path = find(echo.from, echo.to);
  if (path == nullptr) path = make_room();
  if (path == nullptr) {
    ++unmeasured_;
    return;
  }
  path->seen.requester = echo.from;
  path->seen.responder = echo.to;
  path->last_request = echo.at;
  ++path->seen.requests;
  ++path->seen.unanswered;
  for (auto& awaited : path->outstanding) {
    if (!awaited || awaited->sequence != echo.sequence) continue;
    awaited->repeated = true;
    return;
  }
  path->outstanding[path->next] = {echo.sequence, false, echo.at};
  path->next = (path->next + 1) % kOutstanding;
}

void EchoTimes::take_response(const dp::Echo& echo) {
  Path* const path = find(echo.to, echo.from);
  if (path == nullptr) return;
  for (auto& awaited : path->outstanding) {
    if (!awaited || awaited->sequence != echo.sequence || awaited->at > echo.at) continue;
    ++path->seen.answers;
    path->seen.unanswered = 0;
    if (!awaited->repeated) {
      ++path->seen.timed;
      path->seen.last = echo.at - awaited->at;
      path->seen.sum += path->seen.last;
    }
    awaited.reset();
    return;
  }
}

EchoTimes::Path* EchoTimes::find(const dp::TunnelEnd& requester, const dp::TunnelEnd& responder) {
  const auto at = std::ranges::find_if(paths_, [&](const Path& path) {
    return path.seen.requester == requester && path.seen.responder == responder;
  });
  return at == paths_.end() ? nullptr : &*at;
}

// A full table loses the path that was never answered and has waited longest: forged requests displace no
// path that works.
EchoTimes::Path* EchoTimes::make_room() {
  if (paths_.size() < kMostPaths) return &paths_.emplace_back();
  const auto worth = [](const Path& path) { return std::pair(path.seen.answers != 0, path.last_request); };
  const auto least = std::ranges::min_element(paths_, {}, worth);
  if (least->seen.answers != 0) return nullptr;
  paths_.erase(least);
  return &paths_.emplace_back();
}

std::vector<EchoPath> EchoTimes::paths() const {
  std::vector<EchoPath> all;
  for (const Path& path : paths_) all.push_back(path.seen);
  return all;
}

}  // namespace control
