#include "config/error_trace.h"

#include <filesystem>

#include "config/document.h"
#include "config/words.h"

namespace config {
namespace {

constexpr std::size_t kEnough = 10;  // problems of one file
constexpr std::string_view kSpace = " \t\r\v\f";
constexpr std::string_view kMarks = "0 or . (received), 1 or x (lost)";

std::string found(std::string_view rest) {
  const auto word = shorten(rest.substr(0, rest.find_first_of(kSpace)));
  return word.empty() ? "bytes that are no text" : "'" + word + "'";
}

// Where the first character that is no mark stands, if there is one.
std::optional<std::size_t> read_marks(std::string_view line, std::vector<bool>& lost) {
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '#') break;
    if (kSpace.find(c) != std::string_view::npos) continue;
    if (c != '0' && c != '.' && c != '1' && c != 'x') return at;
    lost.push_back(c == '1' || c == 'x');
  }
  return std::nullopt;
}

Checked<ErrorTracePtr> failed(const std::string& path, std::string message) {
  return {std::nullopt, {{path, 0, 0, {}, std::move(message)}}};
}

}  // namespace

Checked<ErrorTracePtr> parse_error_trace(std::string_view text, const std::string& path) {
  dp::ErrorTrace trace{path, {}};
  std::vector<Problem> problems;
  std::uint32_t number = 1;
  for (std::string_view rest = text; !rest.empty() && problems.size() < kEnough; ++number) {
    const auto line = rest.substr(0, rest.find('\n'));
    if (const auto at = read_marks(line, trace.lost)) {
      problems.push_back({path,
                          number,
                          static_cast<std::uint32_t>(*at + 1),
                          {},
                          "found " + found(line.substr(*at)) + ", expected " + std::string(kMarks) +
                              ", white space, or # and a comment"});
    }
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  if (!problems.empty()) return {std::nullopt, std::move(problems)};
  if (trace.lost.empty()) return failed(path, "found no marks, expected one a TTI: " + std::string(kMarks));
  return {std::make_shared<const dp::ErrorTrace>(std::move(trace)), {}};
}

Checked<ErrorTracePtr> load_error_trace(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  // A pipe would hold up whoever reads it.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return failed(path, "is no regular file; give the path of an error trace");
  }
  const auto text = read_file(path, "an error trace");
  if (!text) return {std::nullopt, text.problems};
  if (text->size() > kMaxFileBytes) {
    return failed(path, "found more than " + std::to_string(kMaxFileBytes >> 20) +
                            " MiB, expected a shorter trace; it is repeated at its end");
  }
  return parse_error_trace(*text, path);
}

void ErrorTraceKind::load(Reader& reader, const Node& node, ErrorTracePtr& into) const {
  if (!is_text(node, reader.strict()) || node.text().empty()) {
    reader.expected(node, values());
  } else if (node.text() == "none") {
    into = nullptr;
  } else if (auto trace = load_error_trace(std::string(node.text()))) {
    into = std::move(*trace);
  } else {
    for (const auto& problem : trace.problems) reader.fail(node.place(), to_string(problem));
  }
}

}  // namespace config
