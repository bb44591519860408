// Claims about a paper's rows: limits on how far our values may differ, and the paper's statements about how
// rows compare. Plain functions over results.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/lab/figures/summary.h"
#include "tools/lab/papers/catalogue.h"
#include "tools/lab/papers/experiment.h"

namespace lab {

// Our value relative to the paper's.
struct RowVerdict {
  double goodput_ratio = 0, delay_ratio = 0;
  bool goodput_inside = false, delay_inside = false;
};
RowVerdict judge(const PaperRow& row, const RowSummary& ours);

// A statement with the paper's value, our value, and whether they agree. Some statements need not hold and
// are reported for honesty's sake.
enum class Need { required, told };
struct Claim {
  std::string text, paper, ours;
  bool holds = false;
  Need need = Need::required;
};

// The rules over these rows: each row's limits, the means, delay within 15 % on nine rows of ten. Means and
// shares are required of ten rows or more; of fewer they are only reported.
inline constexpr std::size_t kRowsOfARule = 10;
// `limits`: text for the limits of goodput; empty: each row has its own.
std::vector<Claim> verdicts(std::span<const PaperRow* const> rows, const Results& results,
                            const std::string& limits = "");

// The paper's statements that these rows suffice to judge.
std::vector<Claim> claims(const Paper& paper, std::span<const PaperRow* const> rows, const Results& results);

}  // namespace lab
