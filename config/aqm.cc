#include "config/aqm.h"

#include <fmt/core.h>

#include "config/choice.h"
#include "config/notation/units.h"
#include "config/profile_rate.h"
#include "config/profiles.h"

namespace config {
namespace {

constexpr Choice<dp::AqmList> kChoice{};

// The row `profile`, which sets `profile`, of each policy with settings.
auto profile_row(dp::AqmProfileRef& profile) {
  return [&profile]<class Tag>(Tag) {
    using Policy = typename Tag::type;
    if constexpr (kHasSettings<Policy>) {
      const auto get = [&profile](auto&) -> auto& { return profile; };
      return dp::FieldTable{
          Row{"profile", get, ProfileNameKind{dp::AqmList::index_of(Policy::kName)},
              "takes the settings from a profile, by the leg's rate; keys beside it go first"}};
    } else {
      return dp::FieldTable<>{};
    }
  };
}

// A bit for each setting present in the policy's map.
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

std::optional<dp::Conflict> conflict_of(const dp::AqmConfig& aqm) {
  return std::visit(
      [](const auto& config) -> std::optional<dp::Conflict> {
        if constexpr (requires { config.conflict(); }) return config.conflict();
        return std::nullopt;
      },
      aqm);
}

std::uint32_t bit_of(const dp::AqmConfig& aqm, std::string_view key) {
  std::uint32_t found = 0;
  std::visit(
      [&]<class C>(const C&) {
        for_each_key<C>([&](const auto& field, std::uint32_t bit) {
          if (field.name == key) found = bit;
        });
      },
      aqm);
  return found;
}

// The sources of a policy's keys, a bit for each key; given keys override defaults.
struct Speakers {
  std::uint32_t given = 0, in_profile = 0;
  std::string profile{};  // by-rate at 2M
};

std::string mend(std::string_view verb, std::uint32_t key, std::string_view name, const Speakers& who) {
  const bool both = (who.given & who.in_profile & key) != 0;
  return fmt::format("{} {}{}", verb, name, (both ? ", or remove it: the profile gives one" : ""));
}

std::string tell(const dp::Conflict& conflict, const dp::AqmConfig& aqm, const Speakers& who) {
  const Json values = kChoice.print(aqm).front();
  const std::uint32_t followed = who.in_profile & ~who.given;
  const auto told = [&](const std::string& key) {
    const std::uint32_t bit = bit_of(aqm, key);
    const std::string whose = (who.given & bit) != 0  ? "given"
                              : (followed & bit) != 0 ? "profile " + who.profile
                                                      : "the default";
    return fmt::format("{} {} ({})", key, plain_text(values[key]), whose);
  };
  const std::string low(conflict.low), high(conflict.high);
  const std::uint32_t low_bit = bit_of(aqm, low), high_bit = bit_of(aqm, high);
  const std::string lower = mend("lower", low_bit, low, who), raise = mend("raise", high_bit, high, who);
  const bool low_follows = (followed & low_bit) != 0, high_follows = (followed & high_bit) != 0;
  return fmt::format("found {} and {}, expected {} below {}; {}", told(low), told(high), low, high,
                     (low_follows && high_follows ? "give one of them beside the profile"
                      : low_follows               ? raise
                      : high_follows              ? lower
                                                  : lower + " or " + raise));
}

// For a policy that is not named here, but comes from a class profile or from the bearer.
void refuse_rate(Reader& reader, const std::optional<Node>& leg_map, Place place, std::uint64_t rate) {
  const auto given = leg_map && leg_map->kind() == NodeKind::map ? leg_map->find("rate") : std::nullopt;
  const Reader::Scope key(reader, "rate");
  reader.fail(
      given ? given->place() : place,
      fmt::format("found {}, for which the AQM that `profile` brings has no settings: what it would hold "
                  "at this rate is more than can be said; lower the rate, or give the leg an `aqm` of its "
                  "own, such as `aqm: drop-tail`",
                  format_quantity(dp::Unit::rate, rate)));
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
  Json all = kChoice.print(leg.aqm);
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

void check_aqm(Reader& reader, const std::optional<Node>& leg_map, Place place, const dp::LegSettings& leg) {
  const bool by_rate = static_cast<bool>(leg.origin.profile);
  if (by_rate && leg.rate == 0) return;  // reported elsewhere
  const auto found = conflict_of(leg.aqm);
  if (!found) return;
  const auto map = leg_map && leg_map->kind() == NodeKind::map ? leg_map->find("aqm") : std::nullopt;
  if (by_rate && !map && leg.origin.own == 0) return refuse_rate(reader, leg_map, place, leg.rate);
  Speakers who;
  if (by_rate) {
    const dp::AqmProfile& profile = *leg.origin.profile;
    who = {leg.origin.own, profile.keys, profile.name + " at " + format_quantity(dp::Unit::rate, leg.rate)};
  } else if (map) {
    who.given = keys_given(*map, leg.aqm);
  }
  const Reader::Scope key(reader, "aqm");
  const Reader::Scope policy(reader, dp::AqmList::kNames[leg.aqm.index()]);
  reader.fail(map ? map->place() : leg_map ? leg_map->place() : place, tell(*found, leg.aqm, who));
}

void check_point(Reader& reader, Place place, const dp::AqmConfig& values, std::uint32_t keys) {
  const auto found = conflict_of(values);
  if (!found) return;
  const std::uint32_t needed = bit_of(values, found->low) | bit_of(values, found->high);
  if ((keys & needed) == needed) reader.fail(place, tell(*found, values, {.given = needed}));
}

Json print_aqm_values(const dp::AqmConfig& aqm) { return kChoice.print(aqm); }

}  // namespace config
