// The Internet checksum: computed in full for a new header, and incrementally for a changed field. Values are
// in host byte order, as in load16() and store16().
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "dataplane/base/expect.h"
#include "dataplane/packet/bytes.h"

namespace dp {

// RFC 1071 section 1: the one's complement sum of 16-bit words, an odd last byte padded with zero.
class InternetSum {
 public:
  // Adds consecutive pieces; only the last may have an odd length.
  InternetSum& add(Bytes bytes) noexcept {
    const std::byte* p = bytes.data();
    std::size_t n = bytes.size();
    // RFC 1071 section 2: the sum is independent of the byte order (B) and can be computed in wider words
    // (C).
#ifdef __SSE2__
    while (n >= kBlock) {
      const std::size_t blocks = std::min(n / kBlock, kMostBlocks);
      add_blocks(p, blocks);
      p += blocks * kBlock;
      n -= blocks * kBlock;
    }
#endif
    // Halves of words are summed separately, without carries.
    std::uint64_t low = 0, high = 0;
    for (; n >= 8; n -= 8, p += 8) {
      const auto word = native<std::uint64_t>(p);
      low += word & 0xffffffff;
      high += word >> 32;
    }
    if ((n & 4) != 0) low += native<std::uint32_t>(p), p += 4;
    if ((n & 2) != 0) high += native<std::uint16_t>(p), p += 2;
    if ((n & 1) != 0) {
      std::uint16_t padded = 0;
      std::memcpy(&padded, p, 1);
      high += padded;
    }
    add_native(low);
    add_native(high);
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

  // 0xffff over data that includes its correct checksum.
  std::uint16_t folded() const noexcept {
    std::uint64_t s = (sum_ & 0xffffffff) + (sum_ >> 32);
    s = (s & 0xffff) + (s >> 16);  // at most 18 bits wide
    s = (s & 0xffff) + (s >> 16);
    s = (s & 0xffff) + (s >> 16);
    return __builtin_bswap16(static_cast<std::uint16_t>(s));
  }

  std::uint16_t checksum() const noexcept { return static_cast<std::uint16_t>(~folded()); }

 private:
  template <class Word>
  static Word native(const std::byte* p) noexcept {
    Word word;
    std::memcpy(&word, p, sizeof word);
    return word;
  }

#ifdef __SSE2__
  static constexpr std::size_t kBlock = 64;
  static constexpr std::size_t kMostBlocks = 4096;  // largest number of blocks whose sums fit into 32 bits

  // Adds the main part of a payload. Requires: blocks <= kMostBlocks.
  void add_blocks(const std::byte* p, std::size_t blocks) noexcept {
    DP_EXPECT_HOT(blocks <= kMostBlocks);
    using Words [[gnu::vector_size(16)]] = std::int16_t;
    using Sums [[gnu::vector_size(16)]] = std::int32_t;
    // pmaddwd takes words as signed: 2^15 is subtracted from each for that, and added to the sum at the end.
    constexpr std::int16_t kTop = -32768;
    const Words top = {kTop, kTop, kTop, kTop, kTop, kTop, kTop, kTop}, one = {1, 1, 1, 1, 1, 1, 1, 1};
    const auto pairs = [&](std::size_t at) noexcept -> Sums {
      return __builtin_ia32_pmaddwd128(native<Words>(p + at) ^ top, one);
    };
    Sums lanes{};
    for (const std::byte* const end = p + blocks * kBlock; p != end; p += kBlock)
      lanes += (pairs(0) + pairs(16)) + (pairs(32) + pairs(48));
    constexpr std::int64_t kSubtracted = std::int64_t{kBlock / 2} << 15;
    const std::int64_t sum = std::int64_t{lanes[0]} + lanes[1] + lanes[2] + lanes[3];
    add_native(static_cast<std::uint64_t>(sum + static_cast<std::int64_t>(blocks) * kSubtracted));
  }
#endif

  void add_native(std::uint64_t word) noexcept {
    sum_ += word;
    sum_ += sum_ < word;  // end-around carry
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
