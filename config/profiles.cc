#include "config/profiles.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fmt/core.h>

#include "config/aqm.h"
#include "config/choice.h"
#include "config/notation/kinds.h"
#include "config/notation/syntax.h"
#include "config/notation/words.h"
#include "config/notation/yaml.h"
#include "config/profile_rate.h"
#include "config/profiles/profile_files.h"

namespace config {
namespace {

constexpr Quantity<std::uint64_t> kRate{dp::Unit::rate, dp::kMinRate, dp::kMaxRate};
constexpr std::string_view kRateDoc = "rate at which the values hold";

struct ProfileEntry {
  std::string source;
  dp::Duration rtt = dp::AqmProfile{}.rtt;
  std::optional<Node> points;
};

struct PointsKind {
  std::string type() const { return "list"; }
  std::string values() const { return "list of maps: a rate, and the policy's keys at it"; }
  Json print(const std::optional<Node>&) const { return Json::array(); }
  void load(Reader&, const Node& node, std::optional<Node>& into) const { into = node; }
};

constexpr dp::FieldTable kProfileRows{
    Row{"source", &ProfileEntry::source, Checkable<std::string>{"text", "text", any_text, write_text},
        "where the values come from"},
    Row{"rtt",
        &ProfileEntry::rtt,
        Quantity<dp::Duration>{dp::Unit::duration, dp::Duration{0}, dp::Duration{10'000'000'000}},
        "round trip of the path beyond the buffer: minth is kept above 2 x rtt x rate; 0: not",
        false,
        {},
        "002 section 5"},
    Row{"points", &ProfileEntry::points, PointsKind{}, "the values at some rates, each with the same keys",
        true},
};

template <class C>
std::uint32_t keys_in(const Node& map) {
  std::uint32_t keys = 0;
  for_each_key<C>([&](const auto& field, std::uint32_t bit) {
    if (map.find(field.name)) keys |= bit;
  });
  return keys;
}

template <class C>
void load_point(Reader& reader, const Node& node, dp::AqmProfile& into) {
  C config{};
  std::uint64_t rate = 0;
  const auto get_rate = [&rate](auto&) -> auto& { return rate; };
  load_keys(reader, node, config,
            dp::joined(dp::FieldTable{Row{"rate", get_rate, kRate, kRateDoc, true}}, field_rows<C>()));
  if (node.kind() != NodeKind::map || rate == 0) return;
  const std::uint32_t keys = keys_in<C>(node);
  if (into.points.empty()) into.keys = keys;
  if (keys == 0) {
    reader.fail(node.place(), "found a rate alone, expected keys of the policy beside it");
  } else if (keys != into.keys) {
    reader.fail(node.place(), "found other keys than in the first of `points`, expected the same in each");
  } else {
    check_point(reader, node.place(), config, keys);
  }
  into.points.push_back({rate, config});
}

template <class C>
void load_points(Reader& reader, const Node& node, dp::AqmProfile& into) {
  const Reader::Scope scope(reader, "points");
  if (node.kind() != NodeKind::list || node.size() == 0) {
    return reader.expected(node, "a list of maps such as {rate: 384k, ...}, one at least");
  }
  for (std::size_t i = 0; i < node.size() && !reader.full(); ++i) {
    const Reader::Scope item(reader, i);
    load_point<C>(reader, node.item(i), into);
  }
  std::ranges::stable_sort(into.points, {}, &dp::AqmProfile::Point::rate);
  const auto twice = std::ranges::adjacent_find(into.points, {}, &dp::AqmProfile::Point::rate);
  if (twice != into.points.end()) {
    reader.fail(node.place(),
                "found the rate " + format_quantity(dp::Unit::rate, twice->rate) + " twice; keep one");
  }
}

template <class Policy>
void load_one(Reader& reader, const Node& key, const Node& node, Profiles& into) {
  if (!is_class_name(key.text()) || key.text() == "none") {
    reader.expected(key, "the name of a profile, not `none`: " + std::string(kNameForm));
  }
  const Reader::Scope scope(reader, key.text());
  ProfileEntry entry;
  load_keys(reader, node, entry, kProfileRows);
  dp::AqmProfile profile{
      std::string(key.text()), entry.source, dp::AqmList::index_of(Policy::kName), entry.rtt, 0, {}};
  if (entry.points) load_points<typename Policy::Config>(reader, *entry.points, profile);
  if (!profile.points.empty()) into.push_back({std::make_shared<const dp::AqmProfile>(std::move(profile))});
}

template <class Policy>
void load_policy(Reader& reader, const Node& node, Profiles& into) {
  const Reader::Scope scope(reader, Policy::kName);
  if constexpr (!kHasSettings<Policy>) {
    reader.fail(node.place(),
                "found profiles of `" + std::string(Policy::kName) + "`, which has no settings; remove them");
  } else if (reader.expect_map(node, {})) {
    for (std::size_t i = 0; i < node.size() && !reader.full(); ++i) {
      load_one<Policy>(reader, node.key(i), node.value(i), into);
    }
  }
}

template <class Policy>
Profiles parse_built_in(std::string_view text) {
  Tree tree("profiles");
  std::vector<Problem> problems;
  Profiles out;
  Reader reader(tree, "", false);
  const auto root = parse_yaml(text, tree, 0, problems);
  if (root) load_policy<Policy>(reader, tree.node(*root), out);
  std::ranges::move(reader.take(), std::back_inserter(problems));
  for (const Problem& problem : problems) std::fputs((to_string(problem) + "\n").c_str(), stderr);
  if (!problems.empty()) std::abort();  // a built-in file: a fault of this program
  return out;
}

Profiles parse_files() {
  Profiles all;
  for (const ProfileFile& file : profile_files()) {
    dp::AqmList::visit_named(file.policy, [&]<class Tag>(Tag) {
      std::ranges::move(parse_built_in<typename Tag::type>(file.text), std::back_inserter(all));
    });
  }
  return all;
}

Json print_point(const dp::AqmProfile& profile, const dp::AqmProfile::Point& point) {
  Json out{{"rate", kRate.print(point.rate)}};
  out.update(print_profile_keys(profile, point.values));
  return out;
}

}  // namespace

const Profiles& built_in_profiles() {
  static const Profiles all = parse_files();
  return all;
}

dp::AqmProfileRef find_profile(const Profiles& own, std::size_t policy, std::string_view name) {
  for (const Profiles* profiles : {&own, &built_in_profiles()}) {
    const auto at = std::ranges::find_if(
        *profiles, [&](const auto& p) { return p->policy == policy && p->name == name; });
    if (at != profiles->end()) return *at;
  }
  return {};
}

std::vector<std::string_view> profile_names(const Profiles& own, std::size_t policy) {
  std::vector<std::string_view> names;
  for (const Profiles* profiles : {&built_in_profiles(), &own}) {
    for (const auto& p : *profiles) {
      if (p->policy == policy && std::ranges::find(names, p->name) == names.end()) names.push_back(p->name);
    }
  }
  return names;
}

std::string ProfileNameKind::values() const {
  auto names = profile_names({}, policy);
  names.insert(names.begin(), "none");
  const std::string own = "a name among `profiles." + std::string(dp::AqmList::kNames[policy]) + "`";
  names.push_back(own);
  return one_of(names);
}

void ProfileNameKind::load(Reader& reader, const Node& node, dp::AqmProfileRef& into) const {
  static const Profiles kNone;
  const Profiles& own = reader.profiles() == nullptr ? kNone : *reader.profiles();
  const bool text = is_text(node, reader.strict());
  if (text && node.text() == "none") return void(into = {});
  if (text) into = find_profile(own, policy, node.text());
  if (text && into) return;
  const auto names = profile_names(own, policy);
  const std::string name(dp::AqmList::kNames[policy]);
  const std::string expected = names.empty()
                                   ? "one that is defined under `profiles." + name + "`; there is none"
                                   : fmt::format("a profile of {}: {}", name, one_of(names));
  reader.expected(node, expected + (text ? did_you_mean(node.text(), names) : ""));
}

void ProfilesKind::load(Reader& reader, const Node& node, Profiles& into) const {
  if (!reader.expect_map(node, dp::AqmList::kNames)) return;
  into.clear();
  for (std::size_t i = 0; i < node.size() && !reader.full(); ++i) {
    const bool known = dp::AqmList::visit_named(node.key(i).text(), [&]<class Tag>(Tag) {
      load_policy<typename Tag::type>(reader, node.value(i), into);
    });
    if (!known) reader.unknown_key(node.key(i), dp::AqmList::kNames);
  }
}

Json print_profile_keys(const dp::AqmProfile& profile, const dp::AqmConfig& values) {
  return std::visit(
      [&]<class C>(const C& config) {
        const Json all = print_keys(config, field_rows<C>());
        Json out = Json::object();
        for_each_key<C>([&](const auto& field, std::uint32_t bit) {
          const std::string name(field.name);
          if ((profile.keys & bit) != 0) out[name] = all[name];
        });
        return out;
      },
      values);
}

Json print_profile(const dp::AqmProfile& profile) {
  Json points = Json::array();
  for (const auto& point : profile.points) points.push_back(print_point(profile, point));
  Json out = print_keys(ProfileEntry{profile.source, profile.rtt, {}}, kProfileRows);
  out["points"] = std::move(points);
  return out;
}

Json ProfilesKind::print(const Profiles& profiles) const {
  Json out = Json::object();
  for (const auto& p : profiles) {
    out[std::string(dp::AqmList::kNames[p->policy])][p->name] = print_profile(*p);
  }
  return out;
}

void ProfilesKind::list(std::vector<HelpRow>& out, const std::string& path, const Profiles&) const {
  const std::string below = path + ".POLICY.NAME";
  list_keys(out, below, ProfileEntry{}, kProfileRows);
  out.push_back({below + ".points[].rate", kRate.type(), kRate.values(), "required", std::string(kRateDoc)});
}

std::string profile_help() {
  std::string out = "Profiles\n";
  for (const auto& p : built_in_profiles()) {
    out += fmt::format("{} {} ({})\n", dp::AqmList::kNames[p->policy], p->name, p->source);
    for (const auto& point : p->points) {
      out += "   ";
      const Json keys = print_point(*p, point);
      for (const auto& [key, value] : keys.items()) {
        out += fmt::format(" {}: {}", key, plain_text(value));
      }
      out += "\n";
    }
  }
  return out + std::string(kProfileRule) + "\n";
}

}  // namespace config
