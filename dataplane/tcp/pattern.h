// The payload that the lab's hosts send: every byte is a function of its sequence number, so that whoever
// receives it can tell a byte out of place. The period is a prime, no multiple of any segment size.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "dataplane/packet/bytes.h"

namespace dp {

class Pattern {
 public:
  static constexpr std::uint32_t kPeriod = 8191;

  static constexpr std::byte at(std::uint32_t seq) noexcept { return kBytes[seq % kPeriod]; }

  static void fill(std::uint32_t seq, std::span<std::byte> out) noexcept {
    while (!out.empty()) {
      const std::size_t n = run(seq, out.size());
      std::copy_n(kBytes.data() + seq % kPeriod, n, out.data());  // GCC would make rep movs of memcpy here
      out = out.subspan(n);
      seq += static_cast<std::uint32_t>(n);
    }
  }

  static bool matches(std::uint32_t seq, Bytes bytes) noexcept {
    while (!bytes.empty()) {
      const std::size_t n = run(seq, bytes.size());
      if (std::memcmp(bytes.data(), kBytes.data() + seq % kPeriod, n) != 0) return false;
      bytes = bytes.subspan(n);
      seq += static_cast<std::uint32_t>(n);
    }
    return true;
  }

  // The bytes' Internet checksum before its complement (InternetSum::folded()), without reading them: the
  // difference of two sums from the period's beginning.
  static constexpr std::uint16_t sum(std::uint32_t seq, std::size_t n) noexcept {
    std::uint64_t sum = 0;
    for (std::size_t done = 0; done < n;) {
      const std::size_t first = seq % kPeriod, piece = run(seq, n - done);
      const std::uint16_t s = fold(kSums[first + piece] - kSums[first]);
      // The table takes bytes at even places for the upper ones. RFC 1071 section 2 (B): if they are the
      // lower ones here, the sum has its bytes swapped.
      sum += (first + done) % 2 == 0 ? s : __builtin_bswap16(s);
      done += piece;
      seq += static_cast<std::uint32_t>(piece);
    }
    return fold(sum);
  }

 private:
  static constexpr std::uint16_t fold(std::uint64_t sum) noexcept {
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(sum);
  }

  // Bytes from `seq` on that lie together: up to the period's end, or to where sequence numbers wrap.
  static constexpr std::size_t run(std::uint32_t seq, std::size_t n) noexcept {
    const std::uint64_t to_wrap = (std::uint64_t{1} << 32) - seq;
    return std::min({n, std::size_t{kPeriod - seq % kPeriod}, static_cast<std::size_t>(to_wrap)});
  }

  static constexpr std::array<std::byte, kPeriod> make() {
    std::array<std::byte, kPeriod> out{};
    std::uint32_t x = 2463534242;  // Marsaglia's xorshift
    for (auto& b : out) {
      x ^= x << 13;
      x ^= x >> 17;
      x ^= x << 5;
      b = static_cast<std::byte>(x >> 24);
    }
    return out;
  }

  // Sums of the bytes before each place, those at even places taken for the upper bytes of words.
  static constexpr std::array<std::uint32_t, kPeriod + 1> make_sums() {
    std::array<std::uint32_t, kPeriod + 1> out{};
    for (std::size_t i = 0; i < kPeriod; ++i) {
      out[i + 1] = out[i] + (std::to_integer<std::uint32_t>(kBytes[i]) << (i % 2 == 0 ? 8 : 0));
    }
    return out;
  }

  static const std::array<std::byte, kPeriod> kBytes;
  static const std::array<std::uint32_t, kPeriod + 1> kSums;
};

inline constexpr std::array<std::byte, Pattern::kPeriod> Pattern::kBytes = Pattern::make();
inline constexpr std::array<std::uint32_t, Pattern::kPeriod + 1> Pattern::kSums = Pattern::make_sums();

}  // namespace dp
