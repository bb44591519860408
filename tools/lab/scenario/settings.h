// Keys of a scenario that are different, as sweeps and experiments name them.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "config/notation/reader.h"

namespace lab {

using Settings = std::vector<std::pair<std::string, std::string>>;  // key, value

// As an override takes it: a scalar as it stands, a list or map in brackets.
std::string inline_text(const config::Node& node);

// A kind of values (config/notation/table.h).
struct SettingsKind {
  std::string type() const { return "map"; }
  std::string values() const { return "key of the scenario to its value"; }
  void load(config::Reader& reader, const config::Node& node, Settings& into) const;
};

}  // namespace lab
