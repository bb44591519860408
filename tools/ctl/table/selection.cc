#include "tools/ctl/table/selection.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <string_view>
#include <utility>

#include "config/notation/units.h"
#include "config/notation/words.h"

namespace ctl {
namespace {

using ColumnNames = std::vector<std::string_view>;

[[noreturn]] void refuse_option(const std::string& option, const std::string& why) {
  throw CLI::ValidationError(option, why);
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') + 1 - first));
}

const Column& column_of(const ListView& view, const std::string& option, const std::string& name) {
  const auto at = std::ranges::find(view.columns, name, &Column::name);
  if (at != view.columns.end()) return *at;
  ColumnNames names;
  for (const Column& column : view.columns) names.push_back(column.name);
  refuse_option(option, "found '" + config::shorten(name) + "', expected a column: " + config::one_of(names) +
                            config::did_you_mean(name, names));
}

Json in_unit(const Column& column, const std::string& option, const dp::Result<std::uint64_t>& quantity,
             double unit = 1) {
  if (!quantity) refuse_option(option, std::string(column.name) + ": expected " + quantity.error().message);
  return static_cast<double>(*quantity) / unit;
}

Json real(const Column& column, const std::string& option, dp::Unit unit, const std::string& text) {
  const auto value = config::parse_real(unit, text);
  if (!value) refuse_option(option, std::string(column.name) + ": expected " + value.error().message);
  return *value;
}

Json teid(const Column& column, const std::string& option, const std::string& text) {
  const bool hex = text.starts_with("0x");
  std::uint32_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data() + (hex ? 2 : 0), end, value, hex ? 16 : 10);
  if (error == std::errc() && at == end) return value;
  refuse_option(option, std::string(column.name) + ": found '" + config::shorten(text) +
                            "', expected a TEID such as 0x21");
}

// A number alone is in the column's unit.
Json value_in(const Column& column, const std::string& option, const std::string& text) {
  const bool plain = text.find_first_not_of("0123456789.") == text.npos;
  switch (column.kind) {
    case Kind::text:
      return text;
    case Kind::teid:
      return teid(column, option, text);
    case Kind::number:
    case Kind::count:
      return real(column, option, dp::Unit::number, text);
    case Kind::ratio:
      return real(column, option, dp::Unit::ratio, text);
    case Kind::rate:
      return in_unit(column, option, config::parse_quantity(dp::Unit::rate, text));
    case Kind::bytes:
      return in_unit(column, option, config::parse_quantity(dp::Unit::bytes, text));
    case Kind::milliseconds:
      if (plain) return real(column, option, dp::Unit::number, text);
      return in_unit(column, option, config::parse_quantity(dp::Unit::duration, text), 1e6);
    case Kind::age:
      if (plain) return real(column, option, dp::Unit::number, text);
      return in_unit(column, option, config::parse_quantity(dp::Unit::duration, text), 1e9);
  }
  return text;
}

// The tables of a view in the order of their places.
std::vector<std::vector<const Column*>> usual_tables(const ListView& view) {
  std::vector<std::vector<const Column*>> tables;
  for (const Place place : {Place::first, Place::second, Place::third}) {
    std::vector<const Column*> table;
    for (const Column& column : view.columns) {
      const bool names_row = &column == view.columns.data();
      if (column.place == place || names_row) table.push_back(&column);
    }
    if (table.size() > 1 || place == Place::first) tables.push_back(std::move(table));
  }
  return tables;
}

std::vector<const Column*> all_columns(const ListView& view) {
  std::vector<const Column*> all;
  for (const Column& column : view.columns) all.push_back(&column);
  return all;
}

}  // namespace

Selection::Selection(const ListView& view, const TableOptions& options) {
  brief_ = !options.wide && options.columns.empty();
  if (options.wide) tables_ = {all_columns(view)};
  if (brief_) tables_ = usual_tables(view);
  if (!options.columns.empty()) {
    std::vector<const Column*> chosen;
    std::istringstream names(options.columns + ",");
    for (std::string name; std::getline(names, name, ',');)
      chosen.push_back(&column_of(view, "--columns", trimmed(name)));
    tables_ = {std::move(chosen)};
  }
  if (!options.by.empty()) {
    const bool turned = options.by.starts_with('-');
    by_ = &column_of(view, "--by", options.by.substr(turned ? 1 : 0));
    descending_ = is_figure(*by_) != (turned != options.reverse);
  } else if (options.reverse) {
    refuse_option("--reverse", "found without --by; name the column by which to sort");
  }
  for (const std::string& text : options.where) conditions_.push_back(condition_of(view, text));
}

Selection::Condition Selection::condition_of(const ListView& view, const std::string& text) {
  // The longer ones first: "<=" begins like "<".
  constexpr std::array kOperators{std::pair{"<=", Relation::at_most}, std::pair{">=", Relation::at_least},
                                  std::pair{"!=", Relation::other},   std::pair{"==", Relation::equal},
                                  std::pair{"<", Relation::below},    std::pair{">", Relation::above},
                                  std::pair{"=", Relation::equal}};
  const std::size_t at = text.find_first_of("<>=!");
  for (const auto& [sign, relation] : kOperators) {
    if (at == text.npos || text.compare(at, std::string_view(sign).size(), sign) != 0) continue;
    const Column& column = column_of(view, "--where", trimmed(text.substr(0, at)));
    const std::string value = trimmed(text.substr(at + std::string_view(sign).size()));
    return {&column, relation, value_in(column, "--where", value)};
  }
  refuse_option("--where", "found '" + config::shorten(text) +
                               "', expected COLUMN, one of < <= > >= = !=, and a value, as in 'drops>100'");
}

bool Selection::holds(const Condition& condition, const Json& value) {
  const bool alike =
      value.is_number() ? condition.value.is_number() : value.is_string() && condition.value.is_string();
  if (!alike) return condition.relation == Relation::other;
  switch (condition.relation) {
    case Relation::below:
      return value < condition.value;
    case Relation::at_most:
      return value <= condition.value;
    case Relation::above:
      return value > condition.value;
    case Relation::at_least:
      return value >= condition.value;
    case Relation::equal:
      return value == condition.value;
    case Relation::other:
      return value != condition.value;
  }
  return false;
}

bool Selection::matches(const Json& row) const {
  return std::ranges::all_of(conditions_, [&](const Condition& condition) {
    return holds(condition, value_of(*condition.column, row));
  });
}

std::vector<std::string> Selection::members() const {
  std::vector<std::string> all;
  const auto add = [&all](const Column* column) {
    for (std::string& member : members_of(*column)) {
      if (std::ranges::find(all, member) == all.end()) all.push_back(std::move(member));
    }
  };
  for (const auto& columns : tables_) std::ranges::for_each(columns, add);
  for (const Condition& condition : conditions_) add(condition.column);
  if (by_ != nullptr) add(by_);
  return all;
}

bool Selection::before(const Json& key, const Json& other) const {
  if (key.is_null() || other.is_null()) return !key.is_null() && other.is_null();
  return descending_ ? other < key : key < other;
}

void add_table_options(CLI::App& command, TableOptions& options, const ListView& view) {
  auto* wide = command.add_flag("--wide", options.wide,
                                "all columns, in full; without it lines have at most 80 characters");
  command.add_option("--columns", options.columns, "these columns, as in ue,rate,drops")->excludes(wide);
  command.add_option("--by", options.by,
                     "sort by this column: figures from the highest, text from the lowest; -COLUMN turns it");
  command.add_flag("--reverse", options.reverse, "turn the order of --by");
  command
      .add_option("--where", options.where,
                  "only rows for which this holds, as in 'drops>100'; operators < <= > >= = !=; units as in "
                  "the configuration; several must all hold")
      ->allow_extra_args(false);
  command.footer(help_of(view));
}

}  // namespace ctl
