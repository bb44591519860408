// The pictures of a sweep: all points as goodput against delay; and with two or more axes, for each choice on
// the others, curves over the last axis, one for each value of the one before, like 002 Fig. 6 to 13, with
// the printed values. Points beside the grid are level lines.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "tools/lab/figures/json.h"

namespace lab {

struct SweepRow {
  std::vector<std::string> choices;  // one for each axis; a point beside the grid: one for each axis but the
                                     // last two, and its name
  Json row;                          // null if it has not run
};

// A printed value of a point: its choices on the last two axes, or the name of a point beside the grid.
struct PrintedPoint {
  std::vector<std::string> at;
  Estimate goodput_kbit_s = kNothing, delay_s = kNothing;
};
// The curves for one choice on all axes but the last two.
struct SweepPicture {
  std::string name;             // for example 002 Fig. 6
  std::vector<std::string> of;  // that choice; empty for two axes, which make one picture
  std::vector<PrintedPoint> printed;
};

void draw_sweep(const std::filesystem::path& folder, const std::string& title,
                const std::vector<std::string>& axes, const std::vector<SweepRow>& rows,
                const std::vector<SweepPicture>& pictures = {});

}  // namespace lab
