// Text in columns as wide as what is in them, for the tables that the tools print. A column whose heading
// starts with '>' is set to the right. Cells are UTF-8.
// Tests: tests/unit/tools/ctl_text_test.cc
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace tools {

// A terminal has at least as many columns.
inline constexpr std::size_t kTerminal = 80;

struct Form {
  std::size_t width = 0;  // the longest line: wider columns of text are narrowed. 0: no bound
  bool color = false;     // with colours, for a terminal
};

class Table {
 public:
  using Row = std::vector<std::string>;
  explicit Table(Row headings);
  // `alarms` is empty, or true for each cell that is to be red.
  void add(Row row, std::vector<bool> alarms = {});
  // Adds a row of text and whole numbers.
  template <class... Cells>
  void add_cells(const Cells&... cells) {
    add({fmt::format("{}", cells)...});
  }
  bool empty() const { return rows_.empty(); }
  // Columns set to the left are text, and may be narrowed: of longer cells the middle is left out. Calling
  // this adds the others.
  void narrow_all() { narrows_.assign(narrows_.size(), true); }
  std::string text(Form form = {}) const;
  // A part of a table that is printed as its rows come: columns are as wide as in the parts before, or wider,
  // and the first part, for which `widths` is empty, has the headings.
  std::string part(std::vector<std::size_t>& widths, Form form = {}) const;

 private:
  std::string line(std::size_t row, const std::vector<std::size_t>& widths, Form form) const;
  std::string heading(const std::vector<std::size_t>& widths, Form form) const;
  std::string placed(std::size_t column, std::string cell, std::size_t width, std::string_view paint) const;
  std::vector<std::size_t> narrowed(std::vector<std::size_t> widths, std::size_t most) const;

  Row headings_;
  std::vector<bool> right_;
  std::vector<bool> narrows_;
  std::vector<Row> rows_;
  std::vector<std::vector<bool>> alarms_;
};

// Text of words in lines of at most `width` columns, where its words allow it; each line behind the first is
// indented.
std::string wrapped(std::string_view text, std::size_t width = kTerminal, std::size_t indent = 0);

}  // namespace tools
