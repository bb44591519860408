// Claims as a table and as JSON, and the list of fitted choices.
#pragma once
#include <string>
#include <vector>

#include "tools/lab/figures/json.h"
#include "tools/lab/papers/claims.h"

namespace lab {

// Begins with a blank line; empty if nothing was fitted.
std::string fitted_text(const Paper& paper);
std::string claims_text(const std::string& heading, const std::string& limit, const std::vector<Claim>& all);
Json claims_json(const std::vector<Claim>& all);

}  // namespace lab
