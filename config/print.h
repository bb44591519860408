// A Config as JSON in the file's notation, which loads back to an equal Config. Classes are sorted by name.
#pragma once
#include <nlohmann/json.hpp>

#include "config/model.h"

namespace config {

nlohmann::json to_json(const Config& config);
nlohmann::json to_json(const dp::LegSettings& leg);
nlohmann::json to_json(const std::optional<dp::SplitConfig>& proxy);
// The policy's name with its settings in force, including those from a profile.
nlohmann::json to_json(const dp::AqmConfig& aqm);

}  // namespace config
