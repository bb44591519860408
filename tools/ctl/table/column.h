// The columns of rncctl's tables. One description of a table serves its text, --columns, --by, --where and
// the help. Tests: tests/unit/tools/ctl_tables_test.cc
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/common/table.h"
#include "tools/ctl/client.h"

namespace ctl {

// The values in a row of JSON. Ages are seconds, ratios fractions, numbers have no thousands.
enum class Kind : std::uint8_t { text, teid, number, count, rate, bytes, ratio, milliseconds, age };

// The table in which a column stands by default. A table fits a terminal, so some columns stand in a further
// table below the first, or are shown on request only.
enum class Place : std::uint8_t { first, second, third, wide };

struct Column {
  std::string_view name;  // in --columns, --by and --where
  Kind kind;
  std::string_view path;  // to the value in a row, as for look(); empty: `value` computes it
  Place place = Place::first;
  std::string_view heading = {};  // empty: the name in capitals
  Json (*value)(const Json& row) = nullptr;
  bool (*alarm)(const Json& row) = nullptr;  // true: the value wants attention
  std::string_view reads =
      {};  // paths, with spaces between, that `value` and `alarm` read beside `path` and the name
};

// Requires: the first column names the row.
struct ListView {
  std::string_view rows;  // "bearers"
  std::span<const Column> columns;
  std::string (*none)(const Json& answer) = nullptr;  // the text of an empty list; null: "no bearers"
  // Text below the tables, from the last answer; null: none.
  std::string (*after)(const Json& answer, tools::Form form) = nullptr;
};

// Text, a number in the column's unit, or null.
Json value_of(const Column& column, const Json& row);
// `brief`: in few columns. A value that is not there is "-".
std::string text_of(const Column& column, const Json& value, bool brief);
// The members of a row that the column reads, as the methods that take "members" name them: "class",
// "downlink.rate". The members that name the row are not among them.
std::vector<std::string> members_of(const Column& column);
std::string heading_of(const Column& column);
bool is_figure(const Column& column);

// "Columns: ue, class, rate (bit/s), ..." for the help of a command.
std::string help_of(const ListView& view);

// The whole list as a command prints it without options. `rows`: an array.
std::string text_of_list(const ListView& view, const Json& rows, tools::Form form);

}  // namespace ctl
