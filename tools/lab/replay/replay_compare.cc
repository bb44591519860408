#include "tools/lab/replay/replay_compare.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <unordered_map>

#include "dataplane/base/drop_reason.h"
#include "tools/lab/figures/stats.h"

namespace lab {
namespace {

bool of(const ReplayArrival& arrival, std::size_t bearer, dp::Direction direction) {
  return arrival.bearer == bearer && arrival.direction == direction;
}

double upper_median(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

ReplayComparison::ReplayComparison(const ReplayInput& input, const Crossings& crossings, const ReplayRun& run,
                                   dp::Duration tolerance)
    : input_(input),
      run_(run),
      tolerance_(tolerance),
      seen_until_(crossings.departures.empty() ? dp::kNever : crossings.departures.back().at),
      box_left_(input.arrivals.size(), dp::kNever),
      strangers_(input.bearers.size()) {
  match(crossings);
}

// Identical packets are taken to leave in the order of their arrival.
void ReplayComparison::match(const Crossings& crossings) {
  std::array<std::unordered_map<std::uint64_t, std::deque<std::size_t>>, 2> inside;
  for (std::size_t i = 0; i < input_.arrivals.size(); ++i) {
    const ReplayArrival& arrival = input_.arrivals[i];
    inside[dp::index(arrival.direction)][packet_key(arrival.frame, input_.tunnels())].push_back(i);
  }
  for (const Departure& departure : crossings.departures) {
    auto& alike = inside[dp::index(departure.direction)];
    const auto found = alike.find(departure.key);
    if (found == alike.end() || found->second.empty()) {
      ++strangers_[departure.bearer][dp::index(departure.direction)];
      continue;
    }
    box_left_[found->second.front()] = departure.at;
    found->second.pop_front();
  }
}

ReplayTally ReplayComparison::tally(std::size_t bearer, dp::Direction direction) const {
  ReplayTally tally;
  for (std::size_t i = 0; i < input_.arrivals.size(); ++i) {
    if (!of(input_.arrivals[i], bearer, direction)) continue;
    const ReplayFate& fate = run_.fates[i];
    ++tally.arrived;
    if (fate.left) {
      ++tally.delivered;
    } else if (fate.dropped) {
      ++tally.dropped[std::string(dp::name(fate.reason))];
    } else {
      ++tally.inside;
    }
  }
  return tally;
}

DepartureComparison ReplayComparison::departures(std::size_t bearer, dp::Direction direction) const {
  DepartureComparison c;
  std::vector<double> later;
  for (std::size_t i = 0; i < input_.arrivals.size(); ++i) {
    if (!of(input_.arrivals[i], bearer, direction)) continue;
    const bool box = box_left_[i] != dp::kNever;
    auto left = run_.fates[i].left;
    // Packets still in the box at its last departure may have left later.
    if (!box && left && *left > seen_until_) left.reset();
    if (left && box) {
      const dp::Duration apart = box_left_[i] - *left;
      later.push_back(seconds(apart));
      if (std::abs(seconds(apart)) > std::abs(c.latest_s)) c.latest_s = seconds(apart);
      if (std::chrono::abs(apart) <= tolerance_) ++c.within;
      ++c.both;
    } else if (left || box) {
      ++(box ? c.only_box : c.only_replay);
      c.parted.push_back(input_.arrivals[i].at);
    } else {
      ++c.neither;
    }
  }
  c.strangers = strangers_[bearer][dp::index(direction)];
  c.median_s = upper_median(later);
  return c;
}

std::uint32_t ReplayComparison::bo_at(std::size_t bearer, dp::Time at) const {
  const auto& all = run_.occupancy[bearer];
  const auto after = std::ranges::upper_bound(all, at, {}, &ReplayOccupancy::at);
  return after == all.begin() ? 0 : std::prev(after)->sdus;
}

ReplayComparison::Range ReplayComparison::bo_between(std::size_t bearer, dp::Time from, dp::Time to) const {
  const auto& all = run_.occupancy[bearer];
  Range range{bo_at(bearer, from), bo_at(bearer, from)};
  for (auto one = std::ranges::upper_bound(all, from, {}, &ReplayOccupancy::at);
       one != all.end() && one->at <= to; ++one) {
    range.least = std::min(range.least, one->sdus);
    range.most = std::max(range.most, one->sdus);
  }
  return range;
}

double ReplayComparison::bo_mean(std::size_t bearer, dp::Time from, dp::Time to) const {
  if (to <= from) return 0;
  double sum = 0;
  dp::Time since = from;
  std::uint32_t now = bo_at(bearer, from);
  for (const ReplayOccupancy& one : run_.occupancy[bearer]) {
    if (one.at <= from) continue;
    if (one.at > to) break;
    sum += now * seconds(one.at - since);
    since = one.at;
    now = one.sdus;
  }
  return (sum + now * seconds(to - since)) / seconds(to - from);
}

std::uint32_t ReplayComparison::bo_most(std::size_t bearer) const {
  std::uint32_t most = 0;
  for (const ReplayOccupancy& one : run_.occupancy[bearer]) most = std::max(most, one.sdus);
  return most;
}

std::uint64_t ReplayComparison::dropped_by(std::size_t bearer, dp::Time at) const {
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < input_.arrivals.size() && input_.arrivals[i].at <= at; ++i) {
    const auto& dropped = run_.fates[i].dropped;
    n += of(input_.arrivals[i], bearer, dp::Direction::downlink) && dropped && *dropped <= at;
  }
  return n;
}

std::uint64_t ReplayComparison::delivered_by(std::size_t bearer, dp::Time at) const {
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < input_.arrivals.size() && input_.arrivals[i].at <= at; ++i) {
    const auto& left = run_.fates[i].left;
    n += of(input_.arrivals[i], bearer, dp::Direction::downlink) && left && *left <= at;
  }
  return n;
}

BoComparison ReplayComparison::occupancy(std::size_t bearer, const std::vector<BoReading>& readings) const {
  BoComparison c;
  double box = 0, replayed = 0, apart = 0;
  for (const BoReading& one : readings) {
    if (one.bearer != bearer) continue;
    const Range range = bo_between(bearer, one.asked - tolerance_, one.answered + tolerance_);
    const std::uint32_t off = one.sdus < range.least  ? range.least - one.sdus
                              : one.sdus > range.most ? one.sdus - range.most
                                                      : 0;
    ++c.readings;
    c.within += off == 0;
    if (off > 0) c.apart = std::min(c.apart, one.asked);
    c.largest = std::max(c.largest, off);
    apart += off;
    box += one.sdus;
    replayed += bo_at(bearer, one.asked + (one.answered - one.asked) / 2);
  }
  const double n = std::max<double>(1, static_cast<double>(c.readings));
  c.mean_box = box / n;
  c.mean_replay = replayed / n;
  c.mean_difference = apart / n;
  return c;
}

}  // namespace lab
