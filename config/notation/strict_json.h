// Parses JSON text from untrusted clients in one pass that ends at the first fault, so that its cost is
// linear in the bytes read and bounded by the limits. Knows no keys; a duplicate key is a fault.
// Tests: tests/unit/config/strict_json_test.cc
#pragma once
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json.hpp>

namespace config {

struct JsonBounds {
  std::size_t depth = 32;                                          // nesting of lists and objects
  std::size_t values = std::size_t{1} << 18;                       // number of values, lists and objects
                                                                   // included
  std::size_t elements = std::numeric_limits<std::size_t>::max();  // elements of a list that is the whole
                                                                   // document
};

struct JsonFault {
  enum class Kind { syntax, depth, values, elements, duplicate };
  Kind kind;
  std::string text;
};

std::variant<nlohmann::json, JsonFault> parse_json(std::string_view text, const JsonBounds& bounds = {});

}  // namespace config
