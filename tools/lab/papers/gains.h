// Tables of the gains of a figure's lines over one of them beside the expected gains, and the claims about
// them. A run of a line is compared with the other line's run of the same seed.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "tools/lab/figures/json.h"
#include "tools/lab/papers/catalogue.h"
#include "tools/lab/papers/claims.h"
#include "tools/lab/papers/figure_points.h"

namespace lab {

// The gain in percent over runs; NaN if either did not run.
Estimate gain_of(const Paper& paper, const FigureResults& results, const GainTable& table, const GainRow& row,
                 std::string_view line);

std::string gains_text(const Paper& paper, const FigureResults& results);
std::vector<Claim> gain_claims(const Paper& paper, const FigureResults& results);
Json gains_json(const Paper& paper, const FigureResults& results);
// Draws the gain of each line over x, for each figure whose rows have more than one x.
void draw_gains(const std::filesystem::path& folder, const Paper& paper, const FigureResults& results);

}  // namespace lab
