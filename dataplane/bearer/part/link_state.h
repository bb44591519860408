// The state that a leg keeps for a link which needs one: a class Link::State, made from the link's settings,
// the direction and the bearer's number, with kMemory, adopt(), add_to() and holds(); the link has
// attach(state, exit) and state(). A state that stays while the link changes its settings keeps its frames.
// Tests: tests/unit/bearer/parts_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/part/part.h"

namespace dp {

template <class Kind, class Link>
struct LinkStatePart : PartDefaults<Kind> {
  using State = typename Link::State;
  using Owned = std::unique_ptr<State>;
  static constexpr std::array kMemory{PartMemory{"", State::kMemory, ""}};

  static bool wanted(const BearerSettings& settings, std::size_t direction) {
    return std::holds_alternative<typename Link::Config>(leg_of(settings, direction).link);
  }
  static bool alike(const BearerSettings& was, const BearerSettings& now, std::size_t direction) {
    return leg_of(was, direction).link == leg_of(now, direction).link;
  }
  static Owned make(const BearerSettings& settings, std::size_t direction, const PartSeeds& seeds) {
    DP_EXPECT(wanted(settings, direction));
    const auto& config = std::get<typename Link::Config>(leg_of(settings, direction).link);
    return std::make_unique<State>(config, kDirections[direction], seeds.number);
  }
  static std::uint64_t bytes(const BearerSettings&, std::size_t) { return sizeof(State); }

  static State* own(const Bearer& bearer, std::size_t direction) noexcept {
    const Link* const link = bearer.leg(kDirections[direction]).template as<Link>();
    return link == nullptr ? nullptr : link->state();
  }
  static void install(Bearer& bearer, std::size_t direction, State* state, const BearerSettings&) noexcept {
    Link* const link = bearer.leg(kDirections[direction]).template as<Link>();
    DP_EXPECT(link != nullptr);
    link->attach(*state, exit_of(kDirections[direction]));
  }

  static void leave(Bearer& bearer, std::size_t direction, const BearerSettings& settings, State*& spare,
                    Context&) noexcept {
    State* const state = own(bearer, direction);
    if (state == nullptr) return;
    if (!wanted(settings, direction)) {
      spare = state;
    } else if (spare != nullptr) {
      state->adopt(*spare);
    }
  }
  static void attach(Bearer& bearer, std::size_t direction, const BearerSettings& settings, State*& spare,
                     Context&) noexcept {
    if (!wanted(settings, direction) || own(bearer, direction) != nullptr) return;
    install(bearer, direction, std::exchange(spare, nullptr), settings);
  }

  static bool holds(const State* state) noexcept { return state->holds(); }
  static void add_to(const State* state, Holdings& sum) noexcept { state->add_to(sum); }
};

}  // namespace dp
