// Bearers' own settings, those that differ from their class's, to and from a saved state.
// Tests: tests/unit/control/state/state_test.cc
#pragma once
#include <string>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "config/profiles.h"
#include "config/traces/trace_source.h"
#include "control/plane/data_plane.h"

namespace control {

// Error traces as named in a saved state: by path, like a configuration, or by name, like a request.
class SavedTraces : public config::TraceSource {
 public:
  explicit SavedTraces(const std::string& folder) : folder_(folder) {}
  config::Checked<config::ErrorTracePtr> load(const std::string& word) override;

 private:
  config::TraceFolder folder_;
};

// Requires: the profiles outlive it. Results are cached, since bearers mostly have equal settings.
class OwnSettings {
 public:
  OwnSettings(const config::Profiles& profiles, const std::string& traces)
      : profiles_(profiles), traces_(traces) {}

  // The difference between the class's settings and these; null: none. Requires: both are not null, and of
  // one class.
  const nlohmann::json& beside(const SharedSettings& cls, const SharedSettings& settings);
  // Applies a difference to the class's settings; the result, or why it cannot be read.
  config::Checked<SharedSettings> upon(const SharedSettings& cls, const nlohmann::json& legs);

 private:
  config::Checked<dp::BearerSettings> read(const SharedSettings& cls, const nlohmann::json& legs);

  const config::Profiles& profiles_;
  SavedTraces traces_;
  // Both caches are cleared when they have grown large.
  std::unordered_map<const dp::BearerSettings*, std::pair<SharedSettings, nlohmann::json>> said_;
  std::unordered_map<std::string, SharedSettings> read_;
};

}  // namespace control
