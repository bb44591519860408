// A hash for tables whose 32-bit keys strangers choose: simple tabulation, drawn by a seed that they do not
// know. Linear probing takes a constant number of steps on average for any chosen keys, as it does with
// independent dice for each key (Patrascu and Thorup, "The power of simple tabulation hashing", J. ACM 59,
// 2012). It takes four reads where KeyedHash takes four multiplications of 128 bits, and 4 KiB of memory: it
// is for one large table, and not for many small ones. Plain data; repeatable from the seed.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "dataplane/base/rng.h"

namespace dp {

class TabulationHash {
 public:
  explicit TabulationHash(std::uint64_t seed) noexcept {
    Rng rng(seed);
    for (auto& table : tables_) {
      for (std::uint32_t& entry : table) entry = static_cast<std::uint32_t>(rng.next() >> 32);
    }
  }

  // All 32 bits alike.
  std::uint32_t operator()(std::uint32_t key) const noexcept {
    return tables_[0][key & 0xff] ^ tables_[1][key >> 8 & 0xff] ^ tables_[2][key >> 16 & 0xff] ^
           tables_[3][key >> 24];
  }

 private:
  // A random number for each value of each octet of the key.
  std::array<std::array<std::uint32_t, 256>, 4> tables_;
};

}  // namespace dp
