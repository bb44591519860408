// Profiles by rate: the built-in ones of config/profiles, and the operator's, under `profiles`. A leg's AQM
// names one with the key `profile`.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/notation/table.h"
#include "dataplane/bearer/settings.h"

namespace config {

using Profiles = std::vector<dp::AqmProfileRef>;

const Profiles& built_in_profiles();

// Looks among the operator's first, so that these can replace built-in ones.
dp::AqmProfileRef find_profile(const Profiles& own, std::size_t policy, std::string_view name);
std::vector<std::string_view> profile_names(const Profiles& own, std::size_t policy);

// Requirements on a policy that can follow a profile.
template <class Policy>
inline constexpr bool kHasSettings = Policy::Config::kFields.kSize > 0;

// The key `profile` of a policy.
struct ProfileNameKind {
  std::size_t policy;

  std::string type() const { return "name"; }
  std::string values() const;
  Json print(const dp::AqmProfileRef& profile) const { return profile ? profile->name : "none"; }
  void load(Reader& reader, const Node& node, dp::AqmProfileRef& into) const;
};

// The section `profiles`.
struct ProfilesKind {
  std::string type() const { return "map"; }
  std::string values() const { return "policy to the names of its profiles to what they are"; }
  void load(Reader& reader, const Node& node, Profiles& into) const;
  Json print(const Profiles& profiles) const;
  void list(std::vector<HelpRow>& out, const std::string& path, const Profiles&) const;
};

// The map of one profile, with its points.
Json print_profile(const dp::AqmProfile& profile);
Json print_profile_keys(const dp::AqmProfile& profile, const dp::AqmConfig& values);

// The built-in ones, for `--help-config aqm`.
std::string profile_help();

}  // namespace config
