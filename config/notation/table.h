// Tables of keys: one row a key, from which loading, printing, help and the reference are made. A section is
// a dp::FieldTable of rows over one struct; its defaults are those of a value-initialised struct.
#pragma once
#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/notation/reader.h"
#include "dataplane/base/fields.h"
#include "dataplane/base/result.h"

namespace config {

using Json = nlohmann::ordered_json;

// One line of the reference.
struct HelpRow {
  std::string path, type, values, initial, doc;
  bool section = false;  // it has its own rows below
  bool frozen = false;   // a new value takes effect after a restart
};

// The text of a row, without access to its value.
struct RowText {
  std::string_view name, doc, initial, source;
  bool required, frozen;
};

// `get` accesses the value in the struct: a member pointer or a function. A kind reads and writes values:
// kinds of scalars have parse(node, strict), whose error completes "expected ..."; others have load(). All
// have type(), values() and print(); list() adds the rows below.
template <class Get, class Kind>
struct Row {
  std::string_view name;
  Get get;
  Kind kind;
  std::string_view doc;
  bool required = false;
  std::string_view initial = {};  // the default in words, if the printed value says too little
  std::string_view source = {};   // clause or paper section
  bool frozen = false;            // a new value takes effect after a restart

  constexpr RowText text() const { return {name, doc, initial, source, required, frozen}; }

  // The value of the row in a struct.
  template <class S>
  constexpr decltype(auto) of(S& from) const {
    if constexpr (std::is_member_object_pointer_v<Get>) {
      return (from.*get);
    } else {
      return get(from);
    }
  }
};

// clang before version 17 deduces none for an aggregate.
template <class Get, class Kind>
Row(std::string_view, Get, Kind, std::string_view, bool = false, std::string_view = {}, std::string_view = {},
    bool = false) -> Row<Get, Kind>;

// A row whose value cannot change while rncd runs.
template <class Get, class Kind>
constexpr Row<Get, Kind> frozen(Row<Get, Kind> row) {
  row.frozen = true;
  return row;
}

template <class Kind, class T>
void load_value(Reader& reader, const Node& node, const Kind& kind, T& into) {
  if constexpr (requires { kind.load(reader, node, into); }) {
    kind.load(reader, node, into);
  } else if (auto value = kind.parse(node, reader.strict())) {
    into = *value;
  } else {
    reader.expected(node, value.error().message);
  }
}

template <class... Rows>
constexpr auto names_of(const dp::FieldTable<Rows...>& rows) {
  return rows.apply(
      [](const auto&... row) { return std::array<std::string_view, sizeof...(Rows)>{row.name...}; });
}

// Reports a key that is missing though its row is required; `values` are those of the row's kind.
void fail_missing(Reader& reader, const Node& map, const RowText& row, const std::string& values);

// True for a key outside the rows about which it has reported a problem.
using OtherKey = std::function<bool(Reader&, const Node& key)>;

// Reports each key of the map that is none of `names` and not taken by `other`.
void fail_unknown(Reader& reader, const Node& map, std::span<const std::string_view> names,
                  const OtherKey& other);

template <class Kind, class T>
void load_row(Reader& reader, const Node& map, const RowText& row, const Kind& kind, T& into) {
  if (const auto value = map.find(row.name)) {
    const Reader::Scope scope(reader, row.name);
    load_value(reader, *value, kind, into);
  } else if (row.required) {
    fail_missing(reader, map, row, kind.values());
  }
}

// Keys missing in the map keep their value in `into`.
template <class S, class... Rows>
void load_keys(Reader& reader, const Node& map, S& into, const dp::FieldTable<Rows...>& rows,
               const OtherKey& other = {}) {
  const auto names = names_of(rows);
  if (!reader.expect_map(map, names)) return;
  rows.apply([&](const auto&... row) { (load_row(reader, map, row.text(), row.kind, row.of(into)), ...); });
  fail_unknown(reader, map, names, other);
}

template <class Kind, class T>
void print_row(Json& out, std::string_view name, const Kind& kind, const T& value) {
  out[std::string(name)] = kind.print(value);
}

template <class S, class... Rows>
Json print_keys(const S& from, const dp::FieldTable<Rows...>& rows) {
  Json out = Json::object();
  rows.apply([&](const auto&... row) { (print_row(out, row.name, row.kind, row.of(from)), ...); });
  return out;
}

std::string plain_text(const Json& value);  // the value in the file's notation; empty for a map

// The path of a row below that of its section, which is empty for the root.
std::string path_of(const std::string& section, std::string_view name);

// The line of a row, whose default is empty where the row does not say it in words.
HelpRow help_row(const std::string& section, const RowText& row, std::string type, std::string values);

template <class Kind, class T>
void list_row(std::vector<HelpRow>& out, const std::string& section, const RowText& row, const Kind& kind,
              const T& initial) {
  HelpRow line = help_row(section, row, kind.type(), kind.values());
  if (line.initial.empty()) line.initial = plain_text(kind.print(initial));
  if constexpr (requires { kind.list(out, section, initial); }) {
    line.section = true;
    const std::string below = line.path;
    out.push_back(std::move(line));
    kind.list(out, below, initial);
  } else {
    out.push_back(std::move(line));
  }
}

template <class S, class... Rows>
void list_keys(std::vector<HelpRow>& out, const std::string& path, const S& initial,
               const dp::FieldTable<Rows...>& rows) {
  rows.apply([&](const auto&... row) { (list_row(out, path, row.text(), row.kind, row.of(initial)), ...); });
}

// A map whose keys are the rows of a table over the value itself.
template <class Table>
struct Section {
  const Table& rows;

  std::string type() const { return "map"; }
  std::string values() const { return ""; }
  template <class S>
  void load(Reader& reader, const Node& node, S& into) const {
    load_keys(reader, node, into, rows);
  }
  template <class S>
  Json print(const S& from) const {
    return print_keys(from, rows);
  }
  template <class S>
  void list(std::vector<HelpRow>& out, const std::string& path, const S& initial) const {
    list_keys(out, path, initial, rows);
  }
};

template <class Table>
Section(const Table&) -> Section<Table>;

// The paths of frozen rows, including those of inner sections, whose values differ.
template <class S, class... Rows>
void list_frozen(std::vector<std::string>& out, const std::string& path, const S& running, const S& wanted,
                 const dp::FieldTable<Rows...>& rows) {
  const auto compare = [&](const auto& row) {
    const std::string here = path_of(path, row.name);
    const auto& was = row.of(running);
    const auto& now = row.of(wanted);
    if constexpr (requires { row.kind.rows; }) {
      list_frozen(out, here, was, now, row.kind.rows);
    } else if (row.frozen && was != now) {
      out.push_back(here);
    }
  };
  rows.apply([&](const auto&... row) { (compare(row), ...); });
}

// Copies the values of frozen rows, including those of inner sections, from `wanted` to `running`.
template <class S, class... Rows>
void take_frozen(S& running, const S& wanted, const dp::FieldTable<Rows...>& rows) {
  const auto take = [&](const auto& row) {
    if constexpr (requires { row.kind.rows; }) {
      take_frozen(row.of(running), row.of(wanted), row.kind.rows);
    } else if (row.frozen) {
      row.of(running) = row.of(wanted);
    }
  };
  rows.apply([&](const auto&... row) { (take(row), ...); });
}

}  // namespace config
