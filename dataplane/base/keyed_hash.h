// A hash for tables whose keys strangers choose. It is drawn from a family by a seed that they do not know,
// and 5-independent: for any chosen keys, any five of them hash as independently as dice, so that linear
// probing takes a constant number of steps on average (Pagh, Pagh and Ruzic, SIAM J. Comput. 39, 2009). Plain
// data; repeatable from the seed.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "dataplane/base/rng.h"

namespace dp {

// A polynomial of degree four with secret coefficients over the field of 2^61 - 1 elements. A key of several
// words becomes one element first, by a sum of its halves times secret factors: two keys come out equal with
// a probability of 2^-61, whichever they are.
class KeyedHash {
 public:
  static constexpr std::size_t kMaxWords = 5;

  constexpr explicit KeyedHash(std::uint64_t seed) noexcept {
    Rng rng(seed);
    for (std::uint64_t& c : coefficients_) c = element(rng);
    for (std::uint64_t& f : factors_) f = element(rng);
  }

  // From 0 to 2^61 - 2, all bits alike.
  constexpr std::uint64_t operator()(std::uint64_t word) const noexcept { return of_words(word); }
  template <class... More>
  constexpr std::uint64_t operator()(std::uint64_t word, std::uint64_t next, More... more) const noexcept {
    static_assert(2 + sizeof...(More) <= kMaxWords);
    return of_words(word, next, more...);
  }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

  static constexpr std::uint64_t element(Rng& rng) noexcept {
    for (;;) {
      const std::uint64_t drawn = rng.next() >> 3;
      if (drawn < kPrime) return drawn;
    }
  }

  // Modulo the prime, not quite: 2^61 is 1 there, so the part above bit 61 is added to the part below.
  static constexpr std::uint64_t folded(Wide v) noexcept {
    return (static_cast<std::uint64_t>(v) & kPrime) + static_cast<std::uint64_t>(v >> 61);
  }
  static constexpr std::uint64_t reduced(std::uint64_t v) noexcept {
    v = (v & kPrime) + (v >> 61);
    return v >= kPrime ? v - kPrime : v;
  }

  // Horner's rule. For x below 2^61 the value grows by at most 2^61 a step: five of them fit in 64 bits.
  constexpr std::uint64_t polynomial(std::uint64_t x) const noexcept {
    std::uint64_t value = coefficients_[0];
    for (std::size_t i = 1; i < coefficients_.size(); ++i) value = folded(Wide{value} * x + coefficients_[i]);
    return reduced(value);
  }

  // Ten products of 93 bits do not overflow the sum.
  template <class... Words>
  constexpr std::uint64_t of_words(Words... words) const noexcept {
    Wide sum = 0;
    std::size_t at = 0;
    const auto add = [&](std::uint64_t word) {
      sum += Wide{factors_[at++]} * (word & 0xffffffff);
      sum += Wide{factors_[at++]} * (word >> 32);
    };
    (add(words), ...);
    return polynomial(reduced(folded(sum)));
  }

  std::array<std::uint64_t, 5> coefficients_{};
  std::array<std::uint64_t, 2 * kMaxWords> factors_{};
};

}  // namespace dp
