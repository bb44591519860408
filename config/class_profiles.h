// Classes, of which bearers are made, and class profiles: settings of both legs for one purpose, built into
// the program (config/profiles/class.yaml). A class names one with the key `profile`; its own keys override
// it.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/json.h"
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

struct ClassesKind {
  std::string type() const { return "map"; }
  std::string values() const { return "name of the class to its legs"; }
  void load(Reader& reader, const Node& node, std::vector<Class>& into) const;
  Json print(const std::vector<Class>& classes) const;
  void list(std::vector<HelpRow>& out, const std::string& path, const std::vector<Class>&) const;
};

// The class of an entry of `bearers`, and the cell in which it shares slots.
struct ClassAndCell {
  dp::ClassId cls = 0;
  CellId cell = kNoCell;
};
// `cls`, `cell`: the keys of the entry `node`; without the class, or after a reported error, both have their
// defaults. `named_cells`: as in BearersKind. Requires: classes and cells are loaded.
ClassAndCell load_class_and_cell(Reader& reader, const Node& node, const std::optional<Node>& cls,
                                 const std::optional<Node>& cell, bool named_cells, const Config& config);

void load_legs(Reader& reader, const Node& node, dp::BearerSettings& settings);

}  // namespace config
