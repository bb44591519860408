// Field tables: one row a setting, from which configuration keys, validation, help text and reference tables
// are made. A struct of settings lists its rows in `kFields`; its default values are those of a
// value-initialised struct.
// Tests: tests/unit/config/units_test.cc, tests/unit/config/choice_test.cc
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "dataplane/base/expect.h"

namespace dp {

enum class Unit : std::uint8_t { rate, bytes, sdus, duration, ratio, number, count };

// A number of SDUs, or of bytes, as it was written; limits of a row are in SDUs, and in bytes 1500 times
// that.
struct Amount {
  std::uint32_t value = 0;
  bool bytes = false;
  static constexpr std::uint32_t kSduBytes = 1500;  // the papers' packet
  friend constexpr auto operator<=>(const Amount&, const Amount&) = default;
};

// A row is one of three: yes or no (a bool), one of a list of names (an enum or small integer, which is the
// place in the list), or a number with a unit. Rates are bit/s, durations nanoseconds, ratios fractions
// (written 10%), numbers have no unit; `min` and `max` are inclusive. Requires: min <= max; a list has a
// name.
template <class Settings, class T, bool kNamed = false>
struct Field {
  // clang-format off
  constexpr Field(std::string_view name_, T Settings::*member_, Unit unit_, T min_, T max_,
                  std::string_view doc_, std::string_view source_) requires(!kNamed)
      : name(name_), member(member_), unit(unit_), min(min_), max(max_), doc(doc_), source(source_) {
    DP_EXPECT(!(max_ < min_));
  }

  constexpr Field(std::string_view name_, T Settings::*member_, std::string_view doc_,
                  std::string_view source_) requires(std::is_same_v<T, bool>)
      : Field(name_, member_, Unit::count, false, true, doc_, source_) {}

  constexpr Field(std::string_view name_, T Settings::*member_, std::span<const std::string_view> names_,
                  std::string_view doc_, std::string_view source_) requires kNamed
      : name(name_), member(member_), unit(Unit::count), min{}, max(static_cast<T>(names_.size() - 1)),
        doc(doc_), source(source_), names(names_) {
    DP_EXPECT(!names_.empty());
  }
  // clang-format on

  std::string_view name;
  T Settings::*member;
  Unit unit;
  T min, max;
  std::string_view doc;
  std::string_view source;  // clause or paper section
  std::span<const std::string_view> names{};
};

template <class Settings, class T>
Field(std::string_view, T Settings::*, Unit, T, T, std::string_view, std::string_view) -> Field<Settings, T>;
template <class Settings>
Field(std::string_view, bool Settings::*, std::string_view, std::string_view) -> Field<Settings, bool>;
template <class Settings, class T>
Field(std::string_view, T Settings::*, std::span<const std::string_view>, std::string_view, std::string_view)
    -> Field<Settings, T, true>;

template <std::size_t kIndex, class Row>
struct IndexedField {
  Row row;
};
template <class Indices, class... Rows>
struct IndexedFields;
template <std::size_t... kIndices, class... Rows>
struct IndexedFields<std::index_sequence<kIndices...>, Rows...> : IndexedField<kIndices, Rows>... {
  static constexpr std::size_t kSize = sizeof...(Rows);
  // Calls f(first, second, ...) with all rows.
  template <class F>
  constexpr decltype(auto) apply(F&& f) const {
    return f(static_cast<const IndexedField<kIndices, Rows>&>(*this).row...);
  }
};

// A table of rows: FieldTable{Field{...}, Field{...}}. An aggregate, which compiles faster than std::tuple:
// the constructors of std::tuple took 40 % of the compiler's time for all settings.
template <class... Rows>
struct FieldTable : IndexedFields<std::index_sequence_for<Rows...>, Rows...> {};
template <class... Rows>
FieldTable(Rows...) -> FieldTable<Rows...>;

// Returns the rows of two or more tables as one table, in order.
template <class... First, class... Second, class... More>
constexpr auto joined(const FieldTable<First...>& first, const FieldTable<Second...>& second,
                      const More&... more) {
  const FieldTable both = first.apply([&](const auto&... a) {
    return second.apply([&](const auto&... b) { return FieldTable<First..., Second...>{a..., b...}; });
  });
  if constexpr (sizeof...(More) == 0) {
    return both;
  } else {
    return joined(both, more...);
  }
}

// A conflict between two rows: the value of row `low` has to be below that of row `high`, and is not. A
// struct of settings for which there is such a rule has `conflict() const`, which returns
// std::optional<Conflict>.
struct Conflict {
  std::string_view low, high;
};

// f(field) for each row of Settings::kFields, in order.
template <class Settings, class F>
constexpr void for_each_field(F&& f) {
  Settings::kFields.apply([&](const auto&... row) { (f(row), ...); });
}

}  // namespace dp
