// Changed keys of a scenario, as sweeps and experiments give them.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "config/notation/reader.h"

namespace lab {

using Settings = std::vector<std::pair<std::string, std::string>>;  // key, value

// The node as text for an override: a scalar unchanged, a list or map in brackets.
std::string inline_text(const config::Node& node);

// A kind of values (config/notation/table.h).
struct SettingsKind {
  std::string type() const { return "map"; }
  std::string values() const { return "key of the scenario to its value"; }
  void load(config::Reader& reader, const config::Node& node, Settings& into) const;
};

}  // namespace lab
