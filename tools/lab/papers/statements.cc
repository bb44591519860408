#include "tools/lab/papers/statements.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/args.h>

namespace lab {
namespace {

using Values = std::vector<double>;

// Reads the curves of one statement.
class CurveReader {
 public:
  CurveReader(const Paper& paper, const Curves& curves, Chart::Over over)
      : paper_(paper), curves_(curves), over_(over) {}

  FigureCurve plain(const FigureLineName& name) const {
    const auto bound = std::ranges::find(paper_.bounds, name.line, &FigureBound::name);
    return bound == paper_.bounds.end() ? curves_(name, over_) : bounded(*bound, name);
  }
  // The value relative to the base, if there is one.
  double value(const FigureLineName& name, double x) const {
    const double y = value_at(plain(name), x);
    return beside(name, y, base_at(name, x));
  }
  FigureCurve curve(const FigureLineName& name) const {
    FigureCurve out;
    for (const auto& [x, y] : plain(name)) {
      const double value = beside(name, y, base_at(name, x));
      if (!std::isnan(value)) out.emplace_back(x, value);
    }
    return out;
  }

 private:
  static double beside(const FigureLineName& name, double y, double base) {
    using To = FigureLineName::To;
    return name.to == To::itself ? y : !(base > 0) ? kNaN : name.to == To::over ? y / base - 1 : y / base;
  }
  double base_at(const FigureLineName& name, double x) const {
    if (name.to == FigureLineName::To::itself) return kNaN;
    if (name.base_x) return value_at(plain(name), *name.base_x);
    FigureLineName other{.figure = name.figure,
                         .users = name.users,
                         .value = name.value,
                         .of_scene = name.of_scene,
                         .line = name.base};
    if (name.base == "best") return best_at(other, x);
    if (name.base_figure.empty()) return value_at(plain(other), x);
    other.figure = name.base_figure;
    const FigureCurve whole = plain(other);
    return whole.empty() ? kNaN : whole.back().second;
  }
  // Points at which all lines have a value.
  FigureCurve bounded(const FigureBound& bound, FigureLineName name) const {
    std::vector<FigureCurve> lines;
    for (const std::string& line : bound.of) {
      name.line = line;
      lines.push_back(curves_(name, over_));
    }
    FigureCurve out;
    for (const auto& [x, first] : lines.front()) {
      Values at;
      for (const FigureCurve& line : lines) at.push_back(point_at(line, x));
      if (std::ranges::any_of(at, [](double y) { return std::isnan(y); })) continue;
      using Take = FigureBound::Take;
      out.emplace_back(x, bound.take == Take::lowest    ? std::ranges::min(at)
                          : bound.take == Take::highest ? std::ranges::max(at)
                                                        : mean(at));
    }
    return out;
  }
  double best_at(FigureLineName name, double x) const {
    double best = kNaN;
    const std::size_t figure = figure_named(paper_, name.figure);
    if (figure == paper_.figures.size()) return best;
    for (const std::string& line : paper_.figures[figure].lines) {
      name.line = line;
      best = std::fmax(best, value_at(plain(name), x));
    }
    return best;
  }

  const Paper& paper_;
  const Curves& curves_;
  Chart::Over over_;
};

double taken(Statement::Take take, const Values& values) {
  if (values.empty()) return kNaN;
  if (take == Statement::Take::lowest) return std::ranges::min(values);
  return take == Statement::Take::highest ? std::ranges::max(values) : mean(values);
}

// The number of x at which the lines are in this order, and the number of x. The last but one may exceed the
// last by the ratio `slack`: on a full link that is chance.
Values in_order(const Statement& s, const CurveReader& reader) {
  double right = 0, all = 0;
  for (const auto& [x, last] : reader.plain(s.of.back())) {
    if (x < s.from || x > s.to) continue;
    Values at;
    for (const FigureLineName& name : s.of) at.push_back(reader.value(name, x));
    bool rises = at[at.size() - 2] <= (1 + s.slack) * last;
    for (std::size_t i = 0; i + 2 < at.size(); ++i) rises = rises && at[i] < at[i + 1];
    right += rises;
    ++all;
  }
  return all == 0 ? Values{} : Values{right, all};
}

// The number of rising sequences, and the number of sequences. NaN is no value.
Values risen(const Statement& s, const CurveReader& reader) {
  const bool along = s.judged == Statement::Judged::each_rises;
  const std::size_t sequences = along ? s.of.size() : s.at.size(), steps = along ? s.at.size() : s.of.size();
  double right = 0, all = 0;
  for (std::size_t n = 0; n < sequences; ++n) {
    Values values;
    for (std::size_t i = 0; i < steps; ++i) {
      values.push_back(reader.value(s.of[along ? n : i], s.at[along ? i : n]));
    }
    if (std::ranges::any_of(values, [](double v) { return std::isnan(v); })) continue;
    bool rises = true;
    for (std::size_t i = 1; i < steps; ++i) rises = rises && values[i] > values[i - 1] - s.slack;
    right += rises;
    ++all;
  }
  return all == 0 ? Values{} : Values{right, all};
}

// The differences of each second line from the first, at each of `at`.
Values differences(const Statement& s, const CurveReader& reader) {
  Values all;
  for (std::size_t i = 0; i + 1 < s.of.size(); i += 2) {
    for (const double x : s.at) all.push_back(reader.value(s.of[i + 1], x) - reader.value(s.of[i], x));
  }
  return all;
}

Values read(const Statement& s, const CurveReader& reader) {
  using enum Statement::Judged;
  if (s.judged == rise || s.judged == each_rises) return risen(s, reader);
  if (s.judged == Statement::Judged::added) return differences(s, reader);
  if (s.judged == Statement::Judged::order) return in_order(s, reader);
  Values all;
  for (const FigureLineName& name : s.of) {
    for (const double x : s.at)
      all.push_back(reader.value(name, s.over == Chart::Over::loss ? std::log10(x) : x));
    for (const Statement::Take take : s.take) {
      const FigureCurve curve = reader.curve(name);
      all.push_back(take == Statement::Take::fall ? falls_below_zero(curve)
                                                  : taken(take, values_of(curve, s.from, s.to)));
    }
  }
  if (s.judged == Statement::Judged::apart) {
    Values distances;
    for (std::size_t i = 0; i < all.size() / 2; ++i)
      distances.push_back(std::abs(all[i + all.size() / 2] - all[i]));
    return {std::ranges::max(distances)};
  }
  if (s.judged == Statement::Judged::farthest) {
    for (double& value : all) value = std::abs(value);
    all = {std::ranges::max(all)};
  }
  return all;
}

bool holds(const Statement& s, const Values& v) {
  using enum Statement::Judged;
  const auto rest = std::span(v).subspan(1);
  switch (s.judged) {
    case rise:
    case each_rises:
      return v[0] == v[1];
    case order:
      return std::isinf(s.at_least) ? v[0] == v[1] : v[0] >= s.at_least * v[1];
    case first_below_second:
      return v[0] < v[1];
    case first_above_second:
      return v[0] > s.times * v[1];
    case first_lowest:
      return v[0] < std::ranges::min(rest);
    case first_highest:
      return v[0] > std::ranges::max(rest);
    case each:
    case farthest:
    case apart:
    case added:
      break;
  }
  return std::ranges::all_of(v, [&](double value) { return s.at_least <= value && value <= s.at_most; });
}

// Our values beside the expected ones, at the points that ran.
std::optional<Claim> near_claim(const Statement& s, const CurveReader& reader) {
  const FigureCurve curve = reader.curve(s.of.front());
  Claim claim{s.text, "", "", true, s.told ? Need::told : Need::required};
  for (std::size_t i = 0; i < s.at.size(); ++i) {
    const double value = point_at(curve, s.at[i]);
    if (std::isnan(value)) continue;
    const char* between = claim.ours.empty() ? "" : ", ";
    claim.paper += between + fmt::format("{:.3f}", s.near[i]);
    claim.ours += between + fmt::format("{:.3f}", value);
    claim.holds = claim.holds && std::abs(value - s.near[i]) <= s.within;
  }
  if (claim.ours.empty()) return std::nullopt;
  claim.paper += fmt::format(" ± {:.2f}", s.within);
  return claim;
}

// Shares and changes are in percent.
std::string ours_text(const Statement& s, const Values& values) {
  using enum Statement::Judged;
  const bool counted = s.judged == rise || s.judged == each_rises || s.judged == order;
  const bool percent = !counted && s.of.front().to != FigureLineName::To::itself &&
                       std::ranges::find(s.take, Statement::Take::fall) == s.take.end();
  fmt::dynamic_format_arg_store<fmt::format_context> shown;
  for (const double value : values) shown.push_back(percent ? value * 100 : value);
  return fmt::vformat(!s.shown.empty() ? s.shown : percent ? "{:+.0f} %" : "{:.0f} kbit/s", shown);
}

}  // namespace

std::vector<Claim> statement_claims(const Paper& paper, const Curves& curves, bool brief) {
  std::vector<Claim> all;
  for (const Statement& s : paper.statements) {
    if (brief && s.long_only) continue;
    const CurveReader reader(paper, curves, s.over);
    if (!s.near.empty()) {
      if (auto claim = near_claim(s, reader)) all.push_back(std::move(*claim));
      continue;
    }
    const Values values = read(s, reader);
    if (values.empty() || std::ranges::any_of(values, [](double v) { return std::isnan(v); })) continue;
    all.push_back(
        {s.text, s.paper, ours_text(s, values), holds(s, values), s.told ? Need::told : Need::required});
  }
  return all;
}

std::vector<Claim> statement_claims(const Paper& paper, const FigureResults& results, bool brief) {
  const auto curve = [&](const FigureLineName& name, Chart::Over over) {
    return curve_of(results, figure_named(paper, name.figure), name.users, name.line, over, name.value);
  };
  return statement_claims(paper, curve, brief);
}

}  // namespace lab
