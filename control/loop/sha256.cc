#include "control/loop/sha256.h"

#include <array>
#include <cstdint>

#include <sha256.h>

namespace control {

std::string sha256(std::string_view text) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digest{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), digest.data());
  return digest.data();
}

}  // namespace control
