#include "config/notation/lines.h"

#include <algorithm>

namespace config {
namespace {

constexpr std::size_t kMostProblems = 10;

}  // namespace

std::vector<Problem> read_lines(
    std::string_view text, const std::string& path,
    const std::function<std::optional<LineProblem>(std::string_view line)>& read) {
  std::vector<Problem> problems;
  std::uint32_t number = 1;
  for (auto rest = text; !rest.empty() && problems.size() < kMostProblems; ++number) {
    const auto line = rest.substr(0, rest.find('\n'));
    if (auto wrong = read(line)) {
      problems.push_back({path, number, wrong->column, {}, std::move(wrong->message)});
    }
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return problems;
}

}  // namespace config
