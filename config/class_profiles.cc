#include "config/class_profiles.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include <fmt/core.h>

#include "config/ack.h"
#include "config/aqm.h"
#include "config/cells.h"
#include "config/leg.h"
#include "config/notation/kinds.h"
#include "config/notation/syntax.h"
#include "config/notation/words.h"
#include "config/notation/yaml.h"
#include "config/profiles/profile_files.h"
#include "config/proxy.h"
#include "dataplane/bearer/class_counters.h"

namespace config {
namespace {

constexpr dp::FieldTable kDownlinkRows{
    Row{"aqm", std::identity{}, AqmKind{}, "active queue management of the buffer"},
};
constexpr dp::FieldTable kUplinkRows{
    Row{"ack", &dp::LegSettings::ack, AckKind{}, "stages that the UE's TCP segments pass"},
    Row{"flows", &dp::LegSettings::ack, FlowTableKind{}, "the connections that these stages follow"},
};
constexpr dp::FieldTable kRows{
    Row{"doc", &ClassProfile::doc, Checkable<std::string>{"text", "text", any_text, write_text},
        "what it is for", true},
    Row{"downlink", &ClassProfile::downlink, Section{kDownlinkRows}, "core to UE"},
    Row{"uplink", &ClassProfile::uplink, Section{kUplinkRows}, "UE to core"},
    Row{"proxy", &ClassProfile::proxy, ProxyKind{}, "what splits TCP connections"},
};

void parse(std::string_view text, std::vector<ClassProfile>& into) {
  Tree tree("class profiles");
  std::vector<Problem> problems;
  Reader reader(tree, "", false);
  if (const auto root = parse_yaml(text, tree, 0, problems)) {
    const Node map = tree.node(*root);
    for (std::size_t i = 0; i < map.size(); ++i) {
      const Reader::Scope scope(reader, map.key(i).text());
      ClassProfile& profile = into.emplace_back();
      profile.name = map.key(i).text();
      load_keys(reader, map.value(i), profile, kRows);
    }
  }
  std::ranges::move(reader.take(), std::back_inserter(problems));
  for (const Problem& problem : problems) std::fputs((to_string(problem) + "\n").c_str(), stderr);
  if (!problems.empty()) std::abort();  // a built-in file: a fault of this program
}

std::vector<ClassProfile> parse_class_files() {
  std::vector<ClassProfile> all;
  for (const ProfileFile& file : profile_files()) {
    if (file.policy == "class") parse(file.text, all);
  }
  return all;
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> out{"none"};
  for (const auto& profile : class_profiles()) out.push_back(profile.name);
  return out;
}

inline constexpr dp::FieldTable kClassRows{
    Row{"profile", std::identity{}, ClassProfileKind{},
        "takes AQM, ACK stages and proxy from a profile; what the class says itself goes first"},
    Row{"downlink", &Class::downlink, LegKind{dp::Direction::downlink}, "core to UE", true},
    Row{"uplink", &Class::uplink, LegKind{dp::Direction::uplink},
        "UE to core; the keys of `downlink` but `queue`, and these", false,
        "wire; with `am` the downlink's link and rate"},
    Row{"proxy", &Class::proxy, ProxyKind{},
        "what splits the TCP connections of its bearers; the downlink must buffer, and have no ACK stages "
        "beside it"},
};

inline constexpr dp::FieldTable kLegsRows{
    Row{"downlink", &dp::BearerSettings::downlink, LegKind{dp::Direction::downlink}, "core to UE"},
    Row{"uplink", &dp::BearerSettings::uplink, LegKind{dp::Direction::uplink}, "UE to core"},
    Row{"proxy", &dp::BearerSettings::proxy, ProxyKind{}, "what splits its TCP connections"},
};

bool load_class_name(Reader& reader, const Node& node, const std::vector<Class>& classes, dp::ClassId& into) {
  const auto at = std::ranges::find(classes, node.text(), &Class::name);
  if (is_text(node, reader.strict()) && at != classes.end()) {
    into = static_cast<dp::ClassId>(at - classes.begin());
    return true;
  }
  const Reader::Scope scope(reader, "class");
  std::vector<std::string_view> names;
  for (const auto& c : classes) names.push_back(c.name);
  if (!is_text(node, reader.strict())) {
    reader.expected(node, "the name of a class");
  } else if (names.empty()) {
    reader.expected(node, "a class that is defined under `classes`; there is none");
  } else {
    const auto hint = did_you_mean(node.text(), names);
    reader.expected(node,
                    "a class that is defined under `classes`" + (hint.empty() ? ": " + one_of(names) : hint));
  }
  return false;
}

}  // namespace

const std::vector<ClassProfile>& class_profiles() {
  static const std::vector<ClassProfile> all = parse_class_files();
  return all;
}

const ClassProfile* find_class_profile(std::string_view name) {
  const auto at = std::ranges::find(class_profiles(), name, &ClassProfile::name);
  return at == class_profiles().end() ? nullptr : &*at;
}

std::string ClassProfileKind::values() const { return one_of(names()); }

void ClassProfileKind::load(Reader& reader, const Node& node, Class& into) const {
  const bool text = is_text(node, reader.strict());
  into.profile.clear();
  if (text && node.text() == "none") return;
  const ClassProfile* const profile = text ? find_class_profile(node.text()) : nullptr;
  if (profile == nullptr) {
    return reader.expected(
        node, "a profile of classes: " + values() + (text ? did_you_mean(node.text(), names()) : ""));
  }
  into.profile = profile->name;
  into.downlink.aqm = profile->downlink.aqm;
  into.downlink.origin = profile->downlink.origin;
  into.uplink.ack = profile->uplink.ack;
  into.proxy = profile->proxy;
}

std::string class_profile_help() {
  std::string out = "Profiles\n";
  for (const auto& profile : class_profiles()) {
    out +=
        fmt::format("{}: {}\n    downlink {}\n    uplink {}\n    proxy {}\n", profile.name, profile.doc,
                    print_keys(profile.downlink, kDownlinkRows).dump(),
                    print_keys(profile.uplink, kUplinkRows).dump(), ProxyKind{}.print(profile.proxy).dump());
  }
  return out;
}

ClassAndCell load_class_and_cell(Reader& reader, const Node& node, const std::optional<Node>& cls,
                                 const std::optional<Node>& cell, bool named_cells, const Config& config) {
  ClassAndCell made;
  if (!cls || !load_class_name(reader, *cls, config.classes, made.cls)) return made;
  if (named_cells || cell) made.cell = load_cell_of(reader, node, cell, config, made.cls);
  return made;
}

void ClassesKind::load(Reader& reader, const Node& node, std::vector<Class>& into) const {
  if (!reader.expect_map(node, {})) return;
  if (node.size() > dp::kMaxClasses) {
    return reader.fail(node.place(),
                       fmt::format("found {} classes, expected at most {}", node.size(), dp::kMaxClasses));
  }
  for (std::size_t i = 0; i < node.size(); ++i) {
    const Node key = node.key(i);
    if (!is_class_name(key.text())) reader.expected(key, "a class name: " + std::string(kNameForm));
    const Reader::Scope scope(reader, key.text());
    Class& c = into.emplace_back(
        Class{std::string(key.text()), fresh_leg(dp::Direction::downlink), fresh_leg(dp::Direction::uplink)});
    const LegPair legs(node.value(i), c.downlink, c.uplink, c.proxy);
    load_keys(reader, node.value(i), c, kClassRows);
    legs.finish(reader);
  }
}

Json ClassesKind::print(const std::vector<Class>& classes) const {
  Json out = Json::object();
  for (const auto& c : classes) {
    Json& printed = out[c.name] = print_keys(c, kClassRows);
    if (!c.profile.empty() && c.uplink.ack.stages == 0) printed["uplink"]["ack"] = Json::array();
  }
  return out;
}

void ClassesKind::list(std::vector<HelpRow>& out, const std::string& path, const std::vector<Class>&) const {
  list_keys(out, path + ".NAME",
            Class{"", fresh_leg(dp::Direction::downlink), fresh_leg(dp::Direction::uplink)}, kClassRows);
}

void load_legs(Reader& reader, const Node& node, dp::BearerSettings& settings) {
  const LegPair legs(node, settings.downlink, settings.uplink, settings.proxy);
  load_keys(reader, node, settings, kLegsRows);
  legs.finish(reader);
}

}  // namespace config
