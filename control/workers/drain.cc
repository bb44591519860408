#include "control/workers/drain.h"

#include <algorithm>
#include <utility>

#include "control/workers/proxy_sum.h"
#include "dataplane/base/expect.h"

namespace control {

std::uint64_t Drain::at_risk() const { return all_proxies(runtime_).at_risk; }

std::uint64_t Drain::resets() const {
  return all_proxies(runtime_).resets[dp::index(dp::SplitReset::removed)];
}

void Drain::begin(Clock::duration bound, OnEnd done) {
  DP_EXPECT(!under_way() && done);
  done_ = std::move(done);
  drained_ = {.waited = true, .before = at_risk()};
  began_ = Clock::now();
  until_ = began_ + bound;
  tell(began_);
}

void Drain::tell(Clock::time_point now) {
  told_ = now;
  drains_ = true;
  heard_ = std::make_shared<bool>(false);
  sender_.send(dp::DrainProxies{.on = true}, [heard = heard_](const dp::Answer&) { *heard = true; });
}

Drain::Clock::duration Drain::left(Clock::time_point now) const {
  DP_EXPECT(under_way());
  return std::max(until_ - now, Clock::duration{});
}

void Drain::hurry() {
  DP_EXPECT(under_way());
  end(Clock::now());
}

void Drain::release() {
  if (std::exchange(drains_, false)) sender_.send(dp::DrainProxies{.on = false}, nullptr);
}

// The octets at risk count once all workers have acknowledged that no more may be added.
void Drain::poll(Clock::time_point now) {
  if (!under_way()) return;
  const bool safe = *heard_ && at_risk() == 0;
  if (safe || now >= until_) return end(now);
  if (*heard_ && now - told_ >= kTellAgain) tell(now);
}

void Drain::end(Clock::time_point now) {
  drained_.after = at_risk();
  drained_.took = now - began_;
  const Drained drained = drained_;  // the next drain may begin at once
  std::exchange(done_, nullptr)(drained);
}

}  // namespace control
