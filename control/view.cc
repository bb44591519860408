#include "control/view.h"

#include <algorithm>
#include <utility>

namespace control {
namespace {

TopBearer::Leg leg_of(const dp::RlcBuffer& buffer) {
  return {buffer.sdus(), buffer.bytes(), buffer.delivered_bytes(), buffer.dropped_sdus()};
}

}  // namespace

std::vector<TopBearer> top_bearers(const Registry& registry, std::size_t count) {
  std::vector<std::pair<std::uint64_t, const dp::Bearer*>> all;
  if (count == 0) return {};
  all.reserve(registry.size());
  for (const auto& [ue, record] : registry.all()) {
    const dp::Bearer& b = *record.bearer;
    all.emplace_back(std::uint64_t{b.downlink.buffer().bytes()} + b.uplink.buffer().bytes(), &b);
  }
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size()));
  std::partial_sort(all.begin(), end, all.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second->ue < b.second->ue;
  });
  std::vector<TopBearer> top;
  for (auto it = all.begin(); it != end; ++it) {
    const dp::Bearer& b = *it->second;
    top.push_back({dp::to_string(b.ue), {leg_of(b.downlink.buffer()), leg_of(b.uplink.buffer())}});
  }
  return top;
}

}  // namespace control
