// The captures that run, as the workers see them: which frames each of them wants. Made by control, constant
// while workers have it (SetTap in worker/messages.h).
// Tests: tests/unit/worker/tap_test.cc
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "dataplane/base/address.h"
#include "dataplane/base/ids.h"
#include "dataplane/tap/record.h"

namespace dp {

class Cell;

struct TapFilter {
  enum class Of : std::uint8_t { nothing, ue, port, drops, cell };
  Of of = Of::nothing;
  UeAddress ue{};              // a default bearer: all of the UE's packets, of a /64 those of its addresses
  Side port = Side::core;      // frames that cross it, and those received by it that are dropped
  const Cell* cell = nullptr;  // packets of its members; compared, and never followed
  std::uint32_t snaplen = 0;   // bytes of a frame at most
};

struct TapPlan {
  std::array<TapFilter, kMostCaptures> filters{};

  CaptureBits of(TapFilter::Of kind) const noexcept {
    CaptureBits bits = 0;
    for (std::size_t i = 0; i < kMostCaptures; ++i) bits |= filters[i].of == kind ? bit(i) : CaptureBits{0};
    return bits;
  }
  CaptureBits of_port(Side side) const noexcept {
    CaptureBits bits = of(TapFilter::Of::port);
    for (std::size_t i = 0; i < kMostCaptures; ++i) {
      if (filters[i].port != side) bits &= static_cast<CaptureBits>(~bit(i));
    }
    return bits;
  }
  // The longest part of a frame that one of these captures wants.
  std::uint32_t snaplen(CaptureBits captures) const noexcept {
    std::uint32_t longest = 0;
    for (std::size_t i = 0; i < kMostCaptures; ++i) {
      if ((captures & bit(i)) != 0) longest = std::max(longest, filters[i].snaplen);
    }
    return longest;
  }
  static constexpr CaptureBits bit(std::size_t capture) noexcept {
    return static_cast<CaptureBits>(1u << capture);
  }
};

}  // namespace dp
