// The destination of a tool's figures: `--json FILE`, `-` being standard output; tables and prose then go to
// standard error, so that a reader of the JSON reads nothing else.
#pragma once
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

namespace tools {

inline std::ostream& table_stream(const std::string& json_path) {
  return json_path == "-" ? std::cerr : std::cout;
}

// Throws what is wrong with the path. `document` is any JSON type.
template <class Json>
void write_json(const Json& document, const std::string& path) {
  if (path == "-") {
    std::cout << document.dump(2) << std::endl;
    return;
  }
  std::ofstream file(path);
  file << document.dump(2) << "\n";
  if (!file.flush()) throw std::runtime_error("--json " + path + ": cannot be written; give a path that can");
}

}  // namespace tools
