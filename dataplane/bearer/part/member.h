// The membership of a bearer whose downlink is `cell` in its cell: a reservation, as long as the link is
// that, and a slot, while the worker has the cell too (sched/cell_member.h).
// Tests: tests/unit/bearer/parts_test.cc, tests/unit/sched/cell_life_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/part/part.h"

namespace dp {

struct MemberPart : PartDefaults<MemberKind> {
  using Owned = std::unique_ptr<CellMember>;
  static constexpr std::array kMemory{PartMemory{"", "radios of bearers in cells", ""}};

  static bool wanted(const BearerSettings& settings, std::size_t) { return uses_cell(settings); }
  static bool alike(const BearerSettings& was, const BearerSettings& now, std::size_t) {
    return was.downlink.link == now.downlink.link;
  }
  static Owned make(const BearerSettings& settings, std::size_t, const PartSeeds& seeds) {
    DP_EXPECT(uses_cell(settings));
    return std::make_unique<CellMember>(std::get<CellSpec::Config>(settings.downlink.link), seeds.number);
  }
  static std::uint64_t bytes(const BearerSettings&, std::size_t) { return sizeof(CellMember); }

  static CellMember* own(const Bearer& bearer, std::size_t) noexcept { return bearer.downlink.member(); }
  static void install(Bearer& bearer, std::size_t, CellMember* member,
                      const BearerSettings& settings) noexcept {
    bearer.downlink.attach(member, settings.downlink.rate);
  }

  // A membership that the bearer has already keeps its slot and reservation: it takes over the radio only.
  static void leave(Bearer& bearer, std::size_t, const BearerSettings& settings, CellMember*& spare,
                    Context& context) noexcept {
    CellMember* const member = bearer.downlink.member();
    if (member == nullptr) return;
    if (uses_cell(settings)) {
      if (spare != nullptr) member->adopt(*spare);
      return;
    }
    bearer.downlink.give_up_reservation(context);
    spare = member;
  }
  static void attach(Bearer& bearer, std::size_t slot, const BearerSettings& settings, CellMember*& spare,
                     Context& context) noexcept {
    if (!uses_cell(settings) || bearer.downlink.member() != nullptr) return;
    install(bearer, slot, std::exchange(spare, nullptr), settings);
    bearer.downlink.enter_cell(context);
  }

  static void settle(CellMember*, Bearer& bearer, Context& context) noexcept {
    bearer.downlink.enter_cell(context);
  }
  static void depart(CellMember*, Bearer& bearer, Context& context) noexcept {
    bearer.downlink.leave_cell(context);
  }
  static void retire(CellMember*, Bearer& bearer, Context& context) noexcept {
    bearer.downlink.give_up_reservation(context);
  }
};

}  // namespace dp
