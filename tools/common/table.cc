#include "tools/common/table.h"

#include <algorithm>
#include <numeric>

#include "config/notation/words.h"
#include "dataplane/base/expect.h"

namespace tools {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeast = 8;  // columns of narrowed text
constexpr std::string_view kBold = "\x1b[1m", kRed = "\x1b[31m", kPlain = "\x1b[0m";

bool begins_character(char c) { return (c & 0xc0) != 0x80; }

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

// The text between two of its characters, counted from 0.
std::string_view characters(std::string_view text, std::size_t from, std::size_t to) {
  std::size_t begin = text.size(), end = text.size(), number = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!begins_character(text[at])) continue;
    if (number == from) begin = at;
    if (number == to) end = at;
    ++number;
  }
  return text.substr(begin, end - begin);
}

// The end tells apart names that begin alike, so the middle is left out.
std::string shortened(const std::string& text, std::size_t width) {
  const std::size_t all = width_of(text);
  if (all <= width) return text;
  const std::size_t head = width / 2, tail = width - head - 1;
  return std::string(characters(text, 0, head)) + "…" + std::string(characters(text, all - tail, all));
}

}  // namespace

Table::Table(Row headings) : headings_(std::move(headings)) {
  for (auto& heading : headings_) {
    right_.push_back(heading.starts_with('>'));
    narrows_.push_back(!right_.back());
    if (right_.back()) heading.erase(0, 1);
  }
}

void Table::add(Row row, std::vector<bool> alarms) {
  rows_.push_back(std::move(row));
  alarms_.push_back(std::move(alarms));
}

std::string Table::text(Form form) const {
  std::vector<std::size_t> widths;
  return part(widths, form);
}

// Narrows the widest columns of text first; the first column, which names the row, last.
std::vector<std::size_t> Table::narrowed(std::vector<std::size_t> widths, std::size_t most) const {
  const auto least = [this](std::size_t i) { return std::max(kLeast, width_of(headings_[i])); };
  std::size_t line = std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  while (most != 0 && line > most) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool wider = widest == widths.size() || widest == 0 || widths[i] > widths[widest];
      if (narrows_[i] && widths[i] > least(i) && wider) widest = i;
    }
    if (widest == widths.size()) break;
    --widths[widest];
    --line;
  }
  return widths;
}

std::string Table::placed(std::size_t column, std::string cell, std::size_t width,
                          std::string_view paint) const {
  if (narrows_[column]) cell = shortened(cell, width);
  DP_EXPECT(width_of(cell) <= width);
  const std::string pad(width - width_of(cell), ' ');
  if (!paint.empty() && !cell.empty()) cell = std::string(paint) + cell + std::string(kPlain);
  return (column == 0 ? "" : std::string(kGap, ' ')) + (right_[column] ? pad + cell : cell + pad);
}

std::string Table::line(std::size_t row, const std::vector<std::size_t>& widths, Form form) const {
  std::string line;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    std::string cell = i < rows_[row].size() ? rows_[row][i] : std::string();
    if (form.color) cell = config::escaped(cell);
    const bool red = form.color && i < alarms_[row].size() && alarms_[row][i];
    line += placed(i, std::move(cell), widths[i], red ? kRed : "");
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string Table::heading(const std::vector<std::size_t>& widths, Form form) const {
  std::string line;
  for (std::size_t i = 0; i < widths.size(); ++i)
    line += placed(i, headings_[i], widths[i], form.color ? kBold : "");
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string Table::part(std::vector<std::size_t>& widths, Form form) const {
  DP_EXPECT(!headings_.empty());
  const bool first = widths.empty();
  widths.resize(headings_.size());
  for (std::size_t i = 0; i < headings_.size(); ++i) {
    widths[i] = std::max(widths[i], width_of(headings_[i]));
    for (const auto& row : rows_) {
      if (i < row.size())
        widths[i] = std::max(widths[i], width_of(form.color ? config::escaped(row[i]) : row[i]));
    }
  }
  const std::vector<std::size_t> shown = narrowed(widths, form.width);
  std::string all = first ? heading(shown, form) : "";
  for (std::size_t row = 0; row < rows_.size(); ++row) all += line(row, shown, form);
  return all;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string all;
  std::size_t column = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (column > indent && column + 1 + width_of(word) > width) {
      all += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (at > 0 && text[at - 1] == ' ') {
      all += ' ';
      ++column;
    }
    all += word;
    column += width_of(word);
    if (end < text.size() && text[end] == '\n') {
      all += '\n';
      column = 0;
    }
    at = end + 1;
  }
  return all;
}

}  // namespace tools
