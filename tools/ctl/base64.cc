#include "tools/ctl/base64.h"

#include <cstdint>

namespace ctl {
namespace {

// -1: no digit.
int digit_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

}  // namespace

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int digit = i < text.size() - padding ? digit_of(text[i]) : 0;
    if (digit < 0) return std::nullopt;
    word = word << 6 | static_cast<std::uint32_t>(digit);
    if (i % 4 != 3) continue;
    for (const int shift : {16, 8, 0}) bytes += static_cast<char>(word >> shift);
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace ctl
