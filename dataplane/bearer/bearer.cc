#include "dataplane/bearer/bearer.h"

#include <cstddef>

#include "dataplane/bearer/part/list.h"
#include "dataplane/bearer/tunnel_book.h"

namespace dp {

Bearer::Bearer(const BearerSettings& settings, const LegHandlers& handlers, const BearerParts& parts)
    : cls(settings.cls),
      downlink(settings.downlink, exit_of(Direction::downlink), handlers.downlink, leg_parts(parts, 0)),
      uplink(settings.uplink, exit_of(Direction::uplink), handlers.uplink, leg_parts(parts, 1)) {
  PartList::for_each([&]<class P>(TypeTag<P>, std::size_t slot) {
    const typename P::Handle part = parts.of<typename P::Kind>(slot);
    DP_EXPECT((part != typename P::Handle{}) == P::wanted(settings, slot));
    if (part != typename P::Handle{}) P::install(*this, slot, part, settings);
  });
}

bool Bearer::holds() const noexcept {
  bool any = downlink.buffer().sdus() != 0 || uplink.buffer().sdus() != 0;
  for_each_part(parts(), [&]<class P>(TypeTag<P>, std::size_t, auto part) { any = any || P::holds(part); });
  return any;
}

BearerParts Bearer::parts() const noexcept {
  BearerParts all;
  PartList::for_each(
      [&]<class P>(TypeTag<P>, std::size_t slot) { all.of<typename P::Kind>(slot) = P::own(*this, slot); });
  return all;
}

BearerParts Bearer::reconfigure(const BearerSettings& settings, const BearerParts& fresh,
                                Context& context) noexcept {
  const BearerParts present = parts();
  const bool lacks = PartList::any_of([&]<class P>(TypeTag<P>, std::size_t slot) {
    constexpr typename P::Handle kNone{};
    return P::wanted(settings, slot) && present.of<typename P::Kind>(slot) == kNone &&
           fresh.of<typename P::Kind>(slot) == kNone;
  });
  if (lacks) return fresh;
  BearerParts spare = fresh;
  PartList::in_reverse([&]<class P>(TypeTag<P>, std::size_t slot) {
    P::leave(*this, slot, settings, spare.of<typename P::Kind>(slot), context);
  });
  for (Direction d : kDirections) {
    const std::size_t at = index(d);
    set_leg_parts(spare, at, leg(d).reconfigure(leg_of(settings, at), leg_parts(spare, at), context));
  }
  PartList::for_each([&]<class P>(TypeTag<P>, std::size_t slot) {
    P::attach(*this, slot, settings, spare.of<typename P::Kind>(slot), context);
  });
  PartList::for_each([&]<class P>(TypeTag<P>, std::size_t slot) {
    P::take_over(*this, slot, settings, spare.of<typename P::Kind>(slot), context);
  });
  return spare;
}

void Bearer::leave_class(const BearerSettings& settings, const BearerParts& fresh,
                         Context& context) noexcept {
  PartList::for_each([&]<class P>(TypeTag<P>, std::size_t slot) {
    P::leave_class(*this, slot, settings, fresh.of<typename P::Kind>(slot), context);
  });
}

void Bearer::settle(Context& context) noexcept {
  for_each_part(parts(),
                [&]<class P>(TypeTag<P>, std::size_t, auto part) { P::settle(part, *this, context); });
}

void Bearer::retire(Context& context) noexcept {
  if (context.tunnels != nullptr) context.tunnels->forget(*this, context);
  for_each_part(parts(),
                [&]<class P>(TypeTag<P>, std::size_t, auto part) { P::retire(part, *this, context); });
}

void Bearer::count_parts_in(ClassCounters& stats) noexcept {
  for_each_part(parts(), [&]<class P>(TypeTag<P>, std::size_t, auto part) { P::count_in(part, stats); });
}

void Bearer::stop_counting_parts() noexcept {
  for_each_part(parts(), []<class P>(TypeTag<P>, std::size_t, auto part) { P::stop_counting(part); });
}

void Bearer::send_all(Context& context) noexcept {
  const BearerParts all = parts();
  for_each_part_in_reverse(all,
                           [&]<class P>(TypeTag<P>, std::size_t, auto part) { P::let_go(part, context); });
  for (Direction d : kDirections) leg(d).send_all(context);
  for_each_part(all, [&]<class P>(TypeTag<P>, std::size_t, auto part) { P::rest(part, context); });
}

void Bearer::let_go_of(const UeAddress& one, Context& context) noexcept {
  for_each_part_in_reverse(
      parts(), [&]<class P>(TypeTag<P>, std::size_t, auto part) { P::let_go_of(part, one, context); });
}

void Bearer::let_go_of_moved_networks(Context& context) noexcept {
  for_each_part_in_reverse(parts(), [&]<class P>(TypeTag<P>, std::size_t, auto part) {
    if (P::came_from_other_network(part, ue.network, context)) P::let_go(part, context);
  });
}

void Bearer::point_to(Direction direction, const TunnelKey& tunnel, std::uint8_t qfi) noexcept {
  for_each_part(parts(), [&]<class P>(TypeTag<P>, std::size_t, auto part) {
    P::point_to(part, direction, tunnel, qfi);
  });
}

void Bearer::postpone(Duration pause, Context& context) noexcept {
  for (Direction d : kDirections) leg(d).postpone(pause, context);
  for_each_part(parts(),
                [&]<class P>(TypeTag<P>, std::size_t, auto part) { P::postpone(part, pause, context); });
}

void Bearer::doubt_flows(Time now) noexcept {
  for_each_part(parts(), [&]<class P>(TypeTag<P>, std::size_t, auto part) { P::doubt_flows(part, now); });
}

void Bearer::park(Context& context) noexcept {
  if (context.tunnels != nullptr) context.tunnels->forget(*this, context);
  const BearerParts all = parts();
  for_each_part(all, [&]<class P>(TypeTag<P>, std::size_t, auto part) { P::depart(part, *this, context); });
  for (Direction d : kDirections) leg(d).park(context);
  for_each_part(all, [&]<class P>(TypeTag<P>, std::size_t, auto part) { P::park(part, context); });
  context.account.give(holdings());
}

void Bearer::unpark(Context& context) noexcept {
  for (Direction d : kDirections) leg(d).unpark(context);
  for_each_part(parts(), [&]<class P>(TypeTag<P>, std::size_t, auto part) { P::unpark(part, context); });
  context.account.take(holdings());
  if (context.tunnels != nullptr) context.tunnels->welcome(*this);
  settle(context);
}

// The frames in the bearer and its parts, counted in one walk.
Holdings Bearer::holdings() noexcept {
  Holdings sum;
  for (Direction d : kDirections) leg(d).buffer().add_to(sum);
  for_each_part(parts(), [&]<class P>(TypeTag<P>, std::size_t, auto part) { P::add_to(part, sum); });
  return sum;
}

}  // namespace dp
