// The rows and columns of a table that the user has chosen, and their order.
// Tests: tests/unit/tools/ctl_selection_test.cc
#pragma once
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "tools/ctl/table/column.h"

namespace ctl {

// The values of the options that a command with a table has.
struct TableOptions {
  bool wide = false;
  bool reverse = false;
  std::string columns, by;
  std::vector<std::string> where;
};

// Adds --wide, --columns, --by, --reverse and --where, and names the table's columns in the help.
void add_table_options(CLI::App& command, TableOptions& options, const ListView& view);

class Selection {
 public:
  // Throws CLI::ValidationError, which names what was found and what was expected.
  Selection(const ListView& view, const TableOptions& options);

  // The columns of each table, one below the other. Each has the view's first column, or those chosen.
  const std::vector<std::vector<const Column*>>& tables() const { return tables_; }
  // The text is shortened to the width of a terminal.
  bool brief() const { return brief_; }
  // The members of rows that the columns chosen and those of --by and --where read, as members_of().
  std::vector<std::string> members() const;
  bool filters() const { return !conditions_.empty(); }
  bool sorts() const { return by_ != nullptr; }
  bool matches(const Json& row) const;
  Json sort_key(const Json& row) const { return value_of(*by_, row); }
  // True if a row with the first key stands before one with the second. Values that are not there come last.
  bool before(const Json& key, const Json& other) const;

 private:
  enum class Relation : std::uint8_t { below, at_most, above, at_least, equal, other };
  struct Condition {
    const Column* column;
    Relation relation;
    Json value;
  };
  static Condition condition_of(const ListView& view, const std::string& text);
  static bool holds(const Condition& condition, const Json& value);

  std::vector<std::vector<const Column*>> tables_;
  std::vector<Condition> conditions_;
  const Column* by_ = nullptr;
  bool descending_ = false;
  bool brief_ = true;
};

}  // namespace ctl
