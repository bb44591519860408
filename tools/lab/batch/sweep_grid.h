// The grid of a sweep while it is read, and the points made from it. Plain values.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tools/lab/batch/sweep.h"

namespace lab {

// One dimension of the grid.
struct Choice {
  std::string name;
  Settings settings;
};
struct Axis {
  std::string key;
  bool named = false;  // its choices have names of their own
  std::vector<Choice> choices;
};

// A key whose value is the product of the values chosen on some axes.
struct Product {
  std::string key, unit;
  std::vector<std::string> of;  // axes, by their labels
};

struct SweepGrid {
  std::vector<Axis> axes;
  std::vector<Product> products;
  std::vector<Choice> beside;  // points for each choice of all axes but the last two

  const Axis* find(const std::string& label) const;
};

// The axis's label: the last words of its key, just enough to distinguish it from the other axes.
std::string label_of(const SweepGrid& grid, const Axis& axis);
std::optional<double> number_of(const std::string& text);
// The grid's points come first. Requires: its products name axes that it has, whose values are numbers.
std::vector<SweepPoint> points_of(const SweepGrid& grid);

}  // namespace lab
