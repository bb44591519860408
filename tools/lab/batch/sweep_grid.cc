#include "tools/lab/batch/sweep_grid.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <utility>

#include "dataplane/base/expect.h"

namespace lab {
namespace {

SweepPoint chosen(SweepPoint point, const std::string& prefix, const Choice& choice) {
  point.choices.push_back(choice.name);
  point.label += (point.label.empty() ? "" : ", ") + prefix + choice.name;
  point.settings.insert(point.settings.end(), choice.settings.begin(), choice.settings.end());
  return point;
}

// Every choice of the first `axes` axes with every other.
std::vector<SweepPoint> combinations(const SweepGrid& grid, std::size_t axes) {
  std::vector<SweepPoint> points{{}};
  for (std::size_t at = 0; at < axes; ++at) {
    const Axis& axis = grid.axes[at];
    const std::string label = label_of(grid, axis) + "=";
    std::vector<SweepPoint> longer;
    for (const SweepPoint& point : points) {
      for (const Choice& choice : axis.choices) {
        const bool speaks = axis.named && !number_of(choice.name);
        longer.push_back(chosen(point, speaks ? "" : label, choice));
      }
    }
    points = std::move(longer);
  }
  return points;
}

void multiply(SweepPoint& point, const SweepGrid& grid) {
  for (const Product& product : grid.products) {
    double value = 1;
    for (const std::string& label : product.of) {
      const Axis* const axis = grid.find(label);
      DP_EXPECT(axis != nullptr);
      const auto number = number_of(point.choices[static_cast<std::size_t>(axis - grid.axes.data())]);
      DP_EXPECT(number);
      value *= *number;
    }
    char text[32];
    std::snprintf(text, sizeof(text), "%.10g", value);
    point.settings.emplace_back(product.key, text + product.unit);
  }
}

}  // namespace

const Axis* SweepGrid::find(const std::string& label) const {
  const auto at =
      std::ranges::find_if(axes, [&](const Axis& axis) { return label_of(*this, axis) == label; });
  return at == axes.end() ? nullptr : &*at;
}

std::string label_of(const SweepGrid& grid, const Axis& axis) {
  const std::string& key = axis.key;
  if (axis.named) return key;
  std::size_t at = key.rfind('.');
  while (at != std::string::npos && at > 0) {
    const auto tail = key.substr(at);
    const auto same = [&](const Axis& a) { return ("." + a.key).ends_with(tail); };
    if (std::ranges::count_if(grid.axes, same) == 1) break;
    at = key.rfind('.', at - 1);
  }
  return at == std::string::npos ? key : key.substr(at + 1);
}

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<SweepPoint> points_of(const SweepGrid& grid) {
  const std::size_t axes = grid.axes.size();
  std::vector<SweepPoint> points = combinations(grid, axes);
  for (SweepPoint& point : points) multiply(point, grid);
  if (grid.beside.empty()) return points;
  for (const SweepPoint& point : combinations(grid, axes - std::min<std::size_t>(axes, 2))) {
    for (const Choice& choice : grid.beside) points.push_back(chosen(point, "", choice));
  }
  return points;
}

}  // namespace lab
