// Small help for messages: text from a stranger made fit to print, the nearest valid name, lists in prose.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace config {

// How many bytes from the start are UTF-8 (RFC 3629): all of them when it is text.
std::size_t utf8_prefix(std::string_view text);

// The text with each character that a terminal obeys or hides in place of showing it as \uXXXX, as in JSON:
// Unicode's Cc, Cf, Zl and Zp, which turn the direction of text, end lines or have no width. Line feeds and
// tabs stay; a byte that is no UTF-8 is \xXX.
std::string escaped(std::string_view text);

// At most 60 bytes, up to what is no UTF-8, characters that escaped() would write otherwise as '?'.
std::string shorten(std::string_view text);

// The name of which `text` is a misspelling: one edit for each four letters or so, the first letter right or
// exchanged with the second. Empty where there is none, or two are as near: a name that is merely similar may
// mean something else.
std::string_view nearest(std::string_view text, std::span<const std::string_view> names);

// "; did you mean `mode`?", or nothing when no name is near.
std::string did_you_mean(std::string_view text, std::span<const std::string_view> names);

// "a, b or c"
std::string one_of(std::span<const std::string_view> names);

}  // namespace config
