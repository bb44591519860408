// Statements beside what we have for them, as a table and as JSON, and what was fitted.
#pragma once
#include <string>
#include <vector>

#include "tools/lab/figures/json.h"
#include "tools/lab/papers/claims.h"

namespace lab {

// Nothing when there are none; a blank line in front.
std::string fitted_text(const Paper& paper);
std::string claims_text(const std::string& heading, const std::string& limit, const std::vector<Claim>& all);
Json claims_json(const std::vector<Claim>& all);

}  // namespace lab
