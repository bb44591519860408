// Helpers for messages: untrusted text made printable, the nearest valid name, lists in prose.
// Tests: tests/unit/config/visible_output_test.cc
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace config {

// Length of the longest prefix that is UTF-8 (RFC 3629).
std::size_t utf8_prefix(std::string_view text);

// The text with characters that a terminal interprets or hides written as \uXXXX, as in JSON: Unicode's Cc,
// Cf, Zl and Zp, which change the direction of text, end lines or have no width. Line feeds and tabs stay; a
// byte that is not UTF-8 becomes \xXX.
std::string escaped(std::string_view text);

// At most 60 bytes, up to the first byte that is not UTF-8, with '?' for characters that escaped() would
// escape.
std::string shorten(std::string_view text);

// The name that `text` probably misspells: about one edit for each four letters, with the first letter right
// or exchanged with the second. Empty if there is none or two are equally near: a merely similar name may
// mean something else.
std::string_view nearest(std::string_view text, std::span<const std::string_view> names);

// "; did you mean `mode`?", or empty if no name is near.
std::string did_you_mean(std::string_view text, std::span<const std::string_view> names);

// "1 bearer", "2 bearers".
std::string counted(std::uint64_t number, std::string_view what);

// "a, b or c"
std::string one_of(std::span<const std::string_view> names);

}  // namespace config
