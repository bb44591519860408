// Field tables: one row a setting, from which configuration keys, validation, help text and reference tables
// are made. A struct of settings lists its rows in `kFields`; its default values are those of a
// value-initialised struct.
#pragma once
#include <cstdint>
#include <string_view>
#include <tuple>

namespace dp {

enum class Unit : std::uint8_t { rate, bytes, sdus, duration, ratio, count };

// Rates are bit/s, durations nanoseconds, ratios fractions; `min` and `max` are inclusive.
template <class Settings, class T>
struct Field {
  std::string_view name;
  T Settings::*member;
  Unit unit;
  T min, max;
  std::string_view doc;
  std::string_view source;  // clause or paper section
};

template <class Settings, class T>
Field(std::string_view, T Settings::*, Unit, T, T, std::string_view, std::string_view) -> Field<Settings, T>;

// f(field) for each row of Settings::kFields, in order.
template <class Settings, class F>
constexpr void for_each_field(F&& f) {
  std::apply([&](const auto&... row) { (f(row), ...); }, Settings::kFields);
}

}  // namespace dp
