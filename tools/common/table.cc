#include "tools/common/table.h"

#include <algorithm>

#include "dataplane/base/expect.h"

namespace tools {
namespace {

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string line_of(const Table::Row& row, const std::vector<std::size_t>& widths,
                    const std::vector<bool>& right) {
  std::string line;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const auto cell = i < row.size() ? row[i] : std::string();
    DP_EXPECT(width_of(cell) <= widths[i]);
    const std::string pad(widths[i] - width_of(cell), ' ');
    line += (i == 0 ? "" : "  ") + (right[i] ? pad + cell : cell + pad);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

Table::Table(Row headings) : headings_(std::move(headings)) {
  for (auto& heading : headings_) {
    right_.push_back(heading.starts_with('>'));
    if (right_.back()) heading.erase(0, 1);
  }
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  return part(widths);
}

std::string Table::part(std::vector<std::size_t>& widths) const {
  const bool first = widths.empty();
  widths.resize(headings_.size());
  for (std::size_t i = 0; i < headings_.size(); ++i) {
    widths[i] = std::max(widths[i], width_of(headings_[i]));
    for (const auto& row : rows_) {
      if (i < row.size()) widths[i] = std::max(widths[i], width_of(row[i]));
    }
  }
  std::string all = first ? line_of(headings_, widths, right_) : "";
  for (const auto& row : rows_) all += line_of(row, widths, right_);
  return all;
}

}  // namespace tools
