// The ACK stages of a bearer: behind its uplink, and notified of events in its downlink's buffer.
// Tests: tests/unit/bearer/parts_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "dataplane/bearer/part/flow_part.h"

namespace dp {

struct AcksPart : FlowPart<AcksKind> {
  using Owned = std::unique_ptr<AckChain>;
  static constexpr std::array kMemory{
      PartMemory{"", "ACK stages and the flows they follow", "`flows.max` of uplinks with `ack`"}};

  static bool wanted(const BearerSettings& settings, std::size_t) { return settings.uplink.ack.stages != 0; }
  static bool alike(const BearerSettings& was, const BearerSettings& now, std::size_t) {
    return same_chain(was.uplink.ack, now.uplink.ack);
  }
  static Owned make(const BearerSettings& settings, std::size_t, const PartSeeds& seeds) {
    return std::make_unique<AckChain>(settings.uplink.ack, seeds.of_leg(index(Direction::uplink)));
  }
  static std::uint64_t bytes(const BearerSettings& settings, std::size_t) {
    return sizeof(AckChain) + AckChain::bytes_for(settings.uplink.ack);
  }

  static AckChain* own(const Bearer& bearer, std::size_t) noexcept { return bearer.acks; }
  static void install(Bearer& bearer, std::size_t, AckChain* acks, const BearerSettings&) noexcept {
    bearer.acks = acks;
    bearer.downlink.set_acks(acks);
  }

  // Frames that the uplink is about to send at once must not overtake those that the stages hold.
  static void leave(Bearer& bearer, std::size_t, const BearerSettings& settings, AckChain*&,
                    Context& context) noexcept {
    if (bearer.acks != nullptr && bearer.uplink.changes_link(settings.uplink)) bearer.acks->send_all(context);
  }
  // The bearer continues with its own chain if that is alike, and else with the fresh one.
  static void take_over(Bearer& bearer, std::size_t slot, const BearerSettings& settings, AckChain*& spare,
                        Context& context) noexcept {
    if (bearer.acks != nullptr && spare == nullptr && wanted(settings, slot)) {
      return bearer.acks->reconfigure(settings.uplink.ack, context);
    }
    if (bearer.acks != nullptr) bearer.acks->send_all(context);
    if (bearer.acks != nullptr && spare != nullptr) spare->adopt(*bearer.acks);
    spare == nullptr ? bearer.downlink.end_acks(context) : bearer.downlink.set_acks(spare);
    std::swap(bearer.acks, spare);
  }

  static void count_in(AckChain* acks, ClassCounters& stats) noexcept { acks->count_in(stats.acks); }

  static void let_go(AckChain* acks, Context& context) noexcept { acks->send_all(context); }
  static void rest(AckChain* acks, Context& context) noexcept { acks->rest(context); }

  static bool holds(const AckChain* acks) noexcept { return acks->held() != 0; }
};

}  // namespace dp
