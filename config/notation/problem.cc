#include "config/notation/problem.h"

#include <fmt/core.h>

namespace config {

std::string to_string(const Problem& problem) {
  std::string out = problem.source;
  if (problem.line > 0) out += fmt::format(":{}:{}", problem.line, problem.column);
  if (!out.empty()) out += ": ";
  if (!problem.path.empty()) out += problem.path + ": ";
  return out + problem.message;
}

}  // namespace config
