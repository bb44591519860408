// A Config as text that loads back to an equal Config, and as JSON in the same notation.
#pragma once
#include <string>

#include <nlohmann/json.hpp>

#include "config/model.h"

namespace config {

std::string to_yaml(const Config& config);
nlohmann::json to_json(const Config& config);
nlohmann::json to_json(const dp::LegSettings& leg);
// The policy's name to its settings as they are in force, whatever profile gave them.
nlohmann::json to_json(const dp::AqmConfig& aqm);

}  // namespace config
