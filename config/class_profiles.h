// Class profiles: settings of both legs for one purpose, built into the program (config/profiles/class.yaml).
// A class names one with the key `profile`; its own keys override it.
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
  dp::LegSettings downlink, uplink;  // the downlink's AQM; the uplink's ACK stages and their flow table
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

// For `--help-config classes`: each profile with its settings.
std::string class_profile_help();

}  // namespace config
