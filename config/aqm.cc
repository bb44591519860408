#include "config/aqm.h"

#include "config/choice.h"
#include "config/profile_rate.h"
#include "config/profiles.h"

namespace config {
namespace {

constexpr Choice<dp::AqmList> kChoice{};

// The row `profile`, into `profile`, of each policy that has settings.
auto profile_row(dp::AqmProfileRef& profile) {
  return [&profile]<class Tag>(Tag) {
    using Policy = typename Tag::type;
    if constexpr (kHasSettings<Policy>) {
      const auto get = [&profile](auto&) -> auto& { return profile; };
      return std::tuple{Row{"profile", get, ProfileNameKind{dp::AqmList::index_of(Policy::kName)},
                            "takes the settings from a profile, by the leg's rate; keys beside it go first"}};
    } else {
      return std::tuple{};
    }
  };
}

// A bit for each setting that the map of the policy has.
std::uint32_t keys_given(const Node& node, const dp::AqmConfig& aqm) {
  if (node.kind() != NodeKind::map || node.size() != 1 || node.value(0).kind() != NodeKind::map) return 0;
  const Node settings = node.value(0);
  std::uint32_t keys = 0;
  std::visit(
      [&]<class C>(const C&) {
        for_each_key<C>([&](const auto& field, std::uint32_t bit) {
          if (settings.find(field.name)) keys |= bit;
        });
      },
      aqm);
  return keys;
}

}  // namespace

std::string AqmKind::type() const { return kChoice.type(); }
std::string AqmKind::values() const { return kChoice.values(); }

void AqmKind::load(Reader& reader, const Node& node, dp::LegSettings& leg) const {
  leg.origin = {};
  kChoice.load(reader, node, leg.aqm, profile_row(leg.origin.profile));
  if (leg.origin.profile) leg.origin.own = keys_given(node, leg.aqm);
}

Json AqmKind::print(const dp::LegSettings& leg) const {
  const Json all = kChoice.print(leg.aqm);
  if (!leg.origin.profile) return all;
  const std::string name(dp::AqmList::kNames[leg.aqm.index()]);
  Json kept{{"profile", leg.origin.profile->name}};
  std::visit(
      [&]<class C>(const C&) {
        for_each_key<C>([&](const auto& field, std::uint32_t bit) {
          const std::string key(field.name);
          if ((leg.origin.own & bit) != 0) kept[key] = all[name][key];
        });
      },
      leg.aqm);
  return Json{{name, kept}};
}

void AqmKind::list(std::vector<HelpRow>& out, const std::string& path, const dp::LegSettings& initial) const {
  dp::AqmProfileRef none;
  kChoice.list(out, path, initial.aqm, profile_row(none));
}

Json print_aqm_values(const dp::AqmConfig& aqm) { return kChoice.print(aqm); }

}  // namespace config
