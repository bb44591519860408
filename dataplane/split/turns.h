// A set of a proxy's connections, by their slots: those that wait for space, say. The next is found in a few
// steps however many slots there are.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "dataplane/base/expect.h"

namespace dp {

class Turns {
 public:
  static constexpr std::uint32_t kMost = 64 * 64;

  // Requires: at least one slot, and at most kMost.
  explicit Turns(std::uint32_t slots) : words_(std::make_unique<std::uint64_t[]>(words_for(slots))) {
    DP_EXPECT(slots >= 1 && slots <= kMost);
  }
  // The memory that it takes beside its own size.
  static constexpr std::size_t bytes_for(std::uint32_t slots) noexcept {
    return words_for(slots) * sizeof(std::uint64_t);
  }

  bool none() const noexcept { return filled_ == 0; }
  void set(std::uint32_t slot, bool on) noexcept {
    std::uint64_t& word = words_[slot / 64];
    word = (word & ~bit(slot)) | (on ? bit(slot) : 0);
    filled_ = (filled_ & ~bit(slot / 64)) | (word != 0 ? bit(slot / 64) : 0);
  }
  // The first at `from` or behind it; behind the last comes the first again. Requires: there is one.
  std::uint32_t next(std::uint32_t from) const noexcept {
    DP_EXPECT(!none());
    const std::uint32_t word = from / 64;
    if ((filled_ & bit(word)) != 0) {
      const std::uint64_t here = words_[word] & ~std::uint64_t{0} << from % 64;
      if (here != 0) return word * 64 + first(here);
    }
    const std::uint64_t later = word == 63 ? 0 : filled_ & ~std::uint64_t{0} << (word + 1);
    const std::uint32_t other = first(later != 0 ? later : filled_);
    return other * 64 + first(words_[other]);
  }

 private:
  static constexpr std::size_t words_for(std::uint32_t slots) noexcept { return (slots + 63) / 64; }
  static constexpr std::uint64_t bit(std::uint32_t slot) noexcept { return std::uint64_t{1} << slot % 64; }
  static std::uint32_t first(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(std::countr_zero(word));
  }

  std::uint64_t filled_ = 0;  // words that are not 0
  std::unique_ptr<std::uint64_t[]> words_;
};

}  // namespace dp
