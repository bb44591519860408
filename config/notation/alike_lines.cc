#include "config/notation/alike_lines.h"

#include <algorithm>
#include <utility>

#include "dataplane/base/expect.h"

namespace config {
namespace {

constexpr std::uint32_t kLeast = 16;  // smallest number of lines after a head that is worth leaving out

constexpr bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Length of a word: characters that continue a plain scalar in a flow map, including a colon followed by one
// of them (YAML 1.2, 7.3.3). Its first character must be a letter or digit, which is stricter than YAML.
std::size_t word_length(std::string_view text) {
  if (text.empty() || !is_letter_or_digit(text.front())) return 0;
  std::size_t n = 1;
  while (n < text.size() && (is_letter_or_digit(text[n]) || text[n] == '.' || text[n] == ':' ||
                             text[n] == '/' || text[n] == '_' || text[n] == '-')) {
    ++n;
  }
  while (text[n - 1] == ':') --n;
  const std::string_view word = text.substr(0, n);
  return word == "null" || word == "Null" || word == "NULL" ? 0 : n;
}

// The line at `at` without its line end; moves `at` behind it. Empty if the text ends without a line end.
std::string_view next_line(std::string_view text, std::size_t& at) {
  const std::size_t end = text.find('\n', at);
  const std::size_t begin = std::exchange(at, end == std::string_view::npos ? text.size() : end + 1);
  return end == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin);
}

}  // namespace

std::optional<LinePattern> LinePattern::of(std::string_view line) {
  LinePattern pattern;
  pattern.item_ = std::min(line.find_first_not_of(' '), line.size());
  std::size_t at = pattern.item_, from = 0;
  for (std::string_view mark = "- {"; line.substr(at).starts_with(mark); mark = ", ") {
    at += mark.size();
    const std::string_view key = line.substr(at, word_length(line.substr(at)));
    at += key.size();
    if (key.empty() || !line.substr(at).starts_with(": ")) return std::nullopt;
    at += 2;
    pattern.entries_.push_back({line.substr(from, at - from), key});
    const std::size_t value = word_length(line.substr(at));
    if (value == 0) return std::nullopt;
    from = at += value;
  }
  if (pattern.entries_.empty() || line.substr(at) != "}") return std::nullopt;
  return pattern;
}

bool LinePattern::match(std::string_view line, std::vector<std::string_view>& values) const {
  values.clear();
  std::size_t at = 0;
  for (const Entry& entry : entries_) {
    if (!line.substr(at).starts_with(entry.before)) return false;
    at += entry.before.size();
    const std::size_t value = word_length(line.substr(at));
    if (value == 0) return false;
    values.push_back(line.substr(at, value));
    at += value;
  }
  return line.substr(at) == "}";
}

Abridged abridge(std::string_view text) {
  Abridged abridged;
  std::vector<std::string_view> values;
  std::size_t kept = 0;  // bytes of the text that are copied or left out so far
  std::uint32_t line = 0;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const auto pattern = LinePattern::of(next_line(text, at));
    if (!pattern) continue;
    const std::size_t first = at;
    std::uint32_t lines = 0;
    for (std::size_t next = at; pattern->match(next_line(text, next), values); ++lines) at = next;
    if (lines < kLeast) {
      line += lines;
      continue;
    }
    abridged.runs.push_back({*pattern, line, lines, text.substr(first, at - first)});
    abridged.text += text.substr(kept, first - kept);
    kept = at;
  }
  if (!abridged.runs.empty()) abridged.text += text.substr(kept);
  return abridged;
}

}  // namespace config
