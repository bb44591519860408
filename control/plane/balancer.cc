#include "control/plane/balancer.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/worker/limits.h"

namespace control {
namespace {

std::uint64_t sdus_of(const dp::Bearer& bearer) {
  return bearer.downlink.buffer().delivered_sdus() + bearer.uplink.buffer().delivered_sdus();
}

}  // namespace

void Balancer::tick(const BusyRatios& busy, double above) {
  DP_EXPECT(busy.size() == sender_.workers());
  if (work_) return;
  if (stage_ == Stage::counted) {
    work_ = count(after_);
    stage_ = Stage::choosing;
    return;
  }
  const auto most = std::ranges::max_element(busy), least = std::ranges::min_element(busy);
  const auto from = static_cast<unsigned>(most - busy.begin());
  const bool apart = *most > above && *most - *least >= kApart;
  seconds_ = !apart ? 0 : from == from_ ? seconds_ + 1 : 1;
  from_ = from;
  to_ = static_cast<unsigned>(least - busy.begin());
  from_busy_ = *most;
  to_busy_ = *least;
  if (seconds_ < kSeconds) return;
  seconds_ = 0;
  work_ = count(before_);
  stage_ = Stage::counting;
}

std::optional<Rebalancing> Balancer::poll(Slices::Clock::time_point until) {
  if (!work_ || work_.proceed(until) != Progress::done) return std::nullopt;
  work_ = {};
  if (stage_ == Stage::counting) {
    stage_ = Stage::counted;
    return std::nullopt;
  }
  stage_ = Stage::watching;
  Rebalancing found = choose();
  before_.clear();
  after_.clear();
  return found.ues.empty() ? std::nullopt : std::optional(std::move(found));
}

// Bearers come and go between two slices, so the walk resumes in the registry by address.
Slices Balancer::count(std::vector<Count>& into) const {
  into.clear();
  for (auto at = registry_.all().begin(); at != registry_.all().end();) {
    const dp::UeAddress ue = at->first;
    const bool free = at->second.cell == nullptr;  // else it stays with its cell
    if (free && sender_.worker_of(ue) == from_ && !sender_.moving(ue))
      into.push_back({ue, sdus_of(*at->second.bearer)});
    co_await Slices::Pause{};
    at = registry_.after(ue);
  }
}

// The bytes that a bearer sent stand for its part of the worker's load. A bearer made anew in between counts
// from its beginning, which is less than it sent.
Rebalancing Balancer::choose() {
  std::uint64_t all = 0;
  std::vector<Count> sent;
  for (const Count& count : after_) {
    const auto was = std::ranges::lower_bound(before_, count.ue, {}, &Count::ue);
    if (was == before_.end() || was->ue != count.ue || was->sdus >= count.sdus) continue;
    sent.push_back({count.ue, count.sdus - was->sdus});
    all += sent.back().sdus;
  }
  std::ranges::stable_sort(sent, std::greater{}, &Count::sdus);
  Rebalancing found{from_, to_, {}};
  const std::size_t room =
      dp::kMostVisitors - std::min<std::size_t>(sender_.visitors(to_), dp::kMostVisitors);
  double left = (from_busy_ - to_busy_) / 2;
  for (const Count& count : sent) {
    if (found.ues.size() == std::min(kMost, room)) break;
    const double part = from_busy_ * static_cast<double>(count.sdus) / static_cast<double>(all);
    if (part > left) continue;
    left -= part;
    found.ues.push_back(count.ue);
  }
  return found;
}

}  // namespace control
