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
  // The notation of the file: a profile and the keys given beside it.
  Json print(const dp::LegSettings& leg) const;
  void list(std::vector<HelpRow>& out, const std::string& path, const dp::LegSettings& initial) const;
};

// Reports contradictions between the policy's settings, whether they come from the leg's map, from a profile
// at the leg's rate, or are defaults. `leg_map` is present if the leg was named; `place` is its place
// otherwise.
void check_aqm(Reader& reader, const std::optional<Node>& leg_map, Place place, const dp::LegSettings& leg);
// Like check_aqm(), for one point of a profile that gives the keys `keys`.
void check_point(Reader& reader, Place place, const dp::AqmConfig& values, std::uint32_t keys);

// The policy's name with every setting in force.
Json print_aqm_values(const dp::AqmConfig& aqm);

}  // namespace config
