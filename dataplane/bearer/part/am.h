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

struct AmPart : PartDefaults<AmKind> {
  using Owned = std::unique_ptr<AmRadioLink>;
  static constexpr std::array kMemory{PartMemory{"air link", "air links", "the windows of the `am` links"}};

  static bool wanted(const BearerSettings& settings, std::size_t) { return uses_am(settings); }
  static bool alike(const BearerSettings& was, const BearerSettings& now, std::size_t) {
    return uses_am(was) && was.downlink.link == now.downlink.link && was.uplink.link == now.uplink.link;
  }
  static Owned make(const BearerSettings& settings, std::size_t, const PartSeeds& seeds) {
    DP_EXPECT(uses_am(settings));
    return std::make_unique<AmRadioLink>(config(settings.downlink), config(settings.uplink), seeds.number);
  }
  static std::uint64_t bytes(const BearerSettings& settings, std::size_t) {
    return sizeof(AmRadioLink) + AmRadioLink::bytes_for(config(settings.downlink), config(settings.uplink));
  }

  static AmRadioLink* own(const Bearer& bearer, std::size_t) noexcept { return bearer.radio_link; }
  static void install(Bearer& bearer, std::size_t, AmRadioLink* radio_link, const BearerSettings&) noexcept {
    bearer.radio_link = radio_link;
    for (Direction d : kDirections) bearer.leg(d).attach(*radio_link, d);
  }

  static void leave(Bearer& bearer, std::size_t, const BearerSettings& settings, AmRadioLink*& spare,
                    Context& context) noexcept {
    if (goes_on(bearer, settings, spare)) return;
    // Frames that the uplink sends at once must not overtake those that the stages hold.
    if (bearer.acks != nullptr) bearer.acks->send_all(context);
    for (Direction d : kDirections) bearer.leg(d).send_all(context);
    std::swap(bearer.radio_link, spare);
  }
  // Attaches an air that the legs do not have yet.
  static void attach(Bearer& bearer, std::size_t, const BearerSettings& settings, AmRadioLink*&,
                     Context&) noexcept {
    const AmLink* const link = bearer.downlink.as<AmLink>();
    if (link != nullptr && link->radio_link() != bearer.radio_link)
      install(bearer, 0, bearer.radio_link, settings);
  }

  static void add_to(const AmRadioLink* radio_link, Holdings& sum) noexcept { radio_link->add_to(sum); }

 private:
  static const AmLinkConfig& config(const LegSettings& leg) { return std::get<AmLinkConfig>(leg.link); }
  static bool goes_on(const Bearer& bearer, const BearerSettings& settings, AmRadioLink* fresh) noexcept {
    if (bearer.radio_link == nullptr) return fresh == nullptr;
    return uses_am(settings) && (fresh == nullptr || bearer.radio_link->adopt(*fresh));
  }
};

}  // namespace dp
