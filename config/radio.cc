#include "config/radio.h"

#include <charconv>

#include "config/notation/lines.h"

namespace config {
namespace {

std::string_view trimmed(std::string_view line) {
  const auto first = line.find_first_not_of(kLineSpace);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kLineSpace) - first + 1);
}

std::optional<LineProblem> read_millisecond(std::string_view line, std::vector<std::uint32_t>& at) {
  const auto refused = [](std::string_view found) {
    return LineProblem{1, std::string(found) +
                              ", expected the millisecond in which 1500 bytes may leave, in ascending order"};
  };
  const auto word = trimmed(line);
  if (word.empty() || word.front() == '#') return std::nullopt;
  std::uint32_t ms = 0;
  const auto [end, error] = std::from_chars(word.begin(), word.end(), ms);
  if (error != std::errc{} || end != word.end()) return refused("found what is no number of milliseconds");
  if (!at.empty() && ms < at.back()) return refused("found a millisecond before that of the line above");
  at.push_back(ms);
  return std::nullopt;
}

}  // namespace

Checked<RadioTracePtr> parse_radio_trace(std::string_view text, const std::string& path) {
  dp::RadioTrace trace{path, {}};
  auto problems =
      read_lines(text, path, [&](std::string_view line) { return read_millisecond(line, trace.at); });
  if (!problems.empty()) return {std::nullopt, std::move(problems)};
  if (trace.at.empty()) {
    return refuse_file<RadioTracePtr>(path, "found no milliseconds, expected one a line");
  }
  if (trace.at.back() == 0) {
    return refuse_file<RadioTracePtr>(
        path, "found 0 as the last millisecond, expected the length of the trace, which repeats then");
  }
  return {std::make_shared<const dp::RadioTrace>(std::move(trace)), {}};
}

Checked<RadioTracePtr> load_radio_trace(const std::string& path) {
  return load_regular_file(path, "the trace of a recorded link", parse_radio_trace);
}

void RadioTraceKind::load(Reader& reader, const Node& node, RadioTracePtr& into) const {
  const bool a_file = !reader.strict() && reader.traces() == nullptr;
  if (!is_text(node, reader.strict()) || node.text().empty()) {
    reader.expected(node, values());
  } else if (node.text() == "none") {
    into = nullptr;
  } else if (!a_file) {
    reader.expected(node, "none; a recorded link is named in a scenario");
  } else if (auto trace = load_radio_trace(std::string(node.text()))) {
    into = std::move(*trace);
  } else {
    for (const auto& problem : trace.problems) reader.fail(node.place(), to_string(problem));
  }
}

}  // namespace config
