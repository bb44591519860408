// The radio link of a bearer whose legs are both `am`.
// Tests: tests/unit/bearer/parts_test.cc, tests/unit/link/am_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

#include "dataplane/bearer/part/part.h"

namespace dp {

struct AirPart : PartDefaults<AirKind> {
  using Owned = std::unique_ptr<Air>;
  static constexpr std::array kMemory{PartMemory{"air link", "air links", "the windows of the `am` links"}};

  static bool wanted(const BearerSettings& settings, std::size_t) { return uses_air(settings); }
  static bool alike(const BearerSettings& was, const BearerSettings& now, std::size_t) {
    return uses_air(was) && was.downlink.link == now.downlink.link && was.uplink.link == now.uplink.link;
  }
  static Owned make(const BearerSettings& settings, std::size_t, const PartSeeds& seeds) {
    DP_EXPECT(uses_air(settings));
    return std::make_unique<Air>(config(settings.downlink), config(settings.uplink), seeds.number);
  }
  static std::uint64_t bytes(const BearerSettings& settings, std::size_t) {
    return sizeof(Air) + Air::bytes_for(config(settings.downlink), config(settings.uplink));
  }

  static Air* own(const Bearer& bearer, std::size_t) noexcept { return bearer.air; }
  static void install(Bearer& bearer, std::size_t, Air* air, const BearerSettings&) noexcept {
    bearer.air = air;
    for (Direction d : kDirections) bearer.leg(d).attach(*air, d);
  }

  static void leave(Bearer& bearer, std::size_t, const BearerSettings& settings, Air*& spare,
                    Context& context) noexcept {
    if (goes_on(bearer, settings, spare)) return;
    // Frames that the uplink sends at once must not overtake those that the stages hold.
    if (bearer.acks != nullptr) bearer.acks->send_all(context);
    for (Direction d : kDirections) bearer.leg(d).send_all(context);
    std::swap(bearer.air, spare);
  }
  // Attaches an air that the legs do not have yet.
  static void attach(Bearer& bearer, std::size_t, const BearerSettings& settings, Air*&, Context&) noexcept {
    const AmLink* const link = bearer.downlink.as<AmLink>();
    if (link != nullptr && link->air() != bearer.air) install(bearer, 0, bearer.air, settings);
  }

  static void add_to(const Air* air, Holdings& sum) noexcept { air->add_to(sum); }

 private:
  static const AmLinkConfig& config(const LegSettings& leg) { return std::get<AmLinkConfig>(leg.link); }
  static bool goes_on(const Bearer& bearer, const BearerSettings& settings, Air* fresh) noexcept {
    if (bearer.air == nullptr) return fresh == nullptr;
    return uses_air(settings) && (fresh == nullptr || bearer.air->adopt(*fresh));
  }
};

}  // namespace dp
