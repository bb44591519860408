// YAML text to a Tree: one document of bounded depth, with anchors, aliases and merge keys, without duplicate
// keys. yaml-cpp is used as a parser only: this tree is compact and has the place of every key.
// Tests: tests/unit/config/yaml_test.cc, tests/unit/config/alike_lines_test.cc
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "config/notation/node.h"
#include "config/notation/problem.h"

namespace config {

// The root, or none if the text cannot be parsed; duplicate keys alone still give a root.
std::optional<NodeId> parse_yaml(std::string_view text, Tree& tree, std::uint16_t source,
                                 std::vector<Problem>& problems);

}  // namespace config
