// Small help for messages: text from a stranger made fit to print, the nearest valid name, lists in prose.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace config {

// How many bytes from the start are UTF-8 (RFC 3629): all of them when it is text.
std::size_t utf8_prefix(std::string_view text);

// At most 60 bytes, up to what is no UTF-8, control characters as '?'.
std::string shorten(std::string_view text);

std::string_view nearest(std::string_view text,
                         std::span<const std::string_view> names);  // empty: none is near

// "; did you mean `mode`?", or nothing when no name is near.
std::string did_you_mean(std::string_view text, std::span<const std::string_view> names);

// "a, b or c"
std::string one_of(std::span<const std::string_view> names);

}  // namespace config
