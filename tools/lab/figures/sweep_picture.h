// The pictures of a sweep: all points as goodput against delay; and where two settings and more differ, for
// each choice of the others, curves of the last one by the one before, as 002 Fig. 6 to 13 have them, with
// what was printed for their points. Points beside the grid are level lines.
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

// A printed value of a point: its choices of the last two axes, or the name of what stands
// beside the grid.
struct PrintedPoint {
  std::vector<std::string> at;
  Estimate goodput_kbit_s = kNothing, delay_s = kNothing;
};
// The curves of one choice of all axes but the last two.
struct SweepPicture {
  std::string name;             // as somebody calls it: 002 Fig. 6
  std::vector<std::string> of;  // that choice; of two axes there is one picture, and this is empty
  std::vector<PrintedPoint> printed;
};

void draw_sweep(const std::filesystem::path& folder, const std::string& title,
                const std::vector<std::string>& axes, const std::vector<SweepRow>& rows,
                const std::vector<SweepPicture>& pictures = {});

}  // namespace lab
