#include "tools/lab/batch/sweep_pictures.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

namespace lab {
namespace {

// The reason why `found` are not choices of these axes; empty if they are.
std::string fault_of_choices(const std::vector<std::string>& found, std::span<const Axis> axes) {
  if (found.size() != axes.size()) {
    return fmt::format("found {} choices, expected {}, one of each label", found.size(), axes.size());
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (std::ranges::find(axes[i].choices, found[i], &Choice::name) != axes[i].choices.end()) continue;
    return fmt::format("found {}, expected a choice of `{}`", found[i], axes[i].key);
  }
  return {};
}

std::string fault_of_picture(const SweepPicture& picture, const SweepGrid& grid) {
  if (grid.axes.size() < 2) return "found a picture of curves, expected two labels in `grid` for it";
  const std::span<const Axis> axes(grid.axes);
  std::string fault = fault_of_choices(picture.of, axes.first(axes.size() - 2));
  for (const PrintedPoint& point : picture.printed) {
    if (!fault.empty()) break;
    const bool level = point.at.size() == 1;
    if (level && std::ranges::find(grid.beside, point.at[0], &Choice::name) != grid.beside.end()) continue;
    fault = fault_of_choices(point.at, axes.last(2));
  }
  return fault;
}

}  // namespace

void check_pictures(config::Reader& reader, const config::Node& root,
                    const std::vector<SweepPicture>& pictures, const SweepGrid& grid) {
  for (const SweepPicture& picture : pictures) {
    const std::string fault = fault_of_picture(picture, grid);
    if (!fault.empty()) reader.fail(root.find("pictures")->find(picture.name)->place(), fault);
  }
}

}  // namespace lab
