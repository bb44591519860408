// JSON text from a stranger to a document: one pass that ends at the first fault, so its cost is linear in
// what was read and bounded by what is allowed. Knows no key; a key that stands twice is a fault.
#pragma once
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json.hpp>

namespace config {

struct JsonBounds {
  std::size_t depth = 32;                                          // lists and objects within each other
  std::size_t values = std::size_t{1} << 18;                       // of all kinds, lists and objects included
  std::size_t elements = std::numeric_limits<std::size_t>::max();  // of a list that is the whole document
};

struct JsonFault {
  enum class Kind { syntax, depth, values, elements, duplicate };
  Kind kind;
  std::string text;
};

std::variant<nlohmann::json, JsonFault> parse_json(std::string_view text, const JsonBounds& bounds = {});

}  // namespace config
