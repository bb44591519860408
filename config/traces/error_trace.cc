#include "config/traces/error_trace.h"

#include "config/notation/lines.h"
#include "config/traces/trace_source.h"

namespace config {
namespace {

constexpr std::string_view kMarks = "0 or . (received), 1 or x (lost)";

// The position of the first character that is no mark; none if all are marks.
std::optional<std::size_t> read_marks(std::string_view line, std::vector<bool>& lost) {
  for (std::size_t at = 0; at < line.size(); ++at) {
    switch (line[at]) {
      case '#':
        return std::nullopt;
      case '0':
      case '.':
        lost.push_back(false);
        break;
      case '1':
      case 'x':
        lost.push_back(true);
        break;
      default:
        if (kLineSpace.find(line[at]) == std::string_view::npos) return at;
    }
  }
  return std::nullopt;
}

}  // namespace

Checked<ErrorTracePtr> parse_error_trace(std::string_view text, const std::string& path) {
  dp::ErrorTrace trace{path, {}};
  auto problems = read_lines(text, path, [&](std::string_view line) -> std::optional<LineProblem> {
    const auto at = read_marks(line, trace.lost);
    if (!at) return std::nullopt;
    return LineProblem{
        static_cast<std::uint32_t>(*at + 1),
        "found what is no mark, expected " + std::string(kMarks) + ", white space, or # and a comment"};
  });
  if (!problems.empty()) return {std::nullopt, std::move(problems)};
  if (trace.lost.empty()) {
    return refuse_file<ErrorTracePtr>(path, "found no marks, expected one a TTI: " + std::string(kMarks));
  }
  return {std::make_shared<const dp::ErrorTrace>(std::move(trace)), {}};
}

Checked<ErrorTracePtr> load_error_trace(const std::string& path) {
  return load_regular_file(path, "an error trace", parse_error_trace);
}

namespace {

// A request never names a path, not even if no trace source is set.
Checked<ErrorTracePtr> load_for(const Reader& reader, const std::string& word) {
  if (reader.traces() != nullptr) return reader.traces()->load(word);
  return reader.strict() ? TraceFolder().load(word) : load_error_trace(word);
}

}  // namespace

void ErrorTraceKind::load(Reader& reader, const Node& node, ErrorTracePtr& into) const {
  if (!is_text(node, reader.strict()) || node.text().empty()) {
    reader.expected(node, values());
  } else if (node.text() == "none") {
    into = nullptr;
  } else if (auto trace = load_for(reader, std::string(node.text()))) {
    into = std::move(*trace);
  } else {
    for (const auto& problem : trace.problems) reader.fail(node.place(), to_string(problem));
  }
}

}  // namespace config
