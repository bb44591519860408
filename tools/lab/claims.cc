#include "tools/lab/claims.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "tools/lab/comparisons.h"

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
    const double ours = results.at(id).delay().mean;
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
void add_occupancy(std::vector<Claim>& out, const Results& results) {
  const auto row = results.find("A1");
  if (row == results.end()) return;
  const double ours = row->second.of(&RunFigures::bo).mean;
  out.push_back({"A1: the mean buffer occupancy is around 24 SDUs (within 15 %)", "24 SDUs",
                 format("%.1f SDUs", ours), error(ours / 24) <= 0.15});
}

struct Errors {
  std::size_t rows = 0, goodput_inside = 0, delay_inside = 0, delay_near = 0;
  double goodput_sum = 0, delay_sum = 0;
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
  Errors e;
  for (const PaperRow* row : rows) {
    const auto ours = results.find(row->id);
    if (ours == results.end() || !row->printed()) continue;
    const RowVerdict v = judge(*row, ours->second);
    ++e.rows;
    e.goodput_inside += v.goodput_inside;
    e.delay_inside += v.delay_inside;
    e.delay_near += error(v.delay_ratio) <= kMostDelayLimit;
    e.goodput_sum += error(v.goodput_ratio);
    e.delay_sum += error(v.delay_ratio);
  }
  if (e.rows == 0) return {};
  const double goodput = e.goodput_sum / static_cast<double>(e.rows),
               delay = e.delay_sum / static_cast<double>(e.rows);
  const Need need = e.rows < kRowsOfARule ? Need::told : Need::required;
  return {
      {"goodput within its limit on every row", "5 %; 7.5 % at 128 kbit/s, with RED",
       share(e.goodput_inside, e.rows), e.goodput_inside == e.rows},
      {"goodput off by at most 3 % on average", "3 %", format("%.1f %%", goodput * 100),
       goodput <= kMeanGoodputLimit, need},
      {"delay within 25 % on every row", "25 %", share(e.delay_inside, e.rows), e.delay_inside == e.rows},
      {"delay within 15 % on nine rows of ten", "15 %", share(e.delay_near, e.rows),
       e.delay_near * 10 >= e.rows * 9, need},
      {"delay off by at most 7 % on average", "7 %", format("%.1f %%", delay * 100), delay <= kMeanDelayLimit,
       need},
  };
}

std::vector<Claim> claims(const Paper& paper, std::span<const PaperRow* const> rows, const Results& results) {
  std::vector<Claim> all;
  for (const Rising& rising : kRising) {
    if (rising.paper == paper.name) add_rising(all, rising, rows, results);
  }
  add_comparisons(all, paper.name, rows, results);
  if (paper.name == "000") add_occupancy(all, results);
  return all;
}

}  // namespace lab
