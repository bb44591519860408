// Text in columns as wide as what is in them, for the tables that the tools print. A column whose heading
// starts with '>' is set to the right. Cells are UTF-8.
#pragma once
#include <string>
#include <vector>

#include <fmt/format.h>

namespace tools {

class Table {
 public:
  using Row = std::vector<std::string>;
  explicit Table(Row headings);
  void add(Row row) { rows_.push_back(std::move(row)); }
  // Adds a row of text and whole numbers.
  template <class... Cells>
  void add_cells(const Cells&... cells) {
    add({fmt::format("{}", cells)...});
  }
  bool empty() const { return rows_.empty(); }
  std::string text() const;
  // A part of a table that is printed as its rows come: columns are as wide as in the parts before, or wider,
  // and the first part, for which `widths` is empty, has the headings.
  std::string part(std::vector<std::size_t>& widths) const;

 private:
  Row headings_;
  std::vector<bool> right_;
  std::vector<Row> rows_;
};

}  // namespace tools
