// What an inter-user scheduler is: whose each slot of a cell is. It lives inside its cell, which asks it once
// a slot; it knows users by their numbers only and allocates nothing once it is made.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace dp {

// A user in front of a slot.
struct SlotUser {
  bool backlogged = false;
  std::uint64_t rate = 0;  // bit/s that the slot would carry; told of the backlogged only
};

// clang-format off
template <class S>
concept SlotScheduler =
    std::constructible_from<S, const typename S::Config&, std::size_t> &&
    requires(S& scheduler, std::span<const SlotUser> users, std::uint64_t slots) {
      { S::kName } -> std::convertible_to<std::string_view>;
      { S::kDoc } -> std::convertible_to<std::string_view>;
      S::Config::kFields;
      // The number of a backlogged user; the slot is taken as given to him. Requires: as many users as it was
      // made for, and one of them is backlogged.
      { scheduler.choose(users) } noexcept -> std::same_as<std::size_t>;
      // So many slots went by in which nobody was backlogged.
      { scheduler.pass(slots) } noexcept;
    };
// clang-format on

}  // namespace dp
