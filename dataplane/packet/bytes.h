// Big-endian loads and stores, and the convention of all header views: a view is a pointer into bytes owned
// elsewhere (the frame), created only by a static at(), which checks that the whole header is within them.
// Tests: tests/unit/packet/parse_plain_test.cc
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace dp {

using Bytes = std::span<const std::byte>;

static_assert(std::endian::native == std::endian::little, "the loads swap bytes unconditionally");

inline std::uint8_t load8(const std::byte* p) noexcept { return std::to_integer<std::uint8_t>(*p); }

inline std::uint16_t load16(const std::byte* p) noexcept {
  std::uint16_t v;
  std::memcpy(&v, p, sizeof v);
  return __builtin_bswap16(v);
}

inline std::uint32_t load32(const std::byte* p) noexcept {
  std::uint32_t v;
  std::memcpy(&v, p, sizeof v);
  return __builtin_bswap32(v);
}

inline std::uint64_t load64(const std::byte* p) noexcept {
  std::uint64_t v;
  std::memcpy(&v, p, sizeof v);
  return __builtin_bswap64(v);
}

inline void store16(std::byte* p, std::uint16_t v) noexcept {
  v = __builtin_bswap16(v);
  std::memcpy(p, &v, sizeof v);
}

inline void store32(std::byte* p, std::uint32_t v) noexcept {
  v = __builtin_bswap32(v);
  std::memcpy(p, &v, sizeof v);
}

inline void store64(std::byte* p, std::uint64_t v) noexcept {
  v = __builtin_bswap64(v);
  std::memcpy(p, &v, sizeof v);
}

}  // namespace dp
