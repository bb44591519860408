#include "control/state/bearer_settings.h"

#include <utility>

#include <fmt/core.h>

#include "config/json.h"
#include "config/leg.h"
#include "config/print.h"
#include "dataplane/base/expect.h"

namespace control {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostKept = 4096;

constexpr const char* kWhole = "whole";  // the key of what stands alone, as a class does in a file

Json all_of(const dp::BearerSettings& settings) {
  return {{"downlink", config::to_json(settings.downlink)},
          {"uplink", config::to_json(settings.uplink)},
          {"proxy", config::to_json(settings.proxy)}};
}

// The keys of the legs that say something else, and the proxy if it does.
Json different(const Json& cls, const Json& settings) {
  Json out = Json::object();
  for (const char* leg : {"downlink", "uplink"}) {
    for (const auto& [key, value] : settings[leg].items()) {
      if (cls[leg].value(key, Json()) != value) out[leg][key] = value;
    }
  }
  if (cls["proxy"] != settings["proxy"]) out["proxy"] = settings["proxy"];
  return out;
}

}  // namespace

config::Checked<config::ErrorTracePtr> SavedTraces::load(const std::string& word) {
  return word.find('/') == std::string::npos ? folder_.load(word) : config::load_error_trace(word);
}

config::Checked<dp::BearerSettings> OwnSettings::read(const SharedSettings& cls, const Json& legs) {
  const bool whole = legs.is_object() && legs.contains(kWhole);
  if (!whole) return config::read_settings(legs, "legs", *cls, profiles_, &traces_);
  dp::BearerSettings fresh{.cls = cls->cls};
  fresh.downlink = config::fresh_leg(dp::Direction::downlink);
  fresh.uplink = config::fresh_leg(dp::Direction::uplink);
  return config::read_settings(legs[kWhole], "legs", fresh, profiles_, &traces_);
}

// The short form, where it leads back to the same settings: one key may decide what others mean, and what
// only the class has cannot be said beside it.
const Json& OwnSettings::beside(const SharedSettings& cls, const SharedSettings& settings) {
  DP_EXPECT(cls && settings && cls->cls == settings->cls);
  static const Json nothing;
  if (cls == settings) return nothing;
  if (said_.size() > kMostKept) said_.clear();
  const auto [at, fresh] = said_.try_emplace(settings.get());
  auto& [of, legs] = at->second;
  if (!fresh) return legs;
  of = settings;  // so that no other settings come to lie where these are
  const Json all = all_of(*settings);
  legs = different(all_of(*cls), all);
  const auto back = read(cls, legs);
  if (!back || *back != *settings) legs = {{kWhole, all}};
  return legs;
}

config::Checked<SharedSettings> OwnSettings::upon(const SharedSettings& cls, const Json& legs) {
  if (legs.is_null()) return {cls, {}};
  const std::string key = fmt::format("{} {}", cls->cls, legs.dump());
  if (const auto at = read_.find(key); at != read_.end()) return {at->second, {}};
  const auto settings = read(cls, legs);
  if (!settings) return {std::nullopt, settings.problems};
  if (read_.size() > kMostKept) read_.clear();
  return {read_.emplace(key, SharedSettings(*settings)).first->second, {}};
}

}  // namespace control
