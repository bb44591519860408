// The Internet checksum: in full where a header is made, by its difference where a field is rewritten. Values
// are in host byte order, as load16() and store16() give and take them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "dataplane/packet/bytes.h"

namespace dp {

// RFC 1071 section 1: the one's complement sum of 16-bit words, an odd last byte padded with zero.
class InternetSum {
 public:
  // Pieces follow each other; only the last may have an odd length.
  InternetSum& add(Bytes bytes) noexcept {
    const std::byte* p = bytes.data();
    std::size_t n = bytes.size();
    // RFC 1071 section 2: the sum does not mind the byte order (B) and may be taken in wider words (C).
    // Halves of words are added beside each other without a carry, so that a compiler takes several at a
    // time.
    std::uint64_t low = 0, high = 0;
    for (; n >= 8; n -= 8, p += 8) {
      std::uint64_t word;
      std::memcpy(&word, p, sizeof word);
      low += word & 0xffffffff;
      high += word >> 32;
    }
    add_native(low);
    add_native(high);
    if (n > 0) {
      std::uint64_t word = 0;
      std::memcpy(&word, p, n);
      add_native(word);
    }
    return *this;
  }

  InternetSum& add16(std::uint16_t v) noexcept {
    add_native(__builtin_bswap16(v));
    return *this;
  }

  InternetSum& add32(std::uint32_t v) noexcept {
    add_native(__builtin_bswap32(v));
    return *this;
  }

  // 0xffff over data that carries its own right checksum.
  std::uint16_t folded() const noexcept {
    std::uint64_t s = (sum_ & 0xffffffff) + (sum_ >> 32);
    s = (s & 0xffff) + (s >> 16);  // at most 18 bits wide
    s = (s & 0xffff) + (s >> 16);
    s = (s & 0xffff) + (s >> 16);
    return __builtin_bswap16(static_cast<std::uint16_t>(s));
  }

  std::uint16_t checksum() const noexcept { return static_cast<std::uint16_t>(~folded()); }

 private:
  void add_native(std::uint64_t word) noexcept {
    sum_ += word;
    sum_ += sum_ < word;  // the carry comes round
  }

  std::uint64_t sum_ = 0;
};

inline std::uint16_t internet_checksum(Bytes bytes) noexcept { return InternetSum{}.add(bytes).checksum(); }

// RFC 1624 section 3, equation 3: HC' = ~(~HC + ~m + m').
inline std::uint16_t checksum_update16(std::uint16_t checksum, std::uint16_t before,
                                       std::uint16_t after) noexcept {
  std::uint32_t s = static_cast<std::uint16_t>(~checksum);
  s += static_cast<std::uint16_t>(~before);
  s += after;
  s = (s & 0xffff) + (s >> 16);
  s = (s & 0xffff) + (s >> 16);
  return static_cast<std::uint16_t>(~s);
}

}  // namespace dp
