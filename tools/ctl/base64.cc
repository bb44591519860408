#include "tools/ctl/base64.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ctl {
namespace {

constexpr std::uint8_t kNoDigit = 0xff;

constexpr std::array<std::uint8_t, 256> kDigits = [] {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  constexpr std::string_view kAll = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < kAll.size(); ++i)
    digits[static_cast<unsigned char>(kAll[i])] = static_cast<std::uint8_t>(i);
  return digits;
}();

}  // namespace

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::string bytes(text.size() / 4 * 3, '\0');
  char* out = bytes.data();
  const std::size_t digits = text.size() - padding;
  for (std::size_t at = 0; at < text.size(); at += 4, out += 3) {
    std::uint32_t word = 0;
    for (std::size_t i = at; i < at + 4; ++i) {
      const std::uint8_t digit = i < digits ? kDigits[static_cast<unsigned char>(text[i])] : std::uint8_t{0};
      if (digit == kNoDigit) return std::nullopt;
      word = word << 6 | digit;
    }
    for (std::size_t i = 0; i < 3; ++i) out[i] = static_cast<char>(word >> (16 - 8 * i));
  }
  bytes.resize(bytes.size() - padding);
  return bytes;
}

}  // namespace ctl
