// The frames of one receive call, processed together. Each stage either leaves a frame in the burst or takes
// ownership of it.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dataplane/base/expect.h"
#include "dataplane/packet/sdu.h"

namespace dp {

inline constexpr std::size_t kBurst = 64;

class Burst {
 public:
  std::span<Sdu* const> sdus() const noexcept { return {sdus_.data(), size_}; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  bool full() const noexcept { return size_ == kBurst; }
  // Requires: it is not full, and the frame's length is set.
  void push(Sdu& sdu) noexcept {
    DP_EXPECT_HOT(!full());
    sdus_[size_++] = &sdu;
    pushed_bytes_ += sdu.frame_len;
  }
  void clear() noexcept { size_ = 0, pushed_bytes_ = 0; }
  // Total length of the frames pushed since clear(), including those that have left.
  std::uint32_t pushed_bytes() const noexcept { return pushed_bytes_; }

  // Keeps the frames for which keep(sdu) is true, in order; the caller owns the others.
  template <class Keep>
  void keep_if(Keep&& keep) noexcept {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      Sdu* sdu = sdus_[i];
      if (keep(*sdu)) sdus_[kept++] = sdu;
    }
    size_ = kept;
  }

 private:
  std::size_t size_ = 0;
  std::uint32_t pushed_bytes_ = 0;
  std::array<Sdu*, kBurst> sdus_;
};

}  // namespace dp
