#include "tools/ctl/table/column.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <utility>

#include "tools/ctl/members.h"
#include "tools/ctl/table/rows.h"
#include "tools/ctl/table/selection.h"
#include "tools/ctl/units.h"

namespace ctl {
namespace {

std::string_view unit_of(Kind kind) {
  constexpr std::array<std::string_view, 9> kUnits{"", "", "", "", "bit/s", "bytes", "ratio", "ms", "s"};
  return kUnits[static_cast<std::size_t>(kind)];
}

std::uint64_t whole(double value) { return static_cast<std::uint64_t>(std::llround(value)); }

}  // namespace

std::vector<std::string> members_of(const Column& column) {
  std::vector<std::string> members;
  std::istringstream paths(std::string(column.path) + " " + std::string(column.reads));
  for (std::string path; paths >> path;) {
    const std::size_t second = path.find('/', 1), third = path.find('/', second + 1);
    std::string member = path.substr(1, second - 1);
    if (std::ranges::find(views::kLegs, member) != views::kLegs.end() && second != path.npos)
      member += "." + path.substr(second + 1, third == path.npos ? third : third - second - 1);
    members.push_back(std::move(member));
  }
  return members;
}

bool is_figure(const Column& column) { return column.kind != Kind::text && column.kind != Kind::teid; }

Json value_of(const Column& column, const Json& row) {
  if (column.value != nullptr) return column.value(row);
  const Json& value = views::look(row, column.path);
  // Answers give times in seconds.
  if (column.kind == Kind::milliseconds && value.is_number()) return value.get<double>() * 1e3;
  return value.is_boolean() ? Json(views::plain(value)) : value;
}

std::string text_of(const Column& column, const Json& value, bool brief) {
  if (!value.is_number() || value < 0) return views::plain(value);
  const auto figure = value.get<double>();
  switch (column.kind) {
    case Kind::text:
    case Kind::number:
      return views::plain(value);
    case Kind::teid:
      return views::teid_text(value.get<std::uint32_t>());
    case Kind::count:
      if (!value.is_number_unsigned()) return brief ? brief_count(whole(figure)) : count_text(whole(figure));
      return brief ? brief_count(value.get<std::uint64_t>()) : count_text(value.get<std::uint64_t>());
    case Kind::rate:
      return brief ? brief_rate(whole(figure)) : rate_text(whole(figure));
    case Kind::bytes:
      return brief ? brief_bytes(whole(figure)) : bytes_text(whole(figure));
    case Kind::ratio:
      return percent_text(figure);
    case Kind::milliseconds:
      return milliseconds_text(figure);
    case Kind::age:
      return brief ? brief_duration(figure) : duration_text(figure);
  }
  return views::plain(value);
}

std::string heading_of(const Column& column) {
  if (!column.heading.empty()) return std::string(column.heading);
  std::string heading(column.name);
  std::ranges::transform(heading, heading.begin(), [](char c) {
    return c == '_' ? ' ' : 'a' <= c && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return heading;
}

std::string help_of(const ListView& view) {
  std::string text = "Columns:";
  for (const Column& column : view.columns) {
    const std::string_view unit = unit_of(column.kind);
    text += (&column == view.columns.data() ? " " : ", ") + std::string(column.name);
    if (!unit.empty()) text += " (" + std::string(unit) + ")";
  }
  return tools::wrapped(text);
}

std::string text_of_list(const ListView& view, const Json& rows, tools::Form form) {
  const Selection all(view, {});
  RowPrinter printer(view, all, form);
  for (const Json& row : rows) printer.add(printer.prepared(row));
  const std::string table = printer.text();
  return table + printer.end({{"items", rows}});
}

}  // namespace ctl
