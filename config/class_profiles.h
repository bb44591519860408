// Profiles of classes: what stands in both legs at once for one purpose, part of the program
// (config/profiles/class.yaml). A class names one with the key `profile`; its own keys go first.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/model.h"
#include "config/notation/table.h"

namespace config {

struct ClassProfile {
  std::string name, doc;
  dp::LegSettings downlink, uplink;  // of the one the AQM, of the other the ACK stages and their flow table
  std::optional<dp::SplitConfig> proxy{};
};

const std::vector<ClassProfile>& class_profiles();
const ClassProfile* find_class_profile(std::string_view name);

// The key `profile` of a class; loaded before the legs.
struct ClassProfileKind {
  std::string type() const { return "name"; }
  std::string values() const;
  Json print(const Class& c) const { return c.profile.empty() ? "none" : c.profile; }
  void load(Reader& reader, const Node& node, Class& into) const;
};

// For `--help-config classes`: each with its settings.
std::string class_profile_help();

}  // namespace config
