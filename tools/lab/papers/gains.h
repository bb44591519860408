// What lines of a figure gain over one of them, as tables beside what was expected of them, and what those
// tables must show. A run of a line stands beside the run of the same seed of the line that it is held
// against.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "tools/lab/figures/json.h"
#include "tools/lab/papers/catalogue.h"
#include "tools/lab/papers/claims.h"
#include "tools/lab/papers/figure_points.h"

namespace lab {

// In percent, over runs; NaN where one of both did not run.
Estimate gain_of(const Paper& paper, const FigureResults& results, const GainTable& table, const GainRow& row,
                 std::string_view line);

std::string gains_text(const Paper& paper, const FigureResults& results);
std::vector<Claim> gain_claims(const Paper& paper, const FigureResults& results);
Json gains_json(const Paper& paper, const FigureResults& results);
// A picture of each figure of which rows have more than one x: the gain of each line over x.
void draw_gains(const std::filesystem::path& folder, const Paper& paper, const FigureResults& results);

}  // namespace lab
