// Long lists of short items, one a line, as a file of many bearers has them:
//
//   - {ue: 10.45.0.2, class: internet}
//   - {ue: 10.45.0.3, class: internet}
//
// yaml-cpp takes tens of thousands of instructions for such a line. So it is given the first line of each run
// of them alone, its head: what that turns out to be, the others are too, but for their values.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace config {

// What the lines of a run have in common: spaces, `- {`, names and `: ` before each value, `}` at the end.
// Names and values are words that YAML takes as they stand, and for no null. Views the text that it is of.
class LinePattern {
 public:
  // None when the line is none that can be a head.
  static std::optional<LinePattern> of(std::string_view line);

  // What stands in each value's place, when the line is alike.
  bool match(std::string_view line, std::vector<std::string_view>& values) const;

  // Columns count from 0.
  std::size_t map_column() const { return item_ + 2; }  // of the `{`
  std::size_t size() const { return entries_.size(); }
  std::string_view key(std::size_t i) const { return entries_[i].key; }
  // Of the i-th name, where the i-th value begins in that column.
  std::size_t key_column(std::size_t i, std::size_t value_column) const {
    return value_column - entries_[i].key.size() - 2;
  }

 private:
  struct Entry {
    std::string_view before;  // the value: from the value before it, or the line's begin, on
    std::string_view key;
  };

  std::size_t item_ = 0;  // column of the `-`
  std::vector<Entry> entries_;
};

struct LineRun {
  LinePattern pattern;
  std::uint32_t head;     // its line in the abridged text, from 0
  std::uint32_t lines;    // behind the head, which the abridged text does not have
  std::string_view text;  // these, each with its end
};

// A text without what follows the heads of its runs, which are of some length. Views the text.
struct Abridged {
  std::string text;
  std::vector<LineRun> runs;  // none: `text` is not set, and nothing is left out
};
Abridged abridge(std::string_view text);

}  // namespace config
