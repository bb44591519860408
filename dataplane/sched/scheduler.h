// What an inter-user scheduler is: whose each slot of a cell is. It lives inside its cell, which asks it once
// a slot and remembers for it what it goes by, so that another one can take over between two slots.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace dp {

// A user's number in a cell.
using CellPlace = std::uint32_t;

// A user who may be given a slot: backlogged, and the slot would carry something to it.
struct SlotUser {
  CellPlace place = 0;
  bool short_flow = false;   // the SDU that it sends next is of a short flow
  std::uint64_t rate = 0;    // R_i, bit/s that the slot would carry: not 0
  double ratio = 0;          // R_i / A_i
  double mean = 0;           // A_i, bit/s (sched/means.h)
  std::uint64_t served = 0;  // the last slot that it was given, counted from 1; 0: none yet
};

// clang-format off
template <class S>
concept SlotScheduler =
    std::constructible_from<S, const typename S::Config&> &&
    requires(const S& scheduler, std::span<const SlotUser> users) {
      { S::kName } -> std::convertible_to<std::string_view>;
      { S::kDoc } -> std::convertible_to<std::string_view>;
      S::Config::kFields;
      { typename S::Config{}.alpha } -> std::convertible_to<double>;  // the weight of a slot in the means
      // Which of `users` is given the slot: an index. Requires: there is one; their places ascend.
      { scheduler.choose(users) } noexcept -> std::same_as<std::size_t>;
    };
// clang-format on

}  // namespace dp
