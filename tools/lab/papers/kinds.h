// The kinds of values (config/notation/table.h) of a paper's file.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "config/notation/kinds.h"
#include "config/notation/syntax.h"
#include "config/notation/table.h"
#include "config/notation/words.h"
#include "tools/lab/batch/kinds.h"
#include "tools/lab/papers/catalogue.h"

namespace lab {

inline constexpr config::Checkable<std::string> kText{"text", "text", config::parse_argument,
                                                      config::write_text};
inline constexpr config::Quantity<std::uint32_t> kCount{dp::Unit::count, 1, 1'000'000};

struct LimitKind {
  static constexpr config::Quantity<double> kRatio{dp::Unit::ratio, 0, 1};
  std::string type() const { return "ratio"; }
  std::string values() const { return "told, or " + kRatio.values(); }
  dp::Result<double> parse(const config::Node& node, bool strict) const {
    if (node.text() == "told") return kUnjudged;
    return kRatio.parse(node, strict);
  }
};

// A figure of a row: a member of JSON's rows.
struct FigureKind {
  std::string type() const { return "name"; }
  std::string values() const { return "a figure of a row, such as delay_s"; }
  dp::Result<const Quantity*> parse(const config::Node& node, bool) const {
    const auto at = std::ranges::find(kQuantities, node.text(), &Quantity::key);
    if (at == kQuantities.end()) return dp::Error{values()};
    return &*at;
  }
};

struct PairKind {
  static constexpr std::string_view kOver = " over ";
  std::string type() const { return "text"; }
  std::string values() const { return "ROW over ROW"; }
  dp::Result<RowPair> parse(const config::Node& node, bool) const {
    const std::string text(node.text());
    const auto at = text.find(kOver);
    if (at == std::string::npos) return dp::Error{values()};
    return RowPair{text.substr(0, at), text.substr(at + kOver.size())};
  }
};

inline constexpr std::array<std::string_view, 11> kSceneFigures{
    "response", "all-sizes", "short-sizes", "normalised", "from-request", "all-from-request",
    "slots",    "web-slots", "ftp-slots",   "jain",       "ftp-goodput"};

inline constexpr std::array<std::string_view, 5> kFigureValues{"goodput", "throughput", "fairness",
                                                               "buffer-use", "file-rate"};

// FIGURE/USERS/LINE, FIGURE/USERS/VALUE/LINE or SCENE/SCENEFIGURE/LINE, with an optional base.
struct LineNameKind {
  std::string type() const { return "text"; }
  std::string values() const {
    return "FIGURE/USERS/LINE, FIGURE/USERS/LINE over LINE, or per LINE, where USERS/" +
           config::one_of(kFigureValues) + " says what is read; of scenes SCENE/" +
           config::one_of(kSceneFigures) + "/LINE";
  }
  dp::Result<FigureLineName> parse(const config::Node& node, bool) const {
    std::istringstream words{std::string(node.text())};
    std::string name, to, base, more;
    words >> name >> to >> base >> more;
    const auto first = name.find('/'), last = name.rfind('/');
    const std::string middle = first == last ? "" : name.substr(first + 1, last - first - 1);
    const auto reading = std::ranges::find(kSceneFigures, middle);
    const bool scene = reading != kSceneFigures.end();
    const auto slash = std::min(middle.find('/'), middle.size());
    const auto users = scene ? std::optional(1.) : number_of(middle.substr(0, slash));
    const auto value = slash == middle.size() ? kFigureValues.begin()
                                              : std::ranges::find(kFigureValues, middle.substr(slash + 1));
    if (!users || *users < 1 || *users > 1000 || *users != std::floor(*users) ||
        value == kFigureValues.end() || !more.empty() ||
        (!to.empty() && (base.empty() || (to != "over" && to != "per")))) {
      return dp::Error{values()};
    }
    FigureLineName out{.figure = name.substr(0, first),
                       .users = static_cast<unsigned>(*users),
                       .value = static_cast<FigureValue>(value - kFigureValues.begin()),
                       .line = name.substr(last + 1)};
    if (scene) out.of_scene = static_cast<SceneFigure>(reading - kSceneFigures.begin());
    if (!to.empty()) out.to = to == "over" ? FigureLineName::To::over : FigureLineName::To::per;
    out.base_x = number_of(base);
    if (const auto end = base.find('/'); end != std::string::npos) out.base_figure = base.substr(0, end);
    out.base = base.substr(out.base_figure.empty() ? 0 : out.base_figure.size() + 1);
    return out;
  }
};

struct FigureOfLineKind {
  std::string type() const { return "text"; }
  std::string values() const { return "FIGURE/LINE"; }
  dp::Result<FigureOfLine> parse(const config::Node& node, bool) const {
    const std::string text(node.text());
    const auto slash = text.find('/');
    if (slash == std::string::npos) return dp::Error{values()};
    return FigureOfLine{text.substr(0, slash), text.substr(slash + 1)};
  }
};

// A format for at most eight numbers.
struct PatternKind {
  std::string type() const { return "text"; }
  std::string values() const { return "text such as \"{:.0f} ms\""; }
  dp::Result<std::string> parse(const config::Node& node, bool) const {
    try {
      (void)fmt::format(fmt::runtime(node.text()), 0., 0., 0., 0., 0., 0., 0., 0.);
    } catch (const fmt::format_error&) {
      return dp::Error{values()};
    }
    return std::string(node.text());
  }
};

struct PlainTextKind {
  std::string type() const { return "text"; }
  std::string values() const { return "a value of the scenario"; }
  void load(config::Reader&, const config::Node& node, std::string& into) const { into = inline_text(node); }
};

}  // namespace lab
