// What a paper's rows must show beside their values: the limits of how far ours may be off, and the paper's
// statements about how rows compare. Plain functions over results.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/lab/figures/summary.h"
#include "tools/lab/papers/catalogue.h"
#include "tools/lab/papers/experiment.h"

namespace lab {

// Ours over the paper's value.
struct RowVerdict {
  double goodput_ratio = 0, delay_ratio = 0;
  bool goodput_inside = false, delay_inside = false;
};
RowVerdict judge(const PaperRow& row, const RowSummary& ours);

// A sentence, what the paper has for it, what we have, and whether ours agrees. Not all statements have to
// hold: some are told for honesty's sake.
enum class Need { required, told };
struct Claim {
  std::string text, paper, ours;
  bool holds = false;
  Need need = Need::required;
};

// The rules over these rows: each row's limits, the means, delay within 15 % on nine rows of ten. Means and
// shares are rules of ten rows or more, and told of fewer.
inline constexpr std::size_t kRowsOfARule = 10;
// `limits`: of goodput, in words; empty: each row has its own.
std::vector<Claim> verdicts(std::span<const PaperRow* const> rows, const Results& results,
                            const std::string& limits = "");

// The paper's statements that these rows can show.
std::vector<Claim> claims(const Paper& paper, std::span<const PaperRow* const> rows, const Results& results);

}  // namespace lab
