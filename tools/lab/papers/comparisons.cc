#include "tools/lab/papers/comparisons.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

namespace lab {
namespace {

constexpr double kAny = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostPairs = 8;

enum class Figure { goodput, delay };
enum class By { percent, difference };                    // difference: kbit/s or s
enum class Of { each, each_last_largest, lowest, mean };  // the changes of which the limits speak

struct Pair {
  std::string_view id, base;
};
using Pairs = std::array<Pair, kMostPairs>;

// How a figure changes from row `base` to row `id`, and within which limits (of percentages: as ratios). The
// paper's changes are those of its rows, or, where it prints changes alone, these.
struct Comparison {
  std::string_view paper;
  std::string_view text;
  Figure figure;
  By by;
  Of of;
  double low, high;
  Need need;
  const Pairs& pairs;
  std::array<double, kMostPairs> printed{};
};

// clang-format off
constexpr Pairs
    kPdpc{{{"A3", "A1"}}}, kPdpcOfFour{{{"A8", "A6"}}},
    kAcks{{{"A2", "A1"}, {"A4", "A1"}, {"A5", "A1"}}}, kAcksOfFour{{{"A7", "A6"}, {"A9", "A6"}, {"A10", "A6"}}},
    kScheme1{{{"A4", "A2"}, {"A9", "A7"}}},
    kHigher{{{"A15/1", "A3"}}}, kHigherBoth{{{"A15/1", "A3"}, {"A15/4", "A8"}}},
    kSbd{{{"B2/384", "B5/384"}, {"B2/256", "B5/256"}, {"B2/128", "B5/128"}, {"B2/64", "B5/64"}}},
    kRed{{{"B4/384", "B5/384"}, {"B4/256", "B5/256"}, {"B4/128", "B5/128"}, {"B4/64", "B5/64"}}},
    kBoth{{{"B2/384", "B5/384"}, {"B2/256", "B5/256"}, {"B2/128", "B5/128"}, {"B2/64", "B5/64"},
           {"B4/384", "B5/384"}, {"B4/256", "B5/256"}, {"B4/128", "B5/128"}, {"B4/64", "B5/64"}}},
    kSbdOfFour{{{"B7/sbd-384", "B6/384"}, {"B7/sbd-256", "B6/256"}, {"B7/sbd-128", "B6/128"}, {"B7/sbd-64", "B6/64"}}},
    kRedOfFour{{{"B7/red-384", "B6/384"}, {"B7/red-256", "B6/256"}, {"B7/red-128", "B6/128"}, {"B7/red-64", "B6/64"}}},
    kTable3{{{"B2/384", "B1/384"}, {"B2/256", "B1/256"}, {"B2/128", "B1/128"}, {"B2/64", "B1/64"}}},
    kTable5{{{"B4/384", "B3/384"}, {"B4/256", "B3/256"}, {"B4/128", "B3/128"}, {"B4/64", "B3/64"}}},
    kHighMinth{{{"B11/20-1000", "B2/384"}}}, kLowMinth{{{"B11/5-1000", "B11/20-1000"}}};

constexpr auto kPercent = By::percent;
constexpr auto kEach = Of::each;
constexpr auto kMust = Need::required;
constexpr auto kMay = Need::told;

// "Around" is taken for half as much more or less of the printed 0.2 s and 10 kbit/s, and for a quarter of the
// printed percentages.
constexpr std::array kComparisons{
    Comparison{"000", "one flow: PDPC's delay is below drop-tail's",
               Figure::delay, kPercent, kEach, -kAny, 0, kMust, kPdpc},
    Comparison{"000", "one flow: PDPC's goodput is above drop-tail's",
               Figure::goodput, kPercent, kEach, 0, kAny, kMay, kPdpc},
    Comparison{"000", "four flows: PDPC's delay is at least 20 % below drop-tail's",
               Figure::delay, kPercent, kEach, -kAny, -0.20, kMust, kPdpcOfFour},
    Comparison{"000", "four flows: PDPC's goodput is at most 1 % below drop-tail's",
               Figure::goodput, kPercent, kEach, -0.01, kAny, kMust, kPdpcOfFour},
    Comparison{"000", "one flow: the delays of ACK rate control and of combined schemes 1 and 2 are below drop-tail's",
               Figure::delay, kPercent, kEach, -kAny, 0, kMust, kAcks},
    Comparison{"000", "and their goodputs above",
               Figure::goodput, kPercent, kEach, 0, kAny, kMust, kAcks},
    Comparison{"000", "four flows: the delays of ACK rate control and of both schemes are below drop-tail's",
               Figure::delay, kPercent, kEach, -kAny, 0, kMust, kAcksOfFour},
    Comparison{"000", "by up to about 50 %",
               Figure::delay, kPercent, Of::lowest, -0.625, -0.375, kMust, kAcksOfFour},
    Comparison{"000", "and their goodputs are no lower (within 5 %)",
               Figure::goodput, kPercent, kEach, -0.05, kAny, kMust, kAcksOfFour},
    Comparison{"000", "combined scheme 1 has about 5 kbit/s less goodput than ACK rate control, with one flow and with four",
               Figure::goodput, By::difference, kEach, -7.5, -2.5, kMay, kScheme1},
    Comparison{"000", "PDPC's maxth from 30 to 40 costs about 0.2 s of delay, with one flow and with four",
               Figure::delay, By::difference, kEach, 0.1, 0.3, kMust, kHigherBoth, {0.2, 0.2}},
    Comparison{"000", "and has about 10 kbit/s more goodput, with one flow",
               Figure::goodput, By::difference, kEach, 5, 15, kMay, kHigher, {10}},
    Comparison{"002", "one flow: SBD's delay is below drop-tail's at each rate",
               Figure::delay, kPercent, kEach, -kAny, 0, kMust, kSbd},
    Comparison{"002", "one flow: RED's delay is below drop-tail's at each rate",
               Figure::delay, kPercent, kEach, -kAny, 0, kMust, kRed},
    Comparison{"002", "one flow: SBD's goodput is above drop-tail's at each rate, most at 64 kbit/s",
               Figure::goodput, kPercent, Of::each_last_largest, 0, kAny, kMust, kSbd},
    Comparison{"002", "one flow: RED's goodput is above drop-tail's at each rate, most at 64 kbit/s",
               Figure::goodput, kPercent, Of::each_last_largest, 0, kAny, kMust, kRed},
    Comparison{"002", "four flows: SBD's delay is below drop-tail's at each rate",
               Figure::delay, kPercent, kEach, -kAny, 0, kMust, kSbdOfFour, {-0.21, -0.25, -0.35, -0.23}},
    Comparison{"002", "four flows: RED's delay is below drop-tail's at each rate",
               Figure::delay, kPercent, kEach, -kAny, 0, kMust, kRedOfFour, {-0.21, -0.19, -0.39, -0.40}},
    Comparison{"002", "four flows: SBD's goodput is above drop-tail's at each rate",
               Figure::goodput, kPercent, kEach, 0, kAny, kMay, kSbdOfFour, {0.03, 0.04, 0.08, 0.08}},
    Comparison{"002", "four flows: RED's goodput is above drop-tail's at each rate",
               Figure::goodput, kPercent, kEach, 0, kAny, kMay, kRedOfFour, {0.03, 0.02, 0.07, 0.08}},
    Comparison{"002", "SBD: the delays of Table 3 are below those of Table 2",
               Figure::delay, kPercent, kEach, -kAny, 0, kMust, kTable3},
    Comparison{"002", "RED: the delays of Table 5 are below those of Table 4",
               Figure::delay, kPercent, kEach, -kAny, 0, kMust, kTable5},
    Comparison{"002", "SBD: Table 3's delay is up to 30 % below Table 2's",
               Figure::delay, kPercent, Of::lowest, -kAny, -0.295, kMay, kTable3},
    Comparison{"002", "and its goodput no more than 4 % below",
               Figure::goodput, kPercent, kEach, -0.045, kAny, kMust, kTable3},
    Comparison{"002", "one flow, SBD and RED, all rates: the delay is about 45 % below drop-tail's",
               Figure::delay, kPercent, Of::mean, -0.56, -0.34, kMust, kBoth},
    Comparison{"002", "and the goodput about 12 % above",
               Figure::goodput, kPercent, Of::mean, 0.09, 0.15, kMust, kBoth},
    Comparison{"002", "SBD at 384 kbit/s, minth 20 (at least 2 x BDP): T_r of 1000 ms for 200 ms costs no more than 5 %",
               Figure::goodput, kPercent, kEach, -0.05, kAny, kMay, kHighMinth},
    Comparison{"002", "and then minth 5 (below 2 x BDP) has less goodput",
               Figure::goodput, kPercent, kEach, -kAny, 0, kMay, kLowMinth},
};
// clang-format on

using Changes = std::vector<double>;

double change(double value, double base, By by) {
  return by == By::percent ? value / base - 1 : value - base;
}

// Nothing unless all rows of the comparison have been run.
Changes ours_of(const Comparison& c, std::span<const PaperRow* const> rows, const Results& results) {
  const auto ran = [&](std::string_view id) {
    return results.contains(id) && std::ranges::find(rows, id, &PaperRow::id) != rows.end();
  };
  Changes all;
  for (const Pair& pair : c.pairs) {
    if (pair.id.empty()) break;
    if (!ran(pair.id) || !ran(pair.base)) return {};
    const auto figure = [&](const RowSummary& s) {
      return c.figure == Figure::goodput ? s.goodput().mean : s.delay().mean;
    };
    all.push_back(
        change(figure(results.find(pair.id)->second), figure(results.find(pair.base)->second), c.by));
  }
  return all;
}

Changes papers_of(const Comparison& c, std::span<const PaperRow* const> rows, std::size_t count) {
  if (c.printed[0] != 0) return {c.printed.begin(), c.printed.begin() + static_cast<std::ptrdiff_t>(count)};
  Changes all;
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = std::ranges::find(rows, c.pairs[i].id, &PaperRow::id);
    const auto base = std::ranges::find(rows, c.pairs[i].base, &PaperRow::id);
    if (row == rows.end() || base == rows.end() || !(*row)->printed() || !(*base)->printed()) return {};
    const auto figure = [&](const PaperRow& r) {
      return c.figure == Figure::goodput ? r.goodput_kbit_s.mean : r.delay_s.mean;
    };
    all.push_back(change(figure(**row), figure(**base), c.by));
  }
  return all;
}

// What the limits speak of.
Changes judged(const Comparison& c, const Changes& all) {
  if (all.empty()) return {};
  if (c.of == Of::lowest) return {std::ranges::min(all)};
  return c.of == Of::mean ? Changes{mean(all)} : all;
}

bool holds(const Comparison& c, const Changes& all) {
  const bool within =
      std::ranges::all_of(judged(c, all), [&](double value) { return c.low <= value && value <= c.high; });
  return within && (c.of != Of::each_last_largest || std::ranges::max(all) == all.back());
}

std::string text_of(const Comparison& c, const Changes& all) {
  std::string text;
  for (const double value : judged(c, all)) {
    char one[32];
    const bool percent = c.by == By::percent, seconds = c.figure == Figure::delay;
    std::snprintf(one, sizeof(one), percent || !seconds ? "%+.1f" : "%+.2f", percent ? value * 100 : value);
    text += (text.empty() ? "" : ", ") + std::string(one);
  }
  if (text.empty()) return "-";
  return text + (c.by == By::percent ? " %" : c.figure == Figure::delay ? " s" : " kbit/s");
}

}  // namespace

void add_comparisons(std::vector<Claim>& out, std::string_view paper, std::span<const PaperRow* const> rows,
                     const Results& results) {
  for (const Comparison& c : kComparisons) {
    if (c.paper != paper) continue;
    const Changes ours = ours_of(c, rows, results);
    if (ours.empty()) continue;
    out.push_back({std::string(c.text), text_of(c, papers_of(c, rows, ours.size())), text_of(c, ours),
                   holds(c, ours), c.need});
  }
}

}  // namespace lab
