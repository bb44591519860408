// Tables of keys: one row a key, from which loading, printing, help and the reference are made. A section is
// a std::tuple of rows over one struct; its defaults are those of a value-initialised struct.
#pragma once
#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/notation/reader.h"
#include "dataplane/base/result.h"

namespace config {

using Json = nlohmann::ordered_json;

// One line of the reference.
struct HelpRow {
  std::string path, type, values, initial, doc;
  bool section = false;  // it has its own rows below
  bool frozen = false;   // a new value takes effect after a restart
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
constexpr auto names_of(const std::tuple<Rows...>& rows) {
  return std::apply(
      [](const auto&... row) { return std::array<std::string_view, sizeof...(Rows)>{row.name...}; }, rows);
}

// No keys beside those of the rows.
inline constexpr auto kNoOther = [](Reader&, const Node&) { return false; };

// Keys missing in the map keep their value in `into`. other(reader, key) is true for a key outside the rows
// about which it has reported a problem.
template <class S, class... Rows, class Other = decltype(kNoOther)>
void load_keys(Reader& reader, const Node& map, S& into, const std::tuple<Rows...>& rows,
               const Other& other = kNoOther) {
  const auto names = names_of(rows);
  if (!reader.expect_map(map, names)) return;
  const auto load_row = [&](const auto& row) {
    if (const auto value = map.find(row.name)) {
      const Reader::Scope scope(reader, row.name);
      load_value(reader, *value, row.kind, std::invoke(row.get, into));
    } else if (row.required) {
      const auto values = row.kind.values();
      reader.missing_key(map.place(), row.name,
                         values.empty() ? ": " + std::string(row.doc) : "; it takes " + values);
    }
  };
  std::apply([&](const auto&... row) { (load_row(row), ...); }, rows);
  for (std::size_t i = 0; i < map.size() && !reader.full(); ++i) {
    const bool known = std::find(names.begin(), names.end(), map.key(i).text()) != names.end();
    if (!known && !other(reader, map.key(i))) reader.unknown_key(map.key(i), names);
  }
}

template <class S, class... Rows>
Json print_keys(const S& from, const std::tuple<Rows...>& rows) {
  Json out = Json::object();
  const auto print_row = [&](const auto& row) {
    out[std::string(row.name)] = row.kind.print(std::invoke(row.get, from));
  };
  std::apply([&](const auto&... row) { (print_row(row), ...); }, rows);
  return out;
}

std::string plain_text(const Json& value);  // the value in the file's notation; empty for a map

template <class S, class... Rows>
void list_keys(std::vector<HelpRow>& out, const std::string& path, const S& initial,
               const std::tuple<Rows...>& rows) {
  const auto list_row = [&](const auto& row) {
    const auto& value = std::invoke(row.get, initial);
    HelpRow line{path.empty() ? std::string(row.name) : path + "." + std::string(row.name), row.kind.type(),
                 row.kind.values(), std::string(row.initial), std::string(row.doc)};
    if (!row.source.empty()) line.doc += " (" + std::string(row.source) + ")";
    constexpr bool kNested = requires { row.kind.list(out, line.path, value); };
    line.section = kNested;
    line.frozen = row.frozen;
    if (row.required) line.initial = "required";
    if (line.initial.empty()) line.initial = plain_text(row.kind.print(value));
    const std::string below = line.path;
    out.push_back(std::move(line));
    if constexpr (kNested) row.kind.list(out, below, value);
  };
  std::apply([&](const auto&... row) { (list_row(row), ...); }, rows);
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
                 const std::tuple<Rows...>& rows) {
  const auto compare = [&](const auto& row) {
    const std::string here = path.empty() ? std::string(row.name) : path + "." + std::string(row.name);
    const auto& was = std::invoke(row.get, running);
    const auto& now = std::invoke(row.get, wanted);
    if constexpr (requires { row.kind.rows; }) {
      list_frozen(out, here, was, now, row.kind.rows);
    } else if (row.frozen && was != now) {
      out.push_back(here);
    }
  };
  std::apply([&](const auto&... row) { (compare(row), ...); }, rows);
}

// Copies the values of frozen rows, including those of inner sections, from `wanted` to `running`.
template <class S, class... Rows>
void take_frozen(S& running, const S& wanted, const std::tuple<Rows...>& rows) {
  const auto take = [&](const auto& row) {
    if constexpr (requires { row.kind.rows; }) {
      take_frozen(std::invoke(row.get, running), std::invoke(row.get, wanted), row.kind.rows);
    } else if (row.frozen) {
      std::invoke(row.get, running) = std::invoke(row.get, wanted);
    }
  };
  std::apply([&](const auto&... row) { (take(row), ...); }, rows);
}

}  // namespace config
