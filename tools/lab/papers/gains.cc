#include "tools/lab/papers/gains.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dataplane/base/expect.h"
#include "tools/common/table.h"
#include "tools/lab/figures/plot.h"
#include "tools/lab/figures/text.h"

namespace lab {
namespace {

const std::vector<std::string>& lines_of(const GainTable& table, const GainRow& row) {
  return row.lines.empty() ? table.lines : row.lines;
}

// Null if it did not run.
const RowSummary* summary_of(const Paper& paper, const FigureResults& results, const GainRow& row,
                             std::string_view line) {
  const auto at = results.find({figure_named(paper, row.figure), 1, line, row.x});
  return at == results.end() ? nullptr : &at->second;
}

double expected(const GainRow& row, std::size_t line) {
  return line < row.gains.size() ? row.gains[line] : kNaN;
}

std::string percent_text(double value) { return std::isfinite(value) ? fmt::format("{:+.1f}", value) : "-"; }

// The smallest number of files in a cell of the row, over all runs.
double fewest_files(const Paper& paper, const FigureResults& results, const GainTable& table,
                    const GainRow& row) {
  std::vector<std::string> lines = lines_of(table, row);
  lines.push_back(table.over);
  double fewest = kNaN;
  for (const std::string& line : lines) {
    const RowSummary* const cell = summary_of(paper, results, row, line);
    if (cell == nullptr) continue;
    double files = 0;
    for (const RunFigures& run : cell->each()) files += run.files;
    fewest = std::fmin(fewest, files);
  }
  return fewest;
}

std::string table_text(const Paper& paper, const FigureResults& results, const GainTable& table) {
  tools::Table::Row headings{"", ">FILES", ">" + table.over + " kbit/s", ">EXPECTED"};
  for (const std::string& line : table.lines) {
    headings.push_back(">" + line + " %");
    headings.push_back(">EXPECTED");
  }
  tools::Table out(std::move(headings));
  for (const GainRow& row : table.rows) {
    const RowSummary* const base = summary_of(paper, results, row, table.over);
    if (base == nullptr) continue;
    tools::Table::Row cells{row.name, text_of(fewest_files(paper, results, table, row), 0),
                            text_of(base->of(&RunFigures::file_rate), 1), text_of(row.rate, 1)};
    for (std::size_t i = 0; i < table.lines.size(); ++i) {
      const Estimate gain = gain_of(paper, results, table, row, lines_of(table, row)[i]);
      cells.push_back(std::isfinite(gain.mean) ? percent_text(gain.mean) + " ± " + text_of(gain.ci90, 1)
                                               : "-");
      cells.push_back(percent_text(expected(row, i)));
    }
    out.add(std::move(cells));
  }
  return out.empty() ? "" : table.title + "\n" + out.text() + "\n";
}

// Counts successes, and collects the names of the failures.
class Tally {
 public:
  void add(bool right, const std::string& name) {
    ++all_;
    if (right) {
      ++right_;
    } else {
      others_ += (others_.empty() ? "; not " : ", ") + name;
    }
  }
  bool empty() const { return all_ == 0; }
  bool whole() const { return right_ == all_; }
  std::string text() const { return fmt::format("{} of {}{}", right_, all_, others_); }

 private:
  unsigned right_ = 0, all_ = 0;
  std::string others_;
};

void add_rates_claim(std::vector<Claim>& out, const Paper& paper, const FigureResults& results,
                     const GainTable& table) {
  Tally tally;
  for (const GainRow& row : table.rows) {
    const RowSummary* const base = summary_of(paper, results, row, table.over);
    if (base == nullptr || std::isnan(row.rate)) continue;
    const double off = base->of(&RunFigures::file_rate).mean / row.rate - 1;
    tally.add(std::abs(off) <= table.rates_within, fmt::format("{} ({:+.1f} %)", row.name, off * 100));
  }
  if (tally.empty()) return;
  out.push_back({fmt::format("{}: rates of {} within {:.0f} % of those expected", table.title, table.over,
                             table.rates_within * 100),
                 "expected", tally.text(), tally.whole(), Need::told});
}

// Claims that gains have the expected sign, and lines the expected order.
void add_order_claims(std::vector<Claim>& out, const Paper& paper, const FigureResults& results,
                      const GainTable& table) {
  Tally signs, orders;
  for (const GainRow& row : table.rows) {
    std::vector<double> ours;
    for (std::size_t i = 0; i < std::min(table.lines.size(), row.gains.size()); ++i) {
      ours.push_back(gain_of(paper, results, table, row, lines_of(table, row)[i]).mean);
    }
    if (ours.empty() || std::ranges::any_of(ours, [](double gain) { return std::isnan(gain); })) continue;
    bool sign = true, order = true;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      sign = sign && (ours[i] > 0) == (row.gains[i] > 0);
      order = order && (i == 0 || (ours[i] > ours[i - 1]) == (row.gains[i] > row.gains[i - 1]));
    }
    signs.add(sign, row.name);
    orders.add(order, row.name);
  }
  if (signs.empty()) return;
  out.push_back(
      {table.title + ": gains have the sign that was expected", "expected", signs.text(), signs.whole()});
  out.push_back({table.title + ": lines stand in the order that was expected", "expected", orders.text(),
                 orders.whole()});
}

// Claims that each gain is on the expected side of its counterpart in the row `from`.
void add_sides_claim(std::vector<Claim>& out, const Paper& paper, const FigureResults& results,
                     const GainTable& table) {
  const auto from = std::ranges::find(table.rows, table.from, &GainRow::name);
  DP_EXPECT(from != table.rows.end());
  const std::vector<double>& base = table.from_gains.empty() ? from->gains : table.from_gains;
  Tally tally;
  for (const GainRow& row : table.rows) {
    if (&row == &*from) continue;
    for (std::size_t i = 0; i < std::min({table.lines.size(), row.gains.size(), base.size()}); ++i) {
      const double expected = row.gains[i] - base[i];
      const double ours = gain_of(paper, results, table, row, lines_of(table, row)[i]).mean -
                          gain_of(paper, results, table, *from, lines_of(table, *from)[i]).mean;
      if (std::abs(expected) < table.least || std::isnan(ours)) continue;
      tally.add((ours > 0) == (expected > 0), fmt::format("{}, {}", row.name, lines_of(table, row)[i]));
    }
  }
  if (tally.empty()) return;
  out.push_back(
      {fmt::format("{}: gains lie on that side of those of \"{}\" where they were expected, of those "
                   "expected {:g} points and more away",
                   table.title, table.from, table.least),
       "expected", tally.text(), tally.whole()});
}

}  // namespace

Estimate gain_of(const Paper& paper, const FigureResults& results, const GainTable& table, const GainRow& row,
                 std::string_view line) {
  const RowSummary* const base = summary_of(paper, results, row, table.over);
  const RowSummary* const ours = summary_of(paper, results, row, line);
  if (base == nullptr || ours == nullptr) return kNothing;
  std::vector<double> gains;
  for (std::size_t i = 0; i < std::min(base->runs(), ours->runs()); ++i) {
    const double gain = (ours->each()[i].file_rate / base->each()[i].file_rate - 1) * 100;
    if (!std::isnan(gain)) gains.push_back(gain);
  }
  return gains.empty() ? kNothing : estimate(gains);
}

std::string gains_text(const Paper& paper, const FigureResults& results) {
  std::string text;
  for (const GainTable& table : paper.gains) text += table_text(paper, results, table);
  return text;
}

std::vector<Claim> gain_claims(const Paper& paper, const FigureResults& results) {
  std::vector<Claim> all;
  for (const GainTable& table : paper.gains) {
    if (table.rates_within > 0) add_rates_claim(all, paper, results, table);
    if (table.from.empty()) continue;
    add_order_claims(all, paper, results, table);
    add_sides_claim(all, paper, results, table);
  }
  return all;
}

Json gains_json(const Paper& paper, const FigureResults& results) {
  Json list = Json::array();
  for (const GainTable& table : paper.gains) {
    for (const GainRow& row : table.rows) {
      for (std::size_t i = 0; i < table.lines.size(); ++i) {
        const Estimate gain = gain_of(paper, results, table, row, lines_of(table, row)[i]);
        if (std::isnan(gain.mean)) continue;
        const double printed = expected(row, i);
        list.push_back({{"table", table.name},
                        {"row", row.name},
                        {"line", lines_of(table, row)[i]},
                        {"gain_percent", json_of(gain)},
                        {"expected_percent", std::isnan(printed) ? Json() : Json(printed)}});
      }
    }
  }
  return list;
}

void draw_gains(const std::filesystem::path& folder, const Paper& paper, const FigureResults& results) {
  for (const GainTable& table : paper.gains) {
    for (const FigurePoints& figure : paper.figures) {
      std::vector<Series> all;
      for (const std::string& line : table.lines) {
        Series series{line, {}};
        for (const GainRow& row : table.rows) {
          if (row.figure != figure.name) continue;
          const Estimate gain = gain_of(paper, results, table, row, line);
          if (!std::isnan(gain.mean)) series.points.emplace_back(row.x, gain);
        }
        if (series.points.size() > 1) all.push_back(std::move(series));
      }
      if (all.empty()) continue;
      draw_series({folder, fmt::format("paper-{}-{}-{}", paper.name, table.name, figure.name)},
                  fmt::format("Paper {}, {}: {}", paper.name, table.title, figure.name), table.axis, all,
                  false, {"gain over " + table.over + " (%)", "gain_percent", "gain_ci90"});
    }
  }
}

}  // namespace lab
