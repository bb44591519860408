// The AQM policy of a leg, if it has anything to decide. The leg's buffer takes it over and gives it back
// (RlcBuffer::set_aqm).
// Tests: tests/unit/bearer/parts_test.cc, tests/unit/control/host/preflight_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <new>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/part/part.h"

namespace dp {

struct AqmPart : PartDefaults<AqmKind> {
  using Owned = std::unique_ptr<AqmInstance>;
  static constexpr bool kInSlabs = true;
  static constexpr std::array kMemory{PartMemory{"", "AQM policies", ""}};

  static bool wanted(const BearerSettings& settings, std::size_t direction) {
    return is_active(aqm_of(leg_of(settings, direction)));
  }
  // Always true: an instance takes over any policy.
  static bool alike(const BearerSettings& was, const BearerSettings&, std::size_t direction) {
    return wanted(was, direction);
  }
  static Owned make(const BearerSettings& settings, std::size_t direction, const PartSeeds& seeds) {
    return std::make_unique<AqmInstance>(aqm_of(leg_of(settings, direction)), seeds.of_leg(direction));
  }
  // Requires: `where` is aligned for an AqmInstance.
  static AqmInstance* make_at(void* where, const BearerSettings& settings, std::size_t direction,
                              const PartSeeds& seeds) {
    DP_EXPECT(reinterpret_cast<std::uintptr_t>(where) % alignof(AqmInstance) == 0);
    return new (where) AqmInstance(aqm_of(leg_of(settings, direction)), seeds.of_leg(direction));
  }
  static std::uint64_t bytes(const BearerSettings&, std::size_t) { return sizeof(AqmInstance); }

  static AqmInstance* own(const Bearer& bearer, std::size_t direction) noexcept {
    return bearer.leg(kDirections[direction]).parts().aqm;
  }
  static void install(Bearer&, std::size_t, AqmInstance*, const BearerSettings&) noexcept {}
};

}  // namespace dp
