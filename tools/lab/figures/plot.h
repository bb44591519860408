// Pictures by gnuplot. Each leaves its data (CSV), its script, and the picture as PNG and SVG in a folder;
// the script can be run again. Throws if gnuplot is missing or fails.
#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tools/lab/figures/stats.h"

namespace lab {

struct Picture {
  std::filesystem::path folder;  // created if missing
  std::string name;              // file name without ending
};

// Lines of CSV; the first one names the columns.
using CsvLines = std::vector<std::vector<std::string>>;

// `commands` are gnuplot's; `data` names the data file: comma separated, with one line of names.
void draw(const Picture& picture, const CsvLines& data, const std::string& commands,
          std::pair<int, int> pixels = {1000, 700});

// A run over time, like 000 Fig. 2 and 002 Fig. 2: BO and each flow's cwnd above; below, for each flow, its
// segments as they are sent, received and dropped.
using Points = std::vector<std::pair<double, double>>;  // s, value
struct FlowTrace {
  std::string id;
  Points cwnd;                     // segments
  Points sent, received, dropped;  // segment numbers
};
struct TracePlot {
  std::string title;
  Points bo;  // SDUs
  std::vector<FlowTrace> flows;
};
void draw_trace(const Picture& picture, const TracePlot& trace);

// Goodput against delay. A few points have labels and intervals; many points have one colour for each group.
struct Tradeoff {
  std::string label;
  Estimate goodput_kbit_s, delay_s;
  std::string group{};
};
void draw_tradeoffs(const Picture& picture, const std::string& title, const std::vector<Tradeoff>& points);

// Goodput above and delay below, a curve for each name over the values of one setting, with printed values
// beside them. Requires: each curve has both figures at each value.
struct PrintedValue {
  std::size_t at = 0;  // among the values
  Estimate goodput_kbit_s, delay_s;
};
struct Curve {
  std::string name;
  std::vector<Estimate> goodput_kbit_s, delay_s;  // at each value
  std::vector<PrintedValue> printed{};
};
void draw_curves(const Picture& picture, const std::string& title, const std::string& setting,
                 const std::vector<std::string>& values, const std::vector<Curve>& curves);

// Goodput, or the figure that `of` names, over a measured figure or a setting; a line for each name.
struct Series {
  std::string name;
  std::vector<std::pair<double, Estimate>> points;  // x, value
};
struct Ordinate {
  std::string label = "goodput (kbit/s)";
  std::string mean = "goodput_kbit_s", ci90 = "goodput_ci90";  // columns of the data
};
void draw_series(const Picture& picture, const std::string& title, const std::string& axis,
                 const std::vector<Series>& all, bool logarithmic = false, const Ordinate& of = {});

// Ours beside the paper's, goodput above, delay below.
struct Comparison {
  std::string label;
  Estimate paper_goodput, our_goodput, paper_delay, our_delay;
};
void draw_comparison(const Picture& picture, const std::string& title, const std::vector<Comparison>& rows);

}  // namespace lab
