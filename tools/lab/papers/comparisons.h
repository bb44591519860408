// The papers' statements about how one scheme does beside another: data, and the plain function that holds
// results against it. Part of claims.h, which everybody else uses.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "tools/lab/papers/claims.h"

namespace lab {

// Those whose rows have all been run.
void add_comparisons(std::vector<Claim>& out, std::string_view paper, std::span<const PaperRow* const> rows,
                     const Results& results);

}  // namespace lab
