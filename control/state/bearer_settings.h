// What bearers have of their own beside their class, to and from a saved state.
#pragma once
#include <string>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "config/profiles.h"
#include "config/trace_source.h"
#include "control/plane/data_plane.h"

namespace control {

// An error trace as a saved state names it: by its path, as a configuration does, or as a request did.
class SavedTraces : public config::TraceSource {
 public:
  explicit SavedTraces(const std::string& folder) : folder_(folder) {}
  config::Checked<config::ErrorTracePtr> load(const std::string& word) override;

 private:
  config::TraceFolder folder_;
};

// Requires: the profiles outlive it. Bearers are mostly alike: what was found once is kept.
class OwnSettings {
 public:
  OwnSettings(const config::Profiles& profiles, const std::string& traces)
      : profiles_(profiles), traces_(traces) {}

  // What has to be said to come from the class's settings to these; null: nothing. Requires: both are there,
  // and of one class.
  const nlohmann::json& beside(const SharedSettings& cls, const SharedSettings& settings);
  // The way back; the settings, or why they cannot be read.
  config::Checked<SharedSettings> upon(const SharedSettings& cls, const nlohmann::json& legs);

 private:
  config::Checked<dp::BearerSettings> read(const SharedSettings& cls, const nlohmann::json& legs);

  const config::Profiles& profiles_;
  SavedTraces traces_;
  // Both are emptied when they have grown large.
  std::unordered_map<const dp::BearerSettings*, std::pair<SharedSettings, nlohmann::json>> said_;
  std::unordered_map<std::string, SharedSettings> read_;
};

}  // namespace control
