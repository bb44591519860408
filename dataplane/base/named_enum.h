// An enumeration whose members have names and texts, from one list:
//
//   #define DP_COLOURS(X)  X(red, "of blood")  X(green, "of grass")
//   DP_NAMED_ENUM(Colour, DP_COLOURS)
//
// makes Colour::red and Colour::green, kColourNames, kColourTexts and kColours, their number.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#define DP_ENUM_MEMBER(name, text) name,
#define DP_ENUM_NAME(name, text) std::string_view{#name},
#define DP_ENUM_TEXT(name, text) std::string_view{text},
#define DP_NAMED_ENUM(Type, LIST)                                 \
  enum class Type : std::uint8_t { LIST(DP_ENUM_MEMBER) };        \
  inline constexpr std::array k##Type##Names{LIST(DP_ENUM_NAME)}; \
  inline constexpr std::array k##Type##Texts{LIST(DP_ENUM_TEXT)}; \
  inline constexpr std::size_t k##Type##s = k##Type##Names.size();
