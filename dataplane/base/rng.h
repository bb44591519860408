// Seeded random numbers that are equal on every machine: xoshiro256** (Blackman and Vigna), its state filled
// by splitmix64. Each user of chance owns a generator, made by fork() from the one it was given, so that
// draws of one user do not depend on another's.
#pragma once
#include <array>
#include <bit>
#include <cstdint>

namespace dp {

class Rng {
 public:
  constexpr explicit Rng(std::uint64_t seed) noexcept {
    for (std::uint64_t& word : state_) {
      seed += kGolden;
      word = mixed(seed);
    }
  }

  constexpr std::uint64_t next() noexcept {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // In [0, 1), all 53 bits of it.
  constexpr double uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

  // True with probability `p`: never for 0 and less, always for 1 and more. One draw for any `p`.
  constexpr bool chance(double p) noexcept { return uniform() < p; }

  // 0 to n - 1 with equal probability (Lemire, "Fast random integer generation in an interval"); 0 if n is 0.
  constexpr std::uint32_t below(std::uint32_t n) noexcept {
    std::uint64_t product = (next() >> 32) * n;
    if (auto low = static_cast<std::uint32_t>(product); low < n) {
      const std::uint32_t unfair = (0u - n) % n;
      while (low < unfair) {
        product = (next() >> 32) * n;
        low = static_cast<std::uint32_t>(product);
      }
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  // A generator of its own for each `stream`; this one does not change.
  constexpr Rng fork(std::uint64_t stream) const noexcept {
    std::uint64_t seed = mixed(stream + kGolden);
    for (const std::uint64_t word : state_) seed = mixed(seed ^ word);
    return Rng(seed);
  }

  // The output function of splitmix64 (Steele, Lea and Flood): spreads a number over 64 bits.
  static constexpr std::uint64_t mixed(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  static constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

  std::array<std::uint64_t, 4> state_{};
};

}  // namespace dp
