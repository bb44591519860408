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

// True if the value of the key `link` names this link: alone, or as the key of its settings.
inline bool names(const Node& node, const dp::LinkConfig& link) {
  const bool named = node.kind() == NodeKind::map && node.size() > 0;
  return (named ? node.key(0) : node).text() == dp::LinkList::kNames[link.index()];
}

// True if the leg will have the link `am` once its map is loaded.
inline bool will_be_am(const std::optional<Node>& map, const dp::LegSettings& leg) {
  const auto link = find(map, "link");
  return link ? names(*link, dp::AmLinkConfig{}) : is_am(leg);
}

}  // namespace config
