#include "tools/lab/papers/comparisons.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dataplane/base/expect.h"

namespace lab {
namespace {

using Changes = std::vector<double>;

double change(double value, double base, By by) {
  return by == By::percent ? value / base - 1 : value - base;
}

// Empty unless all rows of the comparison have run.
Changes ours_of(const RowChanges& c, std::span<const PaperRow* const> rows, const Results& results) {
  DP_EXPECT(c.of != nullptr);
  const auto ran = [&](std::string_view id) {
    return results.contains(id) && std::ranges::find(rows, id, &PaperRow::id) != rows.end();
  };
  const auto figure = [&](const std::string& id) { return results.at(id).of(c.of->member).mean; };
  Changes all;
  for (const RowPair& pair : c.pairs) {
    if (!ran(pair.id) || !ran(pair.base)) return {};
    all.push_back(change(figure(pair.id), figure(pair.base), c.by));
  }
  return all;
}

// NaN if the paper printed no value.
double printed_of(const PaperRow& row, const Quantity& figure) {
  if (figure.member == &RunFigures::goodput) return row.goodput_kbit_s.mean;
  return figure.member == &RunFigures::delay ? row.delay_s.mean : kNothing.mean;
}

Changes papers_of(const RowChanges& c, std::span<const PaperRow* const> rows) {
  if (!c.printed.empty()) return c.printed;
  Changes all;
  for (const RowPair& pair : c.pairs) {
    const auto row = std::ranges::find(rows, pair.id, &PaperRow::id);
    const auto base = std::ranges::find(rows, pair.base, &PaperRow::id);
    if (row == rows.end() || base == rows.end()) return {};
    all.push_back(change(printed_of(**row, *c.of), printed_of(**base, *c.of), c.by));
    if (std::isnan(all.back())) return {};
  }
  return all;
}

// The changes to which the limits apply.
Changes judged(const RowChanges& c, const Changes& all) {
  if (all.empty()) return {};
  if (c.judged == Judged::lowest) return {std::ranges::min(all)};
  return c.judged == Judged::mean ? Changes{mean(all)} : all;
}

bool holds(const RowChanges& c, const Changes& all) {
  const bool within = std::ranges::all_of(
      judged(c, all), [&](double value) { return c.at_least <= value && value <= c.at_most; });
  return within && (c.judged != Judged::each_last_largest || std::ranges::max(all) == all.back());
}

bool is_rate(const Quantity& figure) { return figure.key.ends_with("_kbit_s"); }
bool is_time(const Quantity& figure) { return figure.key.ends_with("_s") && !is_rate(figure); }

std::string changes_text(const RowChanges& c, const Changes& all) {
  const bool percent = c.by == By::percent;
  std::string text;
  for (const double value : judged(c, all)) {
    text += fmt::format("{}{:+.{}f}", text.empty() ? "" : ", ", percent ? value * 100 : value,
                        percent || !is_time(*c.of) ? 1 : 2);
  }
  if (text.empty()) return "-";
  if (percent) return text + " %";
  return text + (is_rate(*c.of) ? " kbit/s" : is_time(*c.of) ? " s" : "");
}

}  // namespace

void add_comparisons(std::vector<Claim>& out, const Paper& paper, std::span<const PaperRow* const> rows,
                     const Results& results) {
  for (const RowChanges& c : paper.changes) {
    const Changes ours = ours_of(c, rows, results);
    if (ours.empty()) continue;
    out.push_back({c.text, changes_text(c, papers_of(c, rows)), changes_text(c, ours), holds(c, ours),
                   c.told ? Need::told : Need::required});
  }
}

}  // namespace lab
