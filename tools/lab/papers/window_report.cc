#include "tools/lab/papers/window_report.h"

#include <algorithm>
#include <cmath>

#include "tools/common/table.h"
#include "tools/lab/figures/plot.h"
#include "tools/lab/figures/text.h"
#include "tools/lab/papers/claims_report.h"

namespace lab {
namespace {

// One of the paper's figures, or the same for more users.
struct Chart {
  std::string_view file, title, axis;  // what x is
  WindowFigure figure;
  unsigned users;
  std::span<const std::string_view> lines;
  enum class Over : std::uint8_t { setting, round_trip, loss } over = Over::setting;
  bool logarithmic = false;
};

using enum WindowFigure;
constexpr std::array kCharts{
    Chart{"fig7a", "Fig. 7a: TCP variants, one user, drop-tail", "buffer (packets)", variants, 1, kVariants},
    Chart{"fig7b", "Fig. 7b: one user", "buffer (packets)", buffer, 1, kSchemes},
    Chart{"fig8a", "Fig. 8a: four users together", "buffer (packets)", buffer, 4, kSchemes},
    Chart{"fig8b", "Fig. 8b: eight users together", "buffer (packets)", buffer, 8, kSchemes},
    Chart{"fig9a", "Fig. 9a: four users", "round trip (s)", buffer, 4, kSchemes, Chart::Over::round_trip},
    Chart{"fig9b", "Fig. 9b: one user, 20 packets", "wired round trip (ms)", latency, 1, kSchemes},
    Chart{"fig10a", "Fig. 10a: random loss, one user, 20 packets", "packets lost", random, 1, kSchemes,
          Chart::Over::setting, true},
    Chart{"fig10b", "Fig. 10b: congestion loss, one user, 20 packets", "the user's packets lost", congestion,
          1, kSchemes, Chart::Over::loss, true},
};
static_assert(kCharts.size() == 8);

// What a table shows beside the goodput, where it says more.
bool shows_round_trips(const Chart& chart) { return chart.figure == buffer; }
bool shows_losses(const Chart& chart) { return chart.figure == congestion; }

std::string cell_of(const Chart& chart, const WindowSummary& s) {
  std::string text = text_of(s.goodput_kbit_s, 0);
  if (shows_round_trips(chart)) text += ", " + text_of(s.rtt_s.mean, 2) + " s";
  if (shows_losses(chart)) text += ", " + text_of(s.loss.mean * 1e4, 1) + "e-4";
  return text;
}

std::string setting_text(const Chart& chart, double x) {
  return chart.figure == random ? text_of(x * 1e5, 0) + "e-5" : text_of(x, 0);
}

std::string chart_text(const WindowResults& results, const Chart& chart) {
  const std::string axis(chart.figure == congestion ? "cross source (kbit/s)" : chart.axis);
  tools::Table::Row headings{">" + axis};
  std::vector<double> values;
  for (const auto line : chart.lines) {
    headings.push_back(">" + std::string(line));
    for (const auto& [x, s] : line_of(results, chart.figure, chart.users, line)) values.push_back(x);
  }
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  tools::Table table(std::move(headings));
  for (const double x : values) {
    tools::Table::Row row{setting_text(chart, x)};
    for (const auto line : chart.lines) {
      const auto at = results.find({chart.figure, chart.users, line, x});
      row.push_back(at == results.end() ? "-" : cell_of(chart, at->second));
    }
    table.add(std::move(row));
  }
  if (table.empty()) return "";
  return std::string(chart.title) + ": kbit/s" + (shows_round_trips(chart) ? " and mean round trip" : "") +
         (shows_losses(chart) ? " and loss" : "") + "\n" + table.text() + "\n";
}

std::string name_of(WindowFigure figure) {
  constexpr std::array<std::string_view, 6> kNames{"capacity", "variants", "buffer",
                                                   "latency",  "random",   "congestion"};
  return std::string(kNames[static_cast<std::size_t>(figure)]);
}

}  // namespace

std::string window_text(const WindowOutcome& o) {
  std::string text = "Paper " + std::string(o.paper->name) + ", " + std::string(o.paper->title) + "\n" +
                     std::to_string(o.setting.runs) + (o.setting.runs == 1 ? " run of " : " runs of ") +
                     text_of(o.setting.duration_s, 0) + " s a point from seed " +
                     std::to_string(o.setting.seed) + "; ± is half of the 90 % interval";
  for (const auto& argument : o.set) text += "; --set " + argument;
  text += "\n\n";
  for (const Chart& chart : kCharts) {
    if (chart.over != Chart::Over::round_trip) text += chart_text(o.results, chart);
  }
  text += claims_text("CLAIM", "PAPER", window_claims(o.results));
  text += "\nFitted to the papers' figures, not given by them: " + fitted_text(*o.paper) + "\n";
  return text + speed_text(o.flow_seconds, o.wall_s) + partial_text(o.setting.partial);
}

Json window_json(const WindowOutcome& o) {
  Json rows = Json::array();
  for (const auto& [point, s] : o.results) {
    rows.push_back({{"figure", name_of(point.figure)},
                    {"users", point.users},
                    {"line", std::string(point.line)},
                    {"x", point.x},
                    {"goodput_kbit_s", json_of(s.goodput_kbit_s)},
                    {"rtt_s", json_of(s.rtt_s)},
                    {"loss", json_of(s.loss)},
                    {"overflow", json_of(s.overflow)},
                    {"timeouts", json_of(s.timeouts)},
                    {"jain", json_of(s.jain)}});
  }
  Json document = document_json(o.setting, std::move(rows), o.flow_seconds, o.wall_s);
  document["set"] = o.set;
  document["fitted"] = fitted_text(*o.paper);
  document["claims"] = claims_json(window_claims(o.results));
  return document;
}

void draw_window(const std::filesystem::path& folder, const WindowOutcome& o) {
  for (const Chart& chart : kCharts) {
    std::vector<Series> all;
    for (const auto line : chart.lines) {
      Series series{std::string(line), {}};
      for (const auto& [x, s] : line_of(o.results, chart.figure, chart.users, line)) {
        const double at = chart.over == Chart::Over::round_trip ? s.rtt_s.mean
                          : chart.over == Chart::Over::loss     ? s.loss.mean
                                                                : x;
        if (!chart.logarithmic || at > 0) series.points.emplace_back(at, s.goodput_kbit_s);
      }
      if (!series.points.empty()) all.push_back(std::move(series));
    }
    if (all.empty()) continue;
    const std::string name = "paper-" + std::string(o.paper->name) + "-" + std::string(chart.file);
    draw_series({folder, name}, "Paper 001, " + std::string(chart.title), std::string(chart.axis), all,
                chart.logarithmic);
  }
}

}  // namespace lab
