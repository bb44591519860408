#include "tools/lab/papers/catalogue_check.h"

#include <algorithm>

#include <fmt/args.h>
#include <fmt/format.h>

namespace lab {

using config::Node;
using config::Reader;

namespace {

bool has_scheme(const Paper& paper, const std::string& line) {
  return std::ranges::find(paper.lines, line, &FigureLine::name) != paper.lines.end();
}

// The reason why the scene or its line does not exist; empty if they do.
std::string fault_of_scene_line(const FigureLineName& name, const Paper& paper) {
  if (std::ranges::find(paper.scenes, name.figure, &Scene::name) == paper.scenes.end()) {
    return fmt::format("found {}, expected one of `scenes`", name.figure);
  }
  const bool based = name.to != FigureLineName::To::itself;
  for (const std::string& line : {name.line, based ? name.base : name.line}) {
    if (!has_scheme(paper, line)) return fmt::format("found {}, expected one of `lines`", line);
  }
  return {};
}

bool has_line(const Paper& paper, const std::string& figure, unsigned users, const std::string& line) {
  const auto found = std::ranges::find(paper.figures, figure, &FigurePoints::name);
  if (found == paper.figures.end() || std::ranges::find(found->users, users) == found->users.end())
    return false;
  const auto has = [&](const std::string& name) {
    return std::ranges::find(found->lines, name) != found->lines.end();
  };
  const auto bound = std::ranges::find(paper.bounds, line, &FigureBound::name);
  if (bound != paper.bounds.end()) return !bound->of.empty() && std::ranges::all_of(bound->of, has);
  return line == "best" || has(line);
}

// The reason why the chart's figure or lines do not exist; empty if they do.
std::string fault_of_chart(const Chart& chart, const Paper& paper) {
  for (const FigureOfLine& one : chart.lines) {
    if (has_line(paper, one.figure, chart.users, one.line)) continue;
    return fmt::format("found {}/{} in `lines`, expected a line of `figures`", one.figure, one.line);
  }
  const std::string line = chart.per.empty() ? "best" : chart.per;
  if (has_line(paper, chart.figure, chart.users, line)) return {};
  return fmt::format("found {}/{}{}{}, expected a line of `figures`", chart.figure, chart.users,
                     chart.per.empty() ? "" : "/", chart.per);
}

// The reason why the figure's points do not differ or its lines do not exist; empty if it is valid.
std::string fault_of_figure(const FigurePoints& figure, const Paper& paper) {
  if (figure.users.empty() || figure.lines.empty() || figure.x.empty()) {
    return fmt::format("found {} `users`, {} `lines` and {} `x`, expected one of each at least",
                       figure.users.size(), figure.lines.size(), figure.x.size());
  }
  for (const std::string& line : figure.lines) {
    if (!has_scheme(paper, line)) return fmt::format("found {}, expected one of `lines`", line);
  }
  return {};
}

std::string fault_of_scene(const Scene& scene, const Paper& paper) {
  if (scene.web.empty() && scene.ftp.empty()) return "found no user, expected one in `web` or `ftp`";
  return paper.lines.empty() ? "found no `lines`, expected the schemes that the scene is under" : "";
}

// The reason why a statement's lines do not exist; empty if they do.
std::string fault_of_lines(const Statement& s, const Paper& paper) {
  for (const FigureLineName& name : s.of) {
    if (name.figure.empty()) continue;
    if (name.of_scene) {
      if (std::string fault = fault_of_scene_line(name, paper); !fault.empty()) return fault;
      continue;
    }
    if (name.line == "best" || !has_line(paper, name.figure, name.users, name.line)) {
      return fmt::format("found {}/{}/{}, expected a line of `figures`", name.figure, name.users, name.line);
    }
    if (name.to == FigureLineName::To::itself || name.base_x) continue;
    const std::string& base = name.base_figure.empty() ? name.figure : name.base_figure;
    if (!has_line(paper, base, name.users, name.base)) {
      return fmt::format("found the line {} of {}/{}, expected one of `figures`, or best", name.base, base,
                         name.users);
    }
  }
  return {};
}

// The reason why a statement has too few values to be judged; empty if it has enough.
std::string fault_of_values(const Statement& s) {
  using Judged = Statement::Judged;
  const bool order = s.judged == Judged::order, first = s.judged > Judged::order;
  const bool rise = s.judged == Judged::rise || s.judged == Judged::each_rises;
  if (!s.near.empty() && (s.of.size() != 1 || s.near.size() != s.at.size() || !s.take.empty())) {
    return fmt::format(
        "found {} lines, {} numbers in `near` and {} in `at`, expected one line and as many of both",
        s.of.size(), s.near.size(), s.at.size());
  }
  const std::size_t values = order ? s.of.size() : s.of.size() * (s.at.size() + s.take.size());
  const std::size_t least = order || first ? 2 : 1;
  if (values < least) {
    return fmt::format(
        "found {} values to judge by, expected at least {}; add lines to `of`, or numbers to `at`", values,
        least);
  }
  if (s.judged == Judged::apart && s.of.size() != 2) {
    return fmt::format("found {} lines, expected two whose distance is judged", s.of.size());
  }
  if (s.judged == Judged::added && s.of.size() % 2 != 0) {
    return fmt::format("found {} lines, expected pairs of which the second is above the first", s.of.size());
  }
  if ((rise || s.judged == Judged::added) && !s.take.empty()) {
    return fmt::format("found `take`, expected numbers in `at`");
  }
  if (rise && (s.judged == Judged::rise ? s.of.size() : s.at.size()) < 2) {
    return fmt::format("found one value, expected two at least to rise from and to");
  }
  const bool one = s.judged == Judged::farthest || s.judged == Judged::apart;
  const std::size_t told = order || rise ? 2 : one ? 1 : s.judged == Judged::added ? values / 2 : values;
  fmt::dynamic_format_arg_store<fmt::format_context> shown;
  for (std::size_t i = 0; i < told; ++i) shown.push_back(0.);
  try {
    (void)fmt::vformat(s.shown, shown);
  } catch (const fmt::format_error&) {
    return fmt::format("found {} in `shown`, expected at most {} numbers, as many as there are values",
                       s.shown, told);
  }
  return {};
}

// The reason why the table's lines or points do not exist; empty if they do.
std::string fault_of_gains(const GainTable& table, const Paper& paper) {
  for (const GainRow& row : table.rows) {
    if (!row.lines.empty() && row.lines.size() != table.lines.size()) {
      return fmt::format("found {} `lines` in a row, expected as many as of the table, {}", row.lines.size(),
                         table.lines.size());
    }
    std::vector<std::string> lines = row.lines.empty() ? table.lines : row.lines;
    lines.push_back(table.over);
    for (const std::string& line : lines) {
      if (!has_line(paper, row.figure, 1, line)) {
        return fmt::format("found {}/1/{}, expected a line of `figures`", row.figure, line);
      }
    }
    const auto figure = std::ranges::find(paper.figures, row.figure, &FigurePoints::name);
    if (std::ranges::find(figure->x, row.x) == figure->x.end()) {
      return fmt::format("found {} in {}, expected one of the figure's `x`", row.x, row.figure);
    }
  }
  if (!table.from_gains.empty() && table.from_gains.size() != table.lines.size()) {
    return fmt::format("found {} `from_gains`, expected as many as `lines`, {}", table.from_gains.size(),
                       table.lines.size());
  }
  const auto named = std::ranges::find(table.rows, table.from, &GainRow::name);
  if (table.from.empty() || named != table.rows.end()) return {};
  return fmt::format("found {} in `from`, expected the name of a row", table.from);
}

}  // namespace

void check_kind(Reader& reader, const Node& root, const Paper& paper, bool rows) {
  std::string found;
  for (const auto& [name, there] : {std::pair{"`rows`", rows}, std::pair{"`figures`", !paper.figures.empty()},
                                    std::pair{"`scenes`", !paper.scenes.empty()}}) {
    if (there) found += (found.empty() ? "" : " and ") + std::string(name);
  }
  if (found.empty()) {
    reader.fail(root.place(), "found nothing to simulate, expected `rows`, `figures` or `scenes`");
  } else if (found.find(' ') != std::string::npos) {
    reader.fail(root.place(), "found " + found + ", expected one of them; make a file of each");
  }
  if (!rows && !paper.qdiscs.empty()) {
    reader.fail(root.find("qdiscs")->place(), "found `qdiscs` without `rows`, which stand beside them");
  }
  if (rows && !paper.part.empty()) {
    reader.fail(root.find("part")->place(),
                "found `part` with `rows`, which are chosen by --row; leave it out");
  }
}

void check_points(Reader& reader, const Node& root, const Paper& paper) {
  for (const FigurePoints& figure : paper.figures) {
    const std::string fault = fault_of_figure(figure, paper);
    if (!fault.empty()) reader.fail(root.find("figures")->find(figure.name)->place(), fault);
  }
  for (const Scene& scene : paper.scenes) {
    const std::string fault = fault_of_scene(scene, paper);
    if (!fault.empty()) reader.fail(root.find("scenes")->find(scene.name)->place(), fault);
  }
}

void check_charts(Reader& reader, const Node& root, const Paper& paper) {
  for (const Chart& chart : paper.charts) {
    const std::string fault = fault_of_chart(chart, paper);
    if (!fault.empty()) reader.fail(root.find("charts")->find(chart.name)->place(), fault);
  }
}

void check_statements(Reader& reader, const Node& root, const Paper& paper) {
  for (std::size_t i = 0; i < paper.statements.size(); ++i) {
    const Statement& s = paper.statements[i];
    std::string fault = fault_of_lines(s, paper);
    if (fault.empty()) fault = fault_of_values(s);
    if (!fault.empty()) reader.fail(root.find("statements")->item(i).place(), fault);
  }
}

void check_gains(Reader& reader, const Node& root, const Paper& paper) {
  for (const GainTable& table : paper.gains) {
    const std::string fault = fault_of_gains(table, paper);
    if (!fault.empty()) reader.fail(root.find("gains")->find(table.name)->place(), fault);
  }
}

}  // namespace lab
