#include "control/loop/places.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include <fmt/core.h>

namespace control {
namespace {

using Filter = std::function<bool(const Place&)>;

// Among the evictable connections accepted by `filter`, the longest waiting one of the user with the largest
// sum of `weight`. Recently answered ones come last, so that a burst of newcomers cannot displace them.
std::optional<int> longest_of_heaviest_user(std::span<const Place> places, const Filter& filter,
                                            const std::function<std::size_t(const Place&)>& weight) {
  std::map<uid_t, std::size_t> sums;
  for (const Place& place : places) sums[place.uid] += weight(place);
  const Place* worst = nullptr;
  for (const Place& place : places) {
    if (!place.evictable || !filter(place)) continue;
    const auto key = [&](const Place& p) {
      return std::tuple(sums[p.uid], !p.lately, -p.since.time_since_epoch());
    };
    if (worst == nullptr || key(place) > key(*worst)) worst = &place;
  }
  return worst == nullptr ? std::nullopt : std::optional(worst->fd);
}

Admission evict_or_refuse(std::span<const Place> places, const Filter& filter, const std::string& refusal) {
  const auto evicted = longest_of_heaviest_user(places, filter, [](const Place&) { return std::size_t{1}; });
  if (evicted) return {true, evicted, ""};
  return {false, std::nullopt, refusal + ", and none of them is idle; close one, or try again later"};
}

}  // namespace

Admission admit(uid_t uid, bool owner, std::span<const Place> places, const ServerLimits& limits) {
  const auto count = [&](const Filter& filter) {
    return static_cast<std::size_t>(std::count_if(places.begin(), places.end(), filter));
  };
  const Filter anyone = [](const Place&) { return true; };
  const Filter stranger = [](const Place& place) { return !place.owner; };
  const Filter same = [uid](const Place& place) { return place.uid == uid; };

  if (!owner && count(same) >= limits.per_user) {
    return evict_or_refuse(places, same,
                           fmt::format("user {} has {} connections open, the most that are taken of one user",
                                       uid, limits.per_user));
  }
  const std::size_t for_strangers = limits.connections - limits.owner_places;
  if (!owner && count(stranger) >= for_strangers) {
    return evict_or_refuse(
        places, stranger,
        fmt::format(
            "{} connections are open, the most that are taken beside {} kept for root and rncd's own user",
            for_strangers, limits.owner_places));
  }
  if (places.size() < limits.connections) return {};
  return evict_or_refuse(places, anyone,
                         fmt::format("{} connections are open, the most that are taken", limits.connections));
}

std::optional<int> heaviest(std::span<const Place> places) {
  constexpr std::size_t kMuch = 64 * kKiB;
  const auto bytes = [](const Place& place) { return place.memory; };
  const Filter stranger = [](const Place& place) { return !place.owner && place.memory >= kMuch; };
  const Filter anyone = [](const Place& place) { return place.memory >= kMuch; };
  const auto found = longest_of_heaviest_user(places, stranger, bytes);
  return found ? found : longest_of_heaviest_user(places, anyone, bytes);
}

}  // namespace control
