// The grid of a sweep while it is read, and the points that come of it. Plain values.
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

// A key whose value is the product of what some axes have chosen.
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

// What an axis is called: its key's last words, as many as tell it from the others.
std::string label_of(const SweepGrid& grid, const Axis& axis);
std::optional<double> number_of(const std::string& text);
// Those of the grid first. Requires: its products are of axes that it has, and of numbers.
std::vector<SweepPoint> points_of(const SweepGrid& grid);

}  // namespace lab
