// The rows of a table as text, kept until they are printed.
// Tests: tests/unit/tools/ctl_tables_test.cc
#pragma once
#include <string>
#include <vector>

#include "tools/common/table.h"
#include "tools/ctl/table/column.h"
#include "tools/ctl/table/selection.h"

namespace ctl {

class RowPrinter {
 public:
  // Requires: `view` and `selection` outlive this.
  RowPrinter(const ListView& view, const Selection& selection, tools::Form form);

  // A row's cells in each of the tables, and which of them are alarms. A further table has no cells where
  // nothing is to tell.
  struct Cells {
    struct Part {
      tools::Table::Row row;
      std::vector<bool> alarms;
    };
    std::vector<Part> parts;
  };
  Cells prepared(const Json& row) const;
  void add(Cells cells);
  // The rows of the first table that came since the last call, under a heading if they are the first.
  std::string text();
  // The further tables, or what stands in the place of an empty list.
  std::string end(const Json& answer);

 private:
  tools::Table table(std::size_t number) const;
  bool is_empty() const { return widths_.empty(); }

  const ListView& view_;
  const Selection& selection_;
  tools::Form form_;
  tools::Table rows_;
  std::vector<tools::Table> further_;
  std::vector<std::size_t> widths_;
};

}  // namespace ctl
