// Values from the control socket, by the same tables, limits and messages as the file, but strictly typed:
// a number is a JSON number or text with a unit, true is not "yes". Problems name the path in the request.
#pragma once
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/model.h"
#include "config/notation/problem.h"
#include "config/profiles.h"
#include "config/traces/trace_source.h"

namespace config {

// {"downlink": {...}, "uplink": {...}}, both optional; keys replace those of `start`. `profiles`: the
// operator's. `traces`: those that may be named; null: none.
Checked<dp::BearerSettings> read_settings(const nlohmann::json& value, const std::string& path,
                                          const dp::BearerSettings& start, const Profiles& profiles = {},
                                          TraceSource* traces = nullptr);

// {"scheduler": ..., "share": ...}; keys replace those of `start`.
Checked<dp::CellSettings> read_cell(const nlohmann::json& value, const std::string& path,
                                    const dp::CellSettings& start);

Checked<dp::UeAddress> read_ue(const nlohmann::json& value, const std::string& path);
Checked<std::uint64_t> read_rate(const nlohmann::json& value, const std::string& path);
// The reported rate of a slot; 0: it carries nothing.
Checked<std::uint64_t> read_reported_rate(const nlohmann::json& value, const std::string& path);
Checked<dp::Mode> read_mode(const nlohmann::json& value, const std::string& path);

}  // namespace config
