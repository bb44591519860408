// The pictures of a sweep: all points as goodput against delay; and where two settings and more differ, for
// each choice of the others, curves of the last one by the one before, as 002 Fig. 6 to 13 have them. Points
// beside the grid are level lines.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "tools/lab/figures/json.h"

namespace lab {

struct SweepRow {
  std::vector<std::string> choices;  // one of each axis; beside the grid: of all but the last two, its name
  Json row;                          // null when it has not run
};

void draw_sweep(const std::filesystem::path& folder, const std::string& title,
                const std::vector<std::string>& axes, const std::vector<SweepRow>& rows);

}  // namespace lab
