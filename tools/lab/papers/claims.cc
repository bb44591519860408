#include "tools/lab/papers/claims.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "tools/lab/papers/comparisons.h"

namespace lab {
namespace {

constexpr double kMeanGoodputLimit = 0.03, kMeanDelayLimit = 0.07, kMostDelayLimit = 0.15;

template <class... Args>
std::string format(const char* pattern, Args... args) {
  char text[128];
  std::snprintf(text, sizeof(text), pattern, args...);
  return text;
}

double error(double ratio) { return std::abs(ratio - 1); }

// Delays in the order in which they should rise.
struct Rising {
  std::string_view paper;
  std::string_view text;
  std::array<std::string_view, 4> ids;
};
constexpr std::array kRising{
    Rising{"000", "the delay rises with the number of flows", {"A1", "A6"}},
    Rising{"000",
           "one flow: the delay rises from PDPC over combined schemes 1 and 2 to drop-tail",
           {"A3", "A4", "A5", "A1"}},
    Rising{"002", "one flow: the delay rises as the rate falls", {"B5/384", "B5/256", "B5/128", "B5/64"}},
    Rising{"002", "four flows: the delay rises as the rate falls", {"B6/384", "B6/256", "B6/128", "B6/64"}},
    Rising{"002", "384 kbit/s: the delay rises with the number of flows", {"B5/384", "B6/384"}},
    Rising{"002", "256 kbit/s: the delay rises with the number of flows", {"B5/256", "B6/256"}},
    Rising{"002", "128 kbit/s: the delay rises with the number of flows", {"B5/128", "B6/128"}},
    Rising{"002", "64 kbit/s: the delay rises with the number of flows", {"B5/64", "B6/64"}},
};

const PaperRow* find(std::span<const PaperRow* const> rows, std::string_view id, const Results& results) {
  const auto at = std::ranges::find(rows, id, &PaperRow::id);
  return at == rows.end() || !results.contains(id) ? nullptr : *at;
}

void add_rising(std::vector<Claim>& out, const Rising& rising, std::span<const PaperRow* const> rows,
                const Results& results) {
  Claim claim{std::string(rising.text), "", "", true};
  double last = 0;
  for (const std::string_view id : rising.ids) {
    if (id.empty()) continue;
    const PaperRow* row = find(rows, id, results);
    if (row == nullptr) return;
    const double ours = results.find(id)->second.delay().mean;
    const char* between = claim.paper.empty() ? "" : " < ";
    claim.paper += between + format("%.2f", row->delay_s.mean);
    claim.ours += (claim.ours.empty() ? "" : ours > last ? " < " : " >= ") + format("%.2f", ours);
    claim.holds = claim.holds && ours > last;
    last = ours;
  }
  claim.paper += " s";
  claim.ours += " s";
  out.push_back(std::move(claim));
}

// 000 section 5. "Around" is taken for 15 %.
void add_occupancy(std::vector<Claim>& out, std::string_view id, int sdus, const Results& results) {
  const auto row = results.find(id);
  if (row == results.end()) return;
  const double ours = row->second.of(&RunFigures::bo).mean;
  out.push_back(
      {std::string(id) + format(": the mean buffer occupancy is around %d SDUs (within 15 %%)", sdus),
       format("%d SDUs", sdus), format("%.1f SDUs", ours), error(ours / sdus) <= 0.15});
}

// Of rows that are judged by the figure.
struct Errors {
  std::size_t rows = 0, inside = 0, near = 0;
  double sum = 0;

  void add(double ratio, double limit) {
    if (limit == kUnjudged) return;
    ++rows;
    inside += error(ratio) <= limit;
    near += error(ratio) <= kMostDelayLimit;
    sum += error(ratio);
  }
  double mean() const { return sum / static_cast<double>(rows); }
  Need need() const { return rows < kRowsOfARule ? Need::told : Need::required; }
};

std::string share(std::size_t part, std::size_t all) {
  return std::to_string(part) + " of " + std::to_string(all);
}

}  // namespace

RowVerdict judge(const PaperRow& row, const RowSummary& ours) {
  RowVerdict v;
  v.goodput_ratio = ours.goodput().mean / row.goodput_kbit_s.mean;
  v.delay_ratio = ours.delay().mean / row.delay_s.mean;
  v.goodput_inside = error(v.goodput_ratio) <= row.goodput_limit;
  v.delay_inside = error(v.delay_ratio) <= row.delay_limit;
  return v;
}

std::vector<Claim> verdicts(std::span<const PaperRow* const> rows, const Results& results) {
  Errors goodput, delay;
  for (const PaperRow* row : rows) {
    const auto ours = results.find(row->id);
    if (ours == results.end() || !row->printed()) continue;
    const RowVerdict v = judge(*row, ours->second);
    goodput.add(v.goodput_ratio, row->goodput_limit);
    delay.add(v.delay_ratio, row->delay_limit);
  }
  std::vector<Claim> all;
  if (goodput.rows != 0) {
    all.push_back({"goodput within its limit on every row", "5 %; 7.5 % at 128 kbit/s, with RED",
                   share(goodput.inside, goodput.rows), goodput.inside == goodput.rows});
    all.push_back({"goodput off by at most 3 % on average", "3 %", format("%.1f %%", goodput.mean() * 100),
                   goodput.mean() <= kMeanGoodputLimit, goodput.need()});
  }
  if (delay.rows != 0) {
    all.push_back({"delay within 25 % on every row", "25 %", share(delay.inside, delay.rows),
                   delay.inside == delay.rows});
    all.push_back({"delay within 15 % on nine rows of ten", "15 %", share(delay.near, delay.rows),
                   delay.near * 10 >= delay.rows * 9, delay.need()});
    all.push_back({"delay off by at most 7 % on average", "7 %", format("%.1f %%", delay.mean() * 100),
                   delay.mean() <= kMeanDelayLimit, delay.need()});
  }
  return all;
}

std::vector<Claim> claims(const Paper& paper, std::span<const PaperRow* const> rows, const Results& results) {
  std::vector<Claim> all;
  for (const Rising& rising : kRising) {
    if (rising.paper == paper.name) add_rising(all, rising, rows, results);
  }
  add_comparisons(all, paper.name, rows, results);
  if (paper.name == "000") {
    add_occupancy(all, "A1", 24, results);
    add_occupancy(all, "A4", 16, results);
  }
  return all;
}

}  // namespace lab
