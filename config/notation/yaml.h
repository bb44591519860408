// YAML text to a Tree: one document of bounded depth, with anchors, aliases and merge keys, without duplicate
// keys. yaml-cpp parses, its own tree is not used: this one is compact and knows where every key stands.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "config/notation/node.h"
#include "config/notation/problem.h"

namespace config {

// The root, or none when the text cannot be read; duplicate keys alone still give a root.
std::optional<NodeId> parse_yaml(std::string_view text, Tree& tree, std::uint16_t source,
                                 std::vector<Problem>& problems);

}  // namespace config
