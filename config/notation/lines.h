// Reads files of lines; the caller's function reports problems of each line.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/notation/files.h"
#include "config/notation/problem.h"

namespace config {

// White space between the words of a line.
inline constexpr std::string_view kLineSpace = " \t\r\v\f";

struct LineProblem {
  std::uint32_t column = 1;  // from 1
  std::string message;
};

// The first ten problems of the lines of `text`; a file of another kind would have one in every line.
std::vector<Problem> read_lines(std::string_view text, const std::string& path,
                                const std::function<std::optional<LineProblem>(std::string_view line)>& read);

// A problem of the file as a whole.
template <class T>
Checked<T> refuse_file(const std::string& path, std::string message) {
  return {std::nullopt, {{path, 0, 0, {}, std::move(message)}}};
}

// Parses the text of a regular file; `what` is the kind of file, with its article.
template <class T>
Checked<T> load_regular_file(const std::string& path, std::string_view what,
                             Checked<T> (*parse)(std::string_view text, const std::string& path)) {
  const auto file =
      RegularFile::open({.name = path, .shown = path, .what = std::string(what), .most = kMaxFileBytes});
  if (!file) return {std::nullopt, file.problems};
  const auto text = file->text();
  if (!text) return {std::nullopt, text.problems};
  return parse(*text, path);
}

}  // namespace config
