// Kinds of values (config/notation/table.h): quantities, names, yes and no, checked text, lists, and `auto`.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/notation/table.h"
#include "config/notation/units.h"
#include "config/notation/words.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/time.h"

namespace config {

// True for text: any scalar of a file, a JSON string from the socket.
inline bool is_text(const Node& node, bool strict) {
  return node.is_scalar() && (!strict || node.style() == Style::text);
}

// A number with a unit. T is an unsigned integer, dp::Duration, or for ratios and numbers a floating type.
template <class T>
struct Quantity {
  dp::Unit unit;
  T min, max;

  std::string type() const { return std::string(unit_name(unit)); }
  std::string values() const { return format(min) + " to " + format(max); }
  Json print(const T& value) const {
    if constexpr (std::is_integral_v<T>) {
      if (unit == dp::Unit::count) return value;
    }
    return format(value);
  }

  dp::Result<T> parse(const Node& node, bool strict) const {
    const std::string range = "a " + type() + " from " + values();
    const bool bare =
        strict && (node.style() != Style::number) && (unit == dp::Unit::count || node.style() != Style::text);
    if (!node.is_scalar() || bare) return dp::Error{range};
    if constexpr (std::is_floating_point_v<T>) {
      const auto value = parse_real(unit, node.text());
      if (!value) return value.error();
      if (*value < min || *value > max) return dp::Error{range};
      return static_cast<T>(*value);
    } else {
      const auto value = parse_quantity(unit, node.text());
      if (!value) return value.error();
      if (*value < raw(min) || *value > raw(max)) return dp::Error{range};
      return make(*value);
    }
  }

 private:
  static std::uint64_t raw(const T& value) {
    if constexpr (std::is_same_v<T, dp::Duration>) {
      return static_cast<std::uint64_t>(value.count());
    } else {
      return static_cast<std::uint64_t>(value);
    }
  }
  static T make(std::uint64_t value) {
    if constexpr (std::is_same_v<T, dp::Duration>) {
      return T{static_cast<std::int64_t>(value)};
    } else {
      return static_cast<T>(value);
    }
  }
  std::string format(const T& value) const {
    if constexpr (std::is_floating_point_v<T>) {
      return format_real(unit, static_cast<double>(value));
    } else {
      return format_quantity(unit, raw(value));
    }
  }
};

// A row of a field table that is a number with a unit.
template <class S, class T>
constexpr auto quantity_row(const dp::Field<S, T>& f) {
  return Row<T S::*, Quantity<T>>{f.name, f.member, {f.unit, f.min, f.max}, f.doc, false, {}, f.source};
}

// SDUs or bytes.
struct AmountKind {
  dp::Amount min, max;

  std::string type() const { return "amount"; }
  std::string values() const {
    return print_one(min) + " to " + print_one(max) + ", or the like in bytes: " + print_one(in_bytes(min)) +
           " to " + print_one(in_bytes(max));
  }
  Json print(const dp::Amount& value) const { return print_one(value); }
  dp::Result<dp::Amount> parse(const Node& node, bool strict) const {
    const dp::Error wrong{"an amount from " + values()};
    if (!is_text(node, strict)) return wrong;
    for (const bool bytes : {false, true}) {
      const auto value = parse_quantity(bytes ? dp::Unit::bytes : dp::Unit::sdus, node.text());
      if (!value) continue;
      const auto [low, high] = bytes ? std::pair(in_bytes(min), in_bytes(max)) : std::pair(min, max);
      if (*value < low.value || *value > high.value) return wrong;
      return dp::Amount{static_cast<std::uint32_t>(*value), bytes};
    }
    return wrong;
  }

 private:
  static dp::Amount in_bytes(const dp::Amount& a) { return {a.value * dp::Amount::kSduBytes, true}; }
  static std::string print_one(const dp::Amount& a) {
    return format_quantity(a.bytes ? dp::Unit::bytes : dp::Unit::sdus, a.value);
  }
};

// An enum or integer whose values are indices in a list of names, or text that is one of the names.
template <class T>
struct OneOf {
  static constexpr bool kPlace = std::is_enum_v<T> || std::is_integral_v<T>;

  std::span<const std::string_view> names;

  std::string type() const { return "name"; }
  std::string values() const { return one_of(names); }
  Json print(const T& value) const {
    if constexpr (kPlace) {
      DP_EXPECT(static_cast<std::size_t>(value) < names.size());
      return std::string(names[static_cast<std::size_t>(value)]);
    } else {
      return value;
    }
  }
  dp::Result<T> parse(const Node& node, bool strict) const {
    for (std::size_t i = 0; is_text(node, strict) && i < names.size(); ++i) {
      if (names[i] != node.text()) continue;
      if constexpr (kPlace) {
        return static_cast<T>(i);
      } else {
        return T(names[i]);
      }
    }
    return dp::Error{values() + (node.is_scalar() ? did_you_mean(node.text(), names) : "")};
  }
};

// The version, the first key of every file; it determines how the others are read.
struct VersionKind {
  std::string type() const { return "whole number"; }
  std::string values() const { return "1"; }
  template <class T>
  Json print(const T&) const {
    return 1;
  }
  template <class T>
  void load(Reader& reader, const Node& node, T&) const {
    const bool one =
        node.is_scalar() && node.text() == "1" && (!reader.strict() || node.style() == Style::number);
    if (!one) reader.expected(node, "1, the version of this notation that this rncd reads");
  }
};

struct YesNo {
  std::string type() const { return "name"; }
  std::string values() const { return "yes or no"; }
  Json print(bool value) const { return value; }
  dp::Result<bool> parse(const Node& node, bool strict) const {
    const bool fits =
        node.is_scalar() && (strict ? node.style() == Style::boolean : node.style() == Style::plain);
    if (fits && (node.text() == "yes" || node.text() == "true")) return true;
    if (fits && (node.text() == "no" || node.text() == "false")) return false;
    return dp::Error{strict ? "true or false" : values()};
  }
};

// Text with a syntax of its own.
template <class T>
struct Checkable {
  std::string_view name;  // name of the type
  std::string_view form;  // description of the syntax
  dp::Result<T> (*read)(std::string_view);
  std::string (*write)(const T&);

  std::string type() const { return std::string(name); }
  std::string values() const { return std::string(form); }
  Json print(const T& value) const { return write(value); }
  dp::Result<T> parse(const Node& node, bool strict) const {
    if (!is_text(node, strict)) return dp::Error{"text: " + values()};
    return read(node.text());
  }
};

template <class Kind>
struct ListOf {
  Kind kind;
  std::string_view of;  // noun for the items, in the plural

  std::string type() const { return "list"; }
  std::string values() const { return "list of " + std::string(of); }
  template <class T>
  Json print(const std::vector<T>& value) const {
    Json out = Json::array();
    for (const auto& item : value) out.push_back(kind.print(item));
    return out;
  }
  template <class T>
  void load(Reader& reader, const Node& node, std::vector<T>& into) const {
    if (!reader.expect_list(node, of)) return;
    into.clear();
    for (std::size_t i = 0; i < node.size() && !reader.full(); ++i) {
      const Reader::Scope scope(reader, i);
      load_value(reader, node.item(i), kind, into.emplace_back());
    }
  }
};

// A value that is read later, once its context is known.
struct Later {
  std::string_view name, form;

  std::string type() const { return std::string(name); }
  std::string values() const { return std::string(form); }
  Json print(const std::optional<Node>&) const { return Json::object(); }
  void load(Reader&, const Node& node, std::optional<Node>& into) const { into = node; }
};

inline bool is_auto(const Node& node, bool strict) { return is_text(node, strict) && node.text() == "auto"; }

// `auto` is a std::optional without value.
template <class Kind>
struct OrAuto {
  Kind kind;

  std::string type() const { return kind.type(); }
  std::string values() const { return "auto, or " + kind.values(); }
  template <class T>
  Json print(const std::optional<T>& value) const {
    return value ? kind.print(*value) : Json("auto");
  }
  auto parse(const Node& node, bool strict) const {
    using Result = dp::Result<std::optional<std::decay_t<decltype(*kind.parse(node, strict))>>>;
    if (is_auto(node, strict)) return Result(std::nullopt);
    auto value = kind.parse(node, strict);
    return value ? Result(std::optional(*value)) : Result(dp::Error{"auto, or " + value.error().message});
  }
};

// clang before version 17 deduces none for an aggregate.
template <class Kind>
OrAuto(Kind) -> OrAuto<Kind>;

// `auto` is an empty list.
template <class Kind>
struct ListOrAuto {
  ListOf<Kind> list_of;

  std::string type() const { return "list"; }
  std::string values() const { return "auto, or a " + list_of.values(); }
  template <class T>
  Json print(const std::vector<T>& value) const {
    return value.empty() ? Json("auto") : list_of.print(value);
  }
  template <class T>
  void load(Reader& reader, const Node& node, std::vector<T>& into) const {
    if (is_auto(node, reader.strict())) {
      into.clear();
    } else if (node.kind() != NodeKind::list || node.size() == 0) {
      reader.expected(node, "auto, or a " + list_of.values());
    } else {
      list_of.load(reader, node, into);
    }
  }
};

}  // namespace config
