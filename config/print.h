// A Config as JSON in the notation of the file, which loads back to an equal Config, classes in the order of
// their names.
#pragma once
#include <nlohmann/json.hpp>

#include "config/model.h"

namespace config {

nlohmann::json to_json(const Config& config);
nlohmann::json to_json(const dp::LegSettings& leg);
nlohmann::json to_json(const std::optional<dp::SplitConfig>& proxy);
// The policy's name to its settings as they are in force, whatever profile gave them.
nlohmann::json to_json(const dp::AqmConfig& aqm);

}  // namespace config
