// The interface of an inter-user scheduler, which grants each slot of a cell. It is part of its cell, which
// calls it once a slot and keeps the state that it uses, so that another scheduler can take over between two
// slots.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace dp {

// A user's number in a cell.
using MemberIndex = std::uint32_t;

// A candidate for a slot: backlogged, and the slot would carry something to it.
struct SlotUser {
  MemberIndex index = 0;
  bool short_flow = false;   // its next SDU is of a short flow
  std::uint64_t rate = 0;    // R_i, bit/s of the slot; not 0
  double ratio = 0;          // R_i / A_i
  double mean = 0;           // A_i, bit/s (sched/means.h)
  std::uint64_t served = 0;  // its last slot, counted from 1; 0: none yet
};

// clang-format off
template <class S>
concept SlotScheduler =
    std::constructible_from<S, const typename S::Config&> &&
    requires(const S& scheduler, std::span<const SlotUser> users) {
      { S::kName } -> std::convertible_to<std::string_view>;
      { S::kDoc } -> std::convertible_to<std::string_view>;
      S::Config::kFields;
      { typename S::Config{}.alpha } -> std::convertible_to<double>;  // weight of a slot in the means
      // The index in `users` of the user that gets the slot. Requires: not empty; indices ascend.
      { scheduler.choose(users) } noexcept -> std::same_as<std::size_t>;
    };
// clang-format on

}  // namespace dp
