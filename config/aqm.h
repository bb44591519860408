// The key `aqm` of a leg: a policy with its settings, or with a profile that gives them by the leg's rate.
#pragma once
#include <string>
#include <vector>

#include "config/table.h"
#include "dataplane/bearer/settings.h"

namespace config {

struct AqmKind {
  std::string type() const;
  std::string values() const;
  void load(Reader& reader, const Node& node, dp::LegSettings& leg) const;
  // As it was written: a profile and what stands beside it.
  Json print(const dp::LegSettings& leg) const;
  void list(std::vector<HelpRow>& out, const std::string& path, const dp::LegSettings& initial) const;
};

// The policy's name to every setting as it is in force.
Json print_aqm_values(const dp::AqmConfig& aqm);

}  // namespace config
