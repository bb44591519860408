#include "dataplane/worker/tapping.h"

#include "dataplane/aqm/engines.h"
#include "dataplane/base/expect.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/bearer/dedicated.h"
#include "dataplane/packet/network_of.h"
#include "dataplane/packet/parse.h"

namespace dp {
namespace {

// A frame beside the path: a copy of its record, parsed, so that it is known also where nothing was parsed.
Sdu parsed_copy(const Sdu& frame, const Context& context) noexcept {
  Sdu copy = frame;
  copy.network = kNoNetwork;
  parse(copy, context.gtp_u);
  const NetworkId of_vlan = network_of(copy.head(), context.networks);
  if (of_vlan != kNoNetwork) copy.network = of_vlan;
  return copy;
}

bool has_address(const Sdu& parsed) noexcept {
  if (parsed.kind == FrameKind::gtp_u || parsed.l3_offset == 0) return false;
  return parsed.l3_offset + (parsed.ipv6 ? Ipv6View::kSize : Ipv4View::kMinSize) <= parsed.head_len;
}

bool is_of(const IpAddress& address, const UeAddress& ue) noexcept {
  if (address.network != ue.network || address.ipv6 != (ue.kind != UeKind::ipv4)) return false;
  if (ue.kind == UeKind::ipv4) return address.lo == ue.lo;
  return address.hi == ue.hi && (ue.kind == UeKind::ipv6_64 || address.lo == ue.lo);
}

// The captures of UEs that want the packet.
CaptureBits ues_of(const TapPlan& plan, const IpAddress& address) noexcept {
  CaptureBits bits = 0;
  for (std::size_t i = 0; i < kMostCaptures; ++i) {
    const TapFilter& filter = plan.filters[i];
    if (filter.of == TapFilter::Of::ue && is_of(address, filter.ue)) bits |= TapPlan::bit(i);
  }
  return bits;
}

CaptureBits cells_of(const TapPlan& plan, const Bearer& bearer) noexcept {
  const CellMember* const member = bearer.downlink.member();
  if (member == nullptr || member->cell() == nullptr) return 0;
  CaptureBits bits = 0;
  for (std::size_t i = 0; i < kMostCaptures; ++i) {
    const TapFilter& filter = plan.filters[i];
    if (filter.of == TapFilter::Of::cell && filter.cell == member->cell()) bits |= TapPlan::bit(i);
  }
  return bits;
}

// Null if this worker does not serve it.
const Bearer* bearer_of(const Sdu& parsed, Direction direction, const BearerTable& table,
                        const Context& context) noexcept {
  const Bearer* const bearer = table.index().find(
      ue_address(parsed, direction), [&](Bearer& first) { return dedicated::of(first, parsed, direction); });
  return bearer != nullptr && bearer->served_by(context.worker) ? bearer : nullptr;
}

// The captures that a place looks for.
struct Sought {
  CaptureBits always = 0;  // whatever the frame is
  bool ues = false;
  bool cells = false;
};

TapNote note_of(const Sdu& parsed, Direction direction, TapPoint point, const Sought& sought,
                const BearerTable& table, const Context& context) noexcept {
  TapNote note{sought.always, point, direction};
  if (!has_address(parsed)) return note;
  const TapPlan& plan = context.tap->plan();
  if (sought.ues) note.captures |= ues_of(plan, ue_address(parsed, direction));
  const bool seeks_cells = sought.cells && plan.of(TapFilter::Of::cell) != 0;
  if (note.captures == 0 && !seeks_cells) return note;
  const Bearer* const bearer = bearer_of(parsed, direction, table, context);
  if (bearer == nullptr) return note;
  if (seeks_cells) note.captures |= cells_of(plan, *bearer);
  const RlcBuffer& buffer = bearer->leg(direction).buffer();
  note.queued_sdus = buffer.sdus();
  if (const AqmInstance* const aqm = buffer.aqm(); aqm != nullptr)
    note.policy = static_cast<std::uint8_t>(aqm->policy_index());
  return note;
}

void tap_incoming(const Burst& burst, Side side, const Sought& sought, const BearerTable& table,
                  Context& context) noexcept {
  Tap& tap = *context.tap;
  const TapPoint point = side == Side::core ? TapPoint::core_in : TapPoint::radio_in;
  for (const Sdu* const frame : burst.sdus()) {
    tap.forget(*frame);
    const Sdu parsed = parsed_copy(*frame, context);
    const TapNote note = note_of(parsed, direction_from(side), point, sought, table, context);
    if (note.captures != 0) tap.arrived(*frame, parsed, note, context.now);
  }
  tap.publish();
}

}  // namespace

namespace tapping {

void arrivals(const Burst& burst, Side side, const BearerTable& table, Context& context) noexcept {
  DP_EXPECT(context.tap != nullptr);
  find_links(table, context);
  tap_incoming(burst, side, {context.tap->plan().of_port(side), true, true}, table, context);
}

void taken(const Burst& burst, Side side, const BearerTable& table, Context& context) noexcept {
  DP_EXPECT(context.tap != nullptr);
  tap_incoming(burst, side, {0, false, true}, table, context);
}

void departures(Offered frames, Side exit, bool own, const BearerTable& table, Context& context) noexcept {
  DP_EXPECT(context.tap != nullptr);
  Tap& tap = *context.tap;
  const Direction direction = direction_from(opposite(exit));
  const TapPoint point = exit == Side::radio ? TapPoint::radio_out : TapPoint::core_out;
  const Sought sought{own ? tap.plan().of_port(exit) : CaptureBits{0}, own, true};
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Sdu parsed = parsed_copy(*frames[i], context);
    const TapNote note = note_of(parsed, direction, point, sought, table, context);
    if (note.captures != 0) tap.departs(i, *frames[i], parsed, note, context.now);
  }
}

void drops(const BearerTable& table, Context& context) noexcept {
  DP_EXPECT(context.tap != nullptr);
  Tap& tap = *context.tap;
  const TapPlan& plan = tap.plan();
  const CaptureBits all = plan.of(TapFilter::Of::drops);
  context.dropped.for_each([&](const Sdu& frame) {
    if (!frame.dropped_for) return;
    const Sdu parsed = parsed_copy(frame, context);
    const Sought sought{static_cast<CaptureBits>(all | plan.of_port(frame.ingress)), true, true};
    const TapNote note =
        note_of(parsed, direction_from(frame.ingress), TapPoint::dropped, sought, table, context);
    if (note.captures != 0) tap.dropped(frame, parsed, note, context.now);
  });
  tap.publish();
}

void find_links(const BearerTable& table, Context& context) noexcept {
  DP_EXPECT(context.tap != nullptr);
  for (std::size_t i = 0; i < kMostCaptures; ++i) {
    const TapFilter& filter = context.tap->plan().filters[i];
    if (filter.of != TapFilter::Of::ue) continue;
    const Bearer* const bearer = table.index().find(filter.ue);
    const bool here = bearer != nullptr && bearer->served_by(context.worker);
    context.tap->set_link(i, here ? bearer->radio_link : nullptr);
  }
}

}  // namespace tapping
}  // namespace dp
