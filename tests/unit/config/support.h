// Common code of the configuration's tests: files beside the sources, a minimal valid text, problems as one
// text.
#pragma once
#include <fstream>
#include <iterator>
#include <string>

#include "config/load.h"

namespace config::testing {

inline std::string source_path(const std::string& path) { return std::string(RNCD_SOURCE_ROOT) + "/" + path; }

inline std::string read_text(const std::string& path) {
  std::ifstream in(source_path(path));
  return {std::istreambuf_iterator<char>(in), {}};
}

// Valid with `more` behind it.
inline std::string minimal(const std::string& more = "") {
  return "version: 1\ndataplane: {ports: {core: {device: \"af_xdp:eth1\"}, radio: {device: null}}}\n" + more;
}

template <class T>
std::string all_problems(const Checked<T>& checked) {
  std::string out;
  for (const auto& problem : checked.problems) out += to_string(problem) + "\n";
  return out;
}

}  // namespace config::testing
