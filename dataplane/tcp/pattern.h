// What the lab's hosts send: every payload byte is a function of its sequence number, so that whoever
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
      std::memcpy(out.data(), kBytes.data() + seq % kPeriod, n);
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

 private:
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

  static const std::array<std::byte, kPeriod> kBytes;
};

inline constexpr std::array<std::byte, Pattern::kPeriod> Pattern::kBytes = Pattern::make();

}  // namespace dp
