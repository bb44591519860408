// Look-up of keys for the checks of legs.
#pragma once
#include <optional>
#include <string_view>
#include <variant>

#include "config/notation/node.h"
#include "dataplane/bearer/settings.h"

namespace config {

inline bool is_am(const dp::LegSettings& leg) { return std::holds_alternative<dp::AmLinkConfig>(leg.link); }

inline std::optional<Node> find(const std::optional<Node>& map, std::string_view key) {
  return map && map->kind() == NodeKind::map ? map->find(key) : std::nullopt;
}

}  // namespace config
