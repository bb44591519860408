#include "control/workers/network_maps.h"

#include <utility>

namespace control {

void NetworkMaps::configure(const config::Networks& networks) {
  const auto map = std::make_shared<const dp::NetworkMap>(config::map_of(networks));
  if (current_ == nullptr ? *map == dp::NetworkMap{} : *map == *current_) return;
  const Map before = std::exchange(current_, map);
  send(map, before, before != nullptr);
}

// Sends the map once more if workers had another map before (dp::SetNetworks), unless a later map is on its
// way by then. The callback keeps the former map until the answer brings it home.
void NetworkMaps::send(const Map& map, const Map& before, bool again) {
  ++unanswered_;
  sender_.send(dp::SetNetworks{map.get()}, [this, map, before, again](const dp::Answer&) {
    if (again && map == current_) send(map, map, false);
    --unanswered_;
  });
}

}  // namespace control
