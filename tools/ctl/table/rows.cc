#include "tools/ctl/table/rows.h"

#include <algorithm>
#include <utility>

namespace ctl {

RowPrinter::RowPrinter(const ListView& view, const Selection& selection, tools::Form form)
    : view_(view), selection_(selection), form_(form), rows_(table(0)) {
  form_.width = selection.brief() ? tools::kTerminal : 0;
  for (std::size_t t = 1; t < selection.tables().size(); ++t) further_.push_back(table(t));
}

tools::Table RowPrinter::table(std::size_t number) const {
  tools::Table::Row headings;
  for (const Column* column : selection_.tables()[number])
    headings.push_back((is_figure(*column) ? ">" : "") + heading_of(*column));
  return tools::Table(std::move(headings));
}

RowPrinter::Cells RowPrinter::prepared(const Json& row) const {
  Cells cells;
  for (const auto& columns : selection_.tables()) {
    Cells::Part part;
    bool told = cells.parts.empty();
    for (const Column* column : columns) {
      const Json value = value_of(*column, row);
      told = told || (column != columns.front() && !value.is_null());
      part.row.push_back(text_of(*column, value, selection_.brief()));
      part.alarms.push_back(column->alarm != nullptr && column->alarm(row));
    }
    cells.parts.push_back(told ? std::move(part) : Cells::Part{});
  }
  return cells;
}

void RowPrinter::add(Cells cells) {
  for (std::size_t t = 0; t < cells.parts.size(); ++t) {
    tools::Table& to = t == 0 ? rows_ : further_[t - 1];
    if (!cells.parts[t].row.empty()) to.add(std::move(cells.parts[t].row), std::move(cells.parts[t].alarms));
  }
}

std::string RowPrinter::text() {
  if (rows_.empty()) return "";
  return std::exchange(rows_, table(0)).part(widths_, form_);
}

std::string RowPrinter::end(const Json& answer) {
  std::string text;
  if (is_empty()) return view_.none != nullptr ? view_.none(answer) : "no " + std::string(view_.rows) + "\n";
  for (const tools::Table& table : further_) text += table.empty() ? "" : "\n" + table.text(form_);
  if (view_.after != nullptr && selection_.brief() && !selection_.filters())
    text += view_.after(answer, form_);
  return text;
}

}  // namespace ctl
