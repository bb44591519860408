#include "config/class_profiles.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fmt/core.h>

#include "config/ack.h"
#include "config/aqm.h"
#include "config/notation/kinds.h"
#include "config/notation/syntax.h"
#include "config/notation/words.h"
#include "config/notation/yaml.h"
#include "config/profiles/profile_files.h"
#include "config/proxy.h"

namespace config {
namespace {

constexpr std::tuple kDownlinkRows{
    Row{"aqm", std::identity{}, AqmKind{}, "active queue management of the buffer"},
};
constexpr std::tuple kUplinkRows{
    Row{"ack", &dp::LegSettings::ack, AckKind{}, "stages that the UE's TCP segments pass"},
    Row{"flows", &dp::LegSettings::ack, FlowTableKind{}, "the connections that these stages follow"},
};
constexpr std::tuple kRows{
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

}  // namespace config
