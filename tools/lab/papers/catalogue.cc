#include "tools/lab/papers/catalogue.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <stdexcept>

#include "config/notation/words.h"
#include "tools/lab/batch/sweep_grid.h"
#include "tools/lab/figures/embedded.h"

namespace lab {
namespace {

std::vector<Paper> load_all() {
  std::vector<Paper> all;
  for (const char* name :
       {"000", "001", "001-web", "002", "003", "003-air", "003-today", "004", "004-today", "linux"}) {
    const std::string file = "papers/" + std::string(name) + ".yaml";
    auto paper = load_paper(embedded_file(file), file);
    if (!paper) throw std::runtime_error(to_string(paper.problems.front()));
    paper->file = file;
    paper->scenario_text = embedded_file(paper->scenario);
    all.push_back(std::move(*paper));
  }
  return all;
}

dp::Error error_of(const std::vector<config::Problem>& problems) {
  std::string all;
  for (const auto& problem : problems) all += (all.empty() ? "" : "\n") + to_string(problem);
  return {all, 3};
}

// The scenario file in the folder of the paper's file, or else the built-in scenario of that name.
config::Checked<std::string> scenario_beside(const std::string& path, const std::string& name) {
  const auto beside = std::filesystem::path(path).parent_path() / name;
  const std::string_view own = embedded_file(name);
  std::error_code none;
  const bool there =
      std::filesystem::exists(beside, none) && !std::filesystem::equivalent(path, beside, none);
  if (!own.empty() && !there) return {std::string(own), {}};
  return config::read_file(beside.string(), "a scenario");
}

// The paper is kept until the program ends.
dp::Result<const Paper*> load_file(const std::string& path) {
  static std::deque<Paper> all;
  const auto text = config::read_file(path, "a paper");
  if (!text) return error_of(text.problems);
  auto paper = load_paper(*text, path);
  if (!paper) return error_of(paper.problems);
  auto scenario = scenario_beside(path, paper->scenario);
  if (!scenario) return error_of(scenario.problems);
  paper->scenario_text = std::move(*scenario);
  return &all.emplace_back(std::move(*paper));
}

std::string_view group_of(std::string_view id) { return {id.begin(), std::ranges::find(id, '/')}; }

// The ids of the paper's rows, and of their groups.
std::vector<std::string_view> names_of(const Paper& paper) {
  std::vector<std::string_view> names;
  for (const PaperRow& row : paper.rows) {
    names.push_back(row.id);
    if (std::ranges::find(names, group_of(row.id)) == names.end()) names.push_back(group_of(row.id));
  }
  return names;
}

// The id of a group selects all its rows, unless a row has that id: A2 does not select A2/literal.
bool fits(const Paper& paper, const PaperRow& row, std::string_view id) {
  if (row.id == id) return true;
  const auto named = [&](const PaperRow& other) { return other.id == id; };
  return group_of(row.id) == id && std::ranges::none_of(paper.rows, named);
}

}  // namespace

std::span<const Paper> papers() {
  static const std::vector<Paper> all = load_all();
  return all;
}

std::vector<std::string_view> parts_of(std::string_view name) {
  std::vector<std::string_view> parts;
  for (const Paper& paper : papers()) {
    if (paper.name == name && !paper.part.empty()) parts.push_back(paper.part);
  }
  return parts;
}

dp::Result<const Paper*> find_paper(std::string_view name, std::string_view part) {
  if (name.ends_with(".yaml")) return load_file(std::string(name));
  std::vector<std::string_view> names;
  const Paper* first = nullptr;
  for (const Paper& paper : papers()) {
    if (paper.name == name && paper.part == part) return &paper;
    if (paper.name == name && first == nullptr) first = &paper;
    if (names.empty() || names.back() != paper.name) names.push_back(paper.name);
  }
  if (first != nullptr) return first;
  const std::string found = name.empty() ? "no paper's name" : "paper '" + config::shorten(name) + "'";
  return dp::Error{
      "found " + found + ", expected " + config::one_of(names) + "; `rnclab paper --list` shows their rows",
      2};
}

dp::Result<std::vector<const PaperRow*>> select_rows(const Paper& paper, std::span<const std::string> ids) {
  const auto names = names_of(paper);
  for (const std::string& id : ids) {
    if (std::ranges::find(names, id) != names.end()) continue;
    const auto hint = config::did_you_mean(id, names);
    return dp::Error{"--row: found '" + config::shorten(id) + "', expected a row of paper " + paper.name +
                         " (" + config::one_of(names) + ")" + hint,
                     2};
  }
  std::vector<const PaperRow*> rows;
  for (const PaperRow& row : paper.rows) {
    const auto named = [&](const std::string& id) { return fits(paper, row, id); };
    if (ids.empty() || std::ranges::any_of(ids, named)) rows.push_back(&row);
  }
  return rows;
}

const std::string& PaperRow::value(std::string_view column) const {
  static const std::string none;
  const auto at = values.find(column);
  return at == values.end() ? none : at->second;
}

unsigned PaperRow::flows() const {
  const auto number = number_of(value("flows"));
  return number && *number >= 1 ? static_cast<unsigned>(*number) : 1;
}

}  // namespace lab
