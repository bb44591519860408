// A set of counts of a window: a ring of bits, searched a word at a time. Its memory is allocated at
// construction. Counts that differ by the ring's size share a bit, so counts must be cleared as the window
// moves over them.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "dataplane/base/expect.h"
#include "dataplane/rlc/am_sn.h"

namespace dp {

class AmCountSet {
 public:
  explicit AmCountSet(std::uint32_t window)
      : mask_(slots(window) - 1), words_(std::make_unique<std::uint64_t[]>(slots(window) / 64)) {}

  static constexpr std::uint32_t slots(std::uint32_t window) {
    return std::max(std::bit_ceil(window), std::uint32_t{64});
  }
  static constexpr std::size_t bytes_for(std::uint32_t window) { return slots(window) / 8; }

  bool has(AmCount c) const noexcept { return word(c) >> (c & 63) & 1; }
  void add(AmCount c) noexcept { word(c) |= std::uint64_t{1} << (c & 63); }
  void remove(AmCount c) noexcept { word(c) &= ~(std::uint64_t{1} << (c & 63)); }
  // Adds `n` counts, starting with `from`.
  void add(AmCount from, std::uint32_t n) noexcept {
    for_each_word(from, from + n, [&](AmCount c, std::uint64_t bits) { word(c) |= bits; });
  }
  void remove(AmCount from, std::uint32_t n) noexcept {
    for_each_word(from, from + n, [&](AmCount c, std::uint64_t bits) { word(c) &= ~bits; });
  }
  void clear() noexcept { std::fill_n(words_.get(), (mask_ + 1) / 64, std::uint64_t{0}); }

  // A subset of 64 counts: bit i is count `base` + i, where `base` is a multiple of 64.
  struct Some {
    AmCount base;
    std::uint64_t bits;
  };
  static Some some_of(AmCount c) noexcept { return {c - (c & 63), std::uint64_t{1} << (c & 63)}; }
  void add(const Some& some) noexcept { word(some.base) |= some.bits; }
  // Removes the counts; returns the number of those that were in the set.
  unsigned remove(const Some& some) noexcept {
    const auto in = static_cast<unsigned>(std::popcount(word(some.base) & some.bits));
    word(some.base) &= ~some.bits;
    return in;
  }
  // Calls f(count) for each, in order.
  template <class F>
  static void for_each(Some some, F&& f) {
    for (; some.bits != 0; some.bits &= some.bits - 1) {
      f(some.base + static_cast<AmCount>(std::countr_zero(some.bits)));
    }
  }

  // Adds the counts in [from, to) that are in `of` and not in `but`; returns the number of new ones.
  // Requires: all three are for one window, and [from, to) is valid for first().
  std::uint32_t add_those_of(const AmCountSet& of, const AmCountSet& but, AmCount from, AmCount to) noexcept {
    DP_EXPECT(of.mask_ == mask_ && but.mask_ == mask_ && to - from <= mask_ + 2);
    std::uint32_t added = 0;
    for_each_word(from, to, [&](AmCount c, std::uint64_t bits) {
      bits &= of.word(c) & ~(but.word(c) | word(c));
      word(c) |= bits;
      added += static_cast<std::uint32_t>(std::popcount(bits));
    });
    return added;
  }

  // Calls f(some) for the counts in [from, to) that are in neither set, in order, if there are any; f may add
  // them. Requires: both are for one window, and [from, to) is valid for first().
  template <class F>
  static void for_those_in_neither(const AmCountSet& a, const AmCountSet& b, AmCount from, AmCount to,
                                   F&& f) {
    DP_EXPECT(a.mask_ == b.mask_ && to - from <= a.mask_ + 2);
    for_each_word(from, to, [&](AmCount c, std::uint64_t bits) {
      bits &= ~(a.word(c) | b.word(c));
      if (bits != 0) f(Some{c - (c & 63), bits});
    });
  }

  // The first count in [from, to) that is, or is not, in the set; `to` if there is none. Requires: [from, to)
  // is at most the ring and the one PDU beyond the window that a discard may use (am_segmenter.h).
  AmCount first(AmCount from, AmCount to) const noexcept { return find<false>(from, to); }
  AmCount first_absent(AmCount from, AmCount to) const noexcept { return find<true>(from, to); }

 private:
  // Calls f(count, bits) for each word with counts of [from, to): its first count, and the bits of all.
  template <class F>
  static void for_each_word(AmCount from, AmCount to, F&& f) {
    for (AmCount step; from != to; from += step) {
      step = std::min(64 - (from & 63), to - from);
      f(from, ~std::uint64_t{0} >> (64 - step) << (from & 63));
    }
  }
  std::uint64_t& word(AmCount c) noexcept { return words_[(c & mask_) >> 6]; }
  const std::uint64_t& word(AmCount c) const noexcept { return words_[(c & mask_) >> 6]; }

  template <bool kAbsent>
  AmCount find(AmCount from, AmCount to) const noexcept {
    DP_EXPECT(to - from <= mask_ + 2);
    while (from != to) {
      const std::uint64_t bits = (kAbsent ? ~word(from) : word(from)) >> (from & 63);
      const AmCount left = to - from, step = 64 - (from & 63);
      if (bits != 0) return from + std::min(static_cast<AmCount>(std::countr_zero(bits)), left);
      if (step >= left) return to;
      from += step;
    }
    return to;
  }

  AmCount mask_;
  std::unique_ptr<std::uint64_t[]> words_;
};

}  // namespace dp
