// The key `aqm` of a leg: a policy with its settings, or with a profile that gives them by the leg's rate.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "config/notation/table.h"
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

// Fails when the policy's settings contradict each other, whoever gave them: the leg's map, a profile at the
// leg's rate, or nobody. `leg_map` is there when the leg was named, `place` is where it would be.
void check_aqm(Reader& reader, const std::optional<Node>& leg_map, Place place, const dp::LegSettings& leg);
// The same for one point of a profile, whose keys are `keys`.
void check_point(Reader& reader, Place place, const dp::AqmConfig& values, std::uint32_t keys);

// The policy's name to every setting as it is in force.
Json print_aqm_values(const dp::AqmConfig& aqm);

}  // namespace config
