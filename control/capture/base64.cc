#include "control/capture/base64.h"

#include <cstddef>
#include <cstdint>

namespace control {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  char* out = text.data();
  const auto byte = [bytes](std::size_t at) { return std::uint32_t{static_cast<unsigned char>(bytes[at])}; };
  std::size_t at = 0;
  for (; at + 3 <= bytes.size(); at += 3, out += 4) {
    const std::uint32_t word = byte(at) << 16 | byte(at + 1) << 8 | byte(at + 2);
    out[0] = kDigits[word >> 18];
    out[1] = kDigits[word >> 12 & 63];
    out[2] = kDigits[word >> 6 & 63];
    out[3] = kDigits[word & 63];
  }
  if (at == bytes.size()) return text;
  const bool two = at + 2 == bytes.size();
  const std::uint32_t word = byte(at) << 16 | (two ? byte(at + 1) << 8 : 0);
  out[0] = kDigits[word >> 18];
  out[1] = kDigits[word >> 12 & 63];
  if (two) out[2] = kDigits[word >> 6 & 63];
  return text;
}

}  // namespace control
