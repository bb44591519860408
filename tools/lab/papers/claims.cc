#include "tools/lab/papers/claims.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "dataplane/base/expect.h"
#include "tools/lab/papers/comparisons.h"

namespace lab {
namespace {

constexpr double kMeanGoodputLimit = 0.03, kMeanDelayLimit = 0.07, kMostDelayLimit = 0.15;

double error(double ratio) { return std::abs(ratio - 1); }

const PaperRow* find(std::span<const PaperRow* const> rows, std::string_view id, const Results& results) {
  const auto at = std::ranges::find(rows, id, &PaperRow::id);
  return at == rows.end() || !results.contains(id) ? nullptr : *at;
}

void add_rising(std::vector<Claim>& out, const RisingRows& rising, std::span<const PaperRow* const> rows,
                const Results& results) {
  Claim claim{rising.text, "", "", true};
  double last = 0;
  for (const std::string& id : rising.ids) {
    const PaperRow* row = find(rows, id, results);
    if (row == nullptr) return;
    const double ours = results.find(id)->second.delay().mean;
    const char* between = claim.paper.empty() ? "" : " < ";
    claim.paper += between + fmt::format("{:.2f}", row->delay_s.mean);
    claim.ours += (claim.ours.empty() ? "" : ours > last ? " < " : " >= ") + fmt::format("{:.2f}", ours);
    claim.holds = claim.holds && ours > last;
    last = ours;
  }
  claim.paper += " s";
  claim.ours += " s";
  out.push_back(std::move(claim));
}

// "Around" means within 15 %.
void add_occupancy(std::vector<Claim>& out, const Occupancy& around, const Results& results) {
  const auto row = results.find(around.id);
  if (row == results.end()) return;
  const double ours = row->second.of(&RunFigures::bo).mean;
  out.push_back(
      {fmt::format("{}: the mean buffer occupancy is around {} SDUs (within 15 %)", around.id, around.sdus),
       fmt::format("{} SDUs", around.sdus), fmt::format("{:.1f} SDUs", ours),
       error(ours / around.sdus) <= 0.15});
}

// Errors of the rows that this figure judges.
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
  double mean() const {
    DP_EXPECT(rows > 0);
    return sum / static_cast<double>(rows);
  }
  Need need() const { return rows < kRowsOfARule ? Need::told : Need::required; }
};

std::string part_text(std::size_t part, std::size_t all) { return fmt::format("{} of {}", part, all); }

}  // namespace

RowVerdict judge(const PaperRow& row, const RowSummary& ours) {
  RowVerdict v;
  v.goodput_ratio = ours.goodput().mean / row.goodput_kbit_s.mean;
  v.delay_ratio = ours.delay().mean / row.delay_s.mean;
  v.goodput_inside = error(v.goodput_ratio) <= row.goodput_limit;
  v.delay_inside = error(v.delay_ratio) <= row.delay_limit;
  return v;
}

std::vector<Claim> verdicts(std::span<const PaperRow* const> rows, const Results& results,
                            const std::string& limits) {
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
    all.push_back({"goodput within its limit on every row", limits.empty() ? "the row's" : limits,
                   part_text(goodput.inside, goodput.rows), goodput.inside == goodput.rows});
    all.push_back({"goodput off by at most 3 % on average", "3 %",
                   fmt::format("{:.1f} %", goodput.mean() * 100), goodput.mean() <= kMeanGoodputLimit,
                   goodput.need()});
  }
  if (delay.rows != 0) {
    all.push_back({"delay within 25 % on every row", "25 %", part_text(delay.inside, delay.rows),
                   delay.inside == delay.rows});
    all.push_back({"delay within 15 % on nine rows of ten", "15 %", part_text(delay.near, delay.rows),
                   delay.near * 10 >= delay.rows * 9, delay.need()});
    all.push_back({"delay off by at most 7 % on average", "7 %", fmt::format("{:.1f} %", delay.mean() * 100),
                   delay.mean() <= kMeanDelayLimit, delay.need()});
  }
  return all;
}

std::vector<Claim> claims(const Paper& paper, std::span<const PaperRow* const> rows, const Results& results) {
  std::vector<Claim> all;
  for (const RisingRows& rising : paper.rising) add_rising(all, rising, rows, results);
  add_comparisons(all, paper, rows, results);
  for (const Occupancy& around : paper.occupancy) add_occupancy(all, around, results);
  return all;
}

}  // namespace lab
