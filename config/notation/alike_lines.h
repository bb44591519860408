// Shortens long lists of short items, one a line, as in a file of many bearers:
//
//   - {ue: 10.45.0.2, class: internet}
//   - {ue: 10.45.0.3, class: internet}
//
// yaml-cpp takes tens of thousands of instructions for such a line. So it gets only the first line of each
// run, the head; the other lines are then parsed as the head, with their own values.
// Tests: tests/unit/config/alike_lines_test.cc
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace config {

// The common form of a run's lines: spaces, `- {`, names and `: ` before each value, `}` at the end. Names
// and values are words that YAML takes literally and not as null. Views the text.
class LinePattern {
 public:
  // None if the line cannot be a head.
  static std::optional<LinePattern> of(std::string_view line);

  // True if the line has this form; sets `values`.
  bool match(std::string_view line, std::vector<std::string_view>& values) const;

  // Columns count from 0.
  std::size_t map_column() const { return item_ + 2; }  // the column of `{`
  std::size_t size() const { return entries_.size(); }
  std::string_view key(std::size_t i) const { return entries_[i].key; }
  // Column of the i-th name, given the column of the i-th value.
  std::size_t key_column(std::size_t i, std::size_t value_column) const {
    return value_column - entries_[i].key.size() - 2;
  }

 private:
  struct Entry {
    std::string_view before;  // the text between the previous value, or the line's start, and this value
    std::string_view key;
  };

  std::size_t item_ = 0;  // column of the `-`
  std::vector<Entry> entries_;
};

struct LineRun {
  LinePattern pattern;
  std::uint32_t head;     // line number in the abridged text, from 0
  std::uint32_t lines;    // number of lines left out after the head
  std::string_view text;  // the lines left out, with their line ends
};

// A text without the lines that follow the heads of long runs. Views the text.
struct Abridged {
  std::string text;
  std::vector<LineRun> runs;  // empty: `text` is not set, and nothing is left out
};
Abridged abridge(std::string_view text);

}  // namespace config
