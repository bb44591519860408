// The keeper of a bearer in a saved state: {"keeper": "program", "owner": "radius", "generation": 5,
// "seconds": 87.5, "made": true}. Tests: tests/unit/control/state/claim_json_test.cc
#pragma once
#include <string>

#include <nlohmann/json.hpp>

#include "control/bearers/claims.h"
#include "dataplane/base/result.h"

namespace control {

// `seconds` is the time that is left at `now`.
std::string claim_text(const Claim& claim, Claim::Clock::time_point now);
// The error tells what was found.
dp::Result<Claim> read_claim(const nlohmann::json& json, Claim::Clock::time_point now);

}  // namespace control
