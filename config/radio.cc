#include "config/radio.h"

#include <charconv>

#include "config/notation/files.h"

namespace config {
namespace {

constexpr std::size_t kEnough = 10;  // problems of one file
constexpr std::string_view kSpace = " \t\r\v\f";

Checked<RadioTracePtr> failed(const std::string& path, std::string message) {
  return {std::nullopt, {{path, 0, 0, {}, std::move(message)}}};
}

std::string_view trimmed(std::string_view line) {
  const auto first = line.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kSpace) - first + 1);
}

// What is wrong with the line, if anything is.
std::string_view read_line(std::string_view word, std::vector<std::uint32_t>& at) {
  std::uint32_t ms = 0;
  const auto [end, error] = std::from_chars(word.begin(), word.end(), ms);
  if (error != std::errc{} || end != word.end()) return "found what is no number of milliseconds";
  if (!at.empty() && ms < at.back()) return "found a millisecond before that of the line above";
  at.push_back(ms);
  return {};
}

}  // namespace

Checked<RadioTracePtr> parse_radio_trace(std::string_view text, const std::string& path) {
  dp::RadioTrace trace{path, {}};
  std::vector<Problem> problems;
  std::uint32_t number = 1;
  for (std::string_view rest = text; !rest.empty() && problems.size() < kEnough; ++number) {
    const auto line = rest.substr(0, rest.find('\n'));
    const auto word = trimmed(line);
    if (!word.empty() && word.front() != '#') {
      if (const auto wrong = read_line(word, trace.at); !wrong.empty()) {
        problems.push_back(
            {path,
             number,
             1,
             {},
             std::string(wrong) +
                 ", expected the millisecond in which 1500 bytes may leave, in ascending order"});
      }
    }
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  if (!problems.empty()) return {std::nullopt, std::move(problems)};
  if (trace.at.empty()) return failed(path, "found no milliseconds, expected one a line");
  if (trace.at.back() == 0) {
    return failed(path,
                  "found 0 as the last millisecond, expected the length of the trace, which repeats then");
  }
  return {std::make_shared<const dp::RadioTrace>(std::move(trace)), {}};
}

Checked<RadioTracePtr> load_radio_trace(const std::string& path) {
  const auto file = RegularFile::open(
      {.name = path, .shown = path, .what = "the trace of a recorded link", .most = kMaxFileBytes});
  if (!file) return {std::nullopt, file.problems};
  const auto text = file->text();
  if (!text) return {std::nullopt, text.problems};
  return parse_radio_trace(*text, path);
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
