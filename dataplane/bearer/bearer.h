// One UE's bearer: two legs, and the air between their links where they are `am`. Made and destroyed by
// control (worker/prepare.h); between the message that adds it and the answer that sends it home it belongs
// to one worker.
#pragma once
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "dataplane/base/address.h"
#include "dataplane/base/expect.h"
#include "dataplane/base/ids.h"
#include "dataplane/bearer/leg_fast.h"
#include "dataplane/bearer/parts.h"
#include "dataplane/bearer/settings.h"
#include "dataplane/split/proxy.h"

namespace dp {

// The spine's timer handlers, one a direction (worker/prepare.h puts them in).
struct LegHandlers {
  WorkerTimer::Fire downlink;
  WorkerTimer::Fire uplink;
};

struct alignas(64) Bearer {
  // Requires: `parts` are those that the settings call for (worker/prepare.h).
  Bearer(const BearerSettings& settings, const LegHandlers& handlers, const BearerParts& parts)
      : cls(settings.cls),
        air(parts.of<AirKind>()),
        acks(parts.of<AcksKind>()),
        proxy(parts.of<ProxyKind>()),
        downlink(settings.downlink, exit_of(Direction::downlink), handlers.downlink, leg_parts(parts, 0)),
        uplink(settings.uplink, exit_of(Direction::uplink), handlers.uplink, leg_parts(parts, 1)) {
    DP_EXPECT((air != nullptr) == uses_air(settings));
    DP_EXPECT((acks != nullptr) == (settings.uplink.ack.stages != 0));
    DP_EXPECT((proxy != nullptr) == settings.proxy.has_value());
    DP_EXPECT((parts.of<MemberKind>() != nullptr) == uses_cell(settings));
    DP_EXPECT((parts.of<UmKind>(0) != nullptr) == uses_um(settings.downlink));
    DP_EXPECT((parts.of<UmKind>(1) != nullptr) == uses_um(settings.uplink));
    downlink.set_acks(acks);
    attach();
    for (Direction d : kDirections) attach_um(d, parts.of<UmKind>(index(d)));
    CellMember* const member = parts.of<MemberKind>();
    if (member != nullptr) downlink.attach(member, settings.downlink.rate);
    attach_proxy();
  }

  // Whose leg this is. Requires: it is the `direction` leg of a bearer.
  static Bearer& of(Leg& leg, Direction direction) noexcept;

  // A packet of its UE's, or to it, has come.
  void saw(Direction d, Time now) noexcept {
    leg(d).saw(now);
    // Until then only: what the downlink says is in another cache line.
    if (d == Direction::uplink && !uplink.answers() && downlink.last_seen().ever()) uplink.set_answers();
  }
  // When it was last heard of, as LastSeen tells it: from its UE, or also from who sends to it. Nothing when
  // never.
  std::optional<Time> heard(LearnFrom from, Time now) const noexcept {
    const auto up = uplink.last_seen().get(now);
    return from == LearnFrom::uplink ? up : std::max(up, downlink.last_seen().get(now));
  }
  // The UE has spoken after it was spoken to: it is there. Whoever makes addresses up does not hear what is
  // sent to them.
  bool answered() const noexcept { return uplink.answers(); }
  // It holds frames: queued, not yet acknowledged, on their way, or an ACK that a stage holds.
  bool holds() const noexcept {
    return downlink.holds() || uplink.holds() || (acks != nullptr && acks->held() != 0) ||
           (proxy != nullptr && proxy->holds());
  }

  // It follows connections, so that its frames touch more than the bearer and its legs (fetch_flows).
  bool follows() const noexcept { return acks != nullptr || proxy != nullptr; }
  Leg& leg(Direction d) noexcept { return d == Direction::downlink ? downlink : uplink; }
  const Leg& leg(Direction d) const noexcept { return d == Direction::downlink ? downlink : uplink; }

  // In place. `fresh` must have an air when the new settings use one and the bearer's own is not made from
  // them, rates apart, what RlcBuffer::set_aqm says of each leg, a chain when the stages are not the same,
  // a proxy when the settings have one that the bearer's own cannot go on as (same_proxy), a member when the
  // downlink becomes `cell`, or its radio another: of the one that the bearer has already the place and the
  // room stay; and what a leg crosses when it becomes `um`, or its settings there others:
  // what is on its way stays. Answers what is no longer in use, for control.
  BearerParts reconfigure(const BearerSettings& settings, const BearerParts& fresh,
                          Context& context) noexcept {
    // Without what they call for it stays as it is.
    Air* const fresh_air = fresh.of<AirKind>();
    CellMember* const fresh_member = fresh.of<MemberKind>();
    if (uses_air(settings) && air == nullptr && fresh_air == nullptr) return fresh;
    if (uses_cell(settings) && downlink.member() == nullptr && fresh_member == nullptr) return fresh;
    if (lacks_um(settings, fresh)) return fresh;
    BearerParts unused;
    unused.of<AirKind>() = fresh_air;
    unused.of<ProxyKind>() = change_proxy(settings.proxy, fresh.of<ProxyKind>(), context);
    const bool keep =
        air != nullptr && uses_air(settings) && (fresh_air == nullptr || air->adopt(*fresh_air));
    const bool another_air = !keep && (air != nullptr || fresh_air != nullptr);
    // What the uplink is about to send at once must not overtake what the stages hold.
    if (acks != nullptr && (another_air || uplink.changes_link(settings.uplink))) acks->send_all(context);
    if (another_air) {
      for (Direction d : kDirections) leg(d).send_all(context);
      unused.of<AirKind>() = std::exchange(air, fresh_air);
    }
    unused.of<MemberKind>() = change_member(settings, fresh_member, context);
    for (Direction d : kDirections) {
      const std::size_t at = index(d);
      unused.of<UmKind>(at) = change_um(d, leg_of(settings, d), fresh.of<UmKind>(at));
    }
    set_leg_parts(unused, 0, downlink.reconfigure(settings.downlink, leg_parts(fresh, 0), context));
    set_leg_parts(unused, 1, uplink.reconfigure(settings.uplink, leg_parts(fresh, 1), context));
    if (!keep) attach();
    for (Direction d : kDirections) {
      if (leg(d).um() == nullptr) attach_um(d, fresh.of<UmKind>(index(d)));
    }
    if (uses_cell(settings) && downlink.member() == nullptr) {
      downlink.attach(fresh_member, settings.downlink.rate);
      downlink.enter_cell(context);
    }
    unused.of<AcksKind>() = set_acks(settings.uplink.ack, fresh.of<AcksKind>(), context);
    attach_proxy();
    // What was in the way of it may have left without a service.
    if (proxy != nullptr) proxy->on_room(context);
    return unused;
  }

  // Called before reconfigure() where the class changes, while this is counted for the class of before.
  void part_from_proxy(const BearerSettings& settings, const BearerParts& fresh, Context& context) noexcept {
    if (proxy != nullptr && !keeps_proxy(settings.proxy, fresh.of<ProxyKind>())) proxy->let_all_go(context);
  }

  // Sends everything queued and held at once, in order. What a proxy has split ends, or goes on unsplit.
  void send_all(Context& context) noexcept {
    if (proxy != nullptr) proxy->let_all_go(context);
    if (acks != nullptr) acks->send_all(context);
    for (Direction d : kDirections) leg(d).send_all(context);
    if (acks != nullptr) acks->rest(context);
  }

  // One UE of the /64 goes to a bearer of its own, or comes back from it: its connections end here as in
  // send_all(), or go on unfollowed. What the legs queue of it stays in its order. Requires: the UE is one
  // IPv6 address.
  void let_go_of(const UeAddress& ue, Context& context) noexcept {
    if (proxy != nullptr) proxy->let_go_of(ue, context);
    if (acks != nullptr) acks->let_go_of(ue, context);
  }

  // The networks of VLANs have changed, or may have: where the last frames came by a VLAN that is of another
  // network now, its connections end here as in send_all().
  void let_go_of_moved_vlans(Context& context) noexcept {
    if (proxy != nullptr && proxy->came_by_vlan_of_other(ue.network, context)) proxy->let_all_go(context);
    if (acks != nullptr && acks->came_by_vlan_of_other(ue.network, context)) acks->send_all(context);
  }

  // The mode was `block` for so long.
  void postpone(Duration pause, Context& context) noexcept {
    for (Direction d : kDirections) leg(d).postpone(pause, context);
    if (acks != nullptr) acks->postpone(pause, context);
    if (proxy != nullptr) proxy->postpone(pause, context);
  }

  // Until now its frames were not looked at: connections may have ended unseen (FlowTable::doubt).
  void doubt_flows(Time now) noexcept {
    if (acks != nullptr) acks->flows().doubt(now);
    if (proxy != nullptr) proxy->flows().doubt(now);
  }

  // It leaves its worker for another, with everything it holds: its deadlines come along, and what it holds
  // is out of the worker's account and its class's occupancy. Requires: the other calls unpark() next, after
  // it has put it into its table.
  void park(Context& context) noexcept {
    downlink.leave_cell(context);
    for (Direction d : kDirections) leg(d).park(context);
    if (acks != nullptr) {
      acks->park(context);
      acks->part();
    }
    if (proxy != nullptr) {
      proxy->park(context);
      proxy->part();
    }
    context.account.give(holdings());
  }
  void unpark(Context& context) noexcept {
    for (Direction d : kDirections) leg(d).unpark(context);
    if (acks != nullptr) acks->unpark(context);
    if (proxy != nullptr) proxy->unpark(context);
    context.account.take(holdings());
    downlink.enter_cell(context);
  }

  BearerParts parts() const noexcept {
    BearerParts all;
    all.of<AirKind>() = air;
    all.of<AcksKind>() = acks;
    all.of<MemberKind>() = downlink.member();
    all.of<ProxyKind>() = proxy;
    for (Direction d : kDirections) {
      all.of<UmKind>(index(d)) = leg(d).um();
      set_leg_parts(all, index(d), leg(d).parts());
    }
    return all;
  }

  UeAddress ue;  // written before the worker gets it, or by the worker that learns it
  ClassId cls;
  // The worker that has it, plus one, when that is not the one which its address names; else 0. Only the
  // latter writes it, while it has the bearer.
  std::uint8_t visits = 0;
  bool awaited = false;     // its home keeps its frames until it has set out, or come back; likewise
  std::uint32_t place = 0;  // its place in the worker's table
  Bearer* next = nullptr;   // in a list that it stands in: a class's stock, those control has not heard of
  Air* air;                 // control's; null unless the legs' links are `am`
  AckChain* acks;           // control's; null without ACK stages
  SplitProxy* proxy;        // control's; null without a proxy
  Leg downlink;
  Leg uplink;

 private:
  static bool has_room(const void* leg, std::uint32_t bytes) noexcept {
    return static_cast<const Leg*>(leg)->has_room(bytes);
  }
  static Time queued_since(void* leg) noexcept { return static_cast<Leg*>(leg)->queued_since(); }
  static void await_room(void* leg, bool on) noexcept {
    Bearer& self = Bearer::of(*static_cast<Leg*>(leg), Direction::downlink);
    for (Direction d : kDirections) self.leg(d).set_awaited(on);
  }
  void attach_proxy() noexcept {
    for (Direction d : kDirections) leg(d).set_proxied(proxy != nullptr, d == Direction::downlink);
    if (proxy != nullptr) proxy->stand_before(&downlink, &has_room, &await_room, &queued_since);
  }
  bool keeps_proxy(const std::optional<SplitConfig>& settings, const SplitProxy* fresh) const noexcept {
    return proxy != nullptr && fresh == nullptr && settings.has_value();
  }
  // Goes on with the proxy it has if that is alike, and else with `fresh`; answers the one not in use.
  SplitProxy* change_proxy(const std::optional<SplitConfig>& settings, SplitProxy* fresh,
                           Context& context) noexcept {
    if (keeps_proxy(settings, fresh)) return proxy->reconfigure(*settings), nullptr;
    if (proxy != nullptr) proxy->let_all_go(context);
    return std::exchange(proxy, settings ? fresh : nullptr);
  }

  // What the downlink has in a cell, before its settings change; answers what is in use no more.
  CellMember* change_member(const BearerSettings& settings, CellMember* fresh, Context& context) noexcept {
    CellMember* const own = downlink.member();
    if (own == nullptr) return uses_cell(settings) ? nullptr : fresh;
    if (uses_cell(settings)) {
      if (fresh != nullptr) own->adopt(*fresh);
      return fresh;
    }
    downlink.give_up_room(context);
    return own;
  }

  // Nothing without one.
  void attach_um(Direction d, UmAir* um) noexcept {
    if (um != nullptr) leg(d).attach(*um);
  }
  // Whether a leg becomes `um`, and there is nothing for it to cross.
  bool lacks_um(const BearerSettings& settings, const BearerParts& fresh) const noexcept {
    return std::ranges::any_of(kDirections, [&](Direction d) {
      return uses_um(leg_of(settings, d)) && leg(d).um() == nullptr && fresh.of<UmKind>(index(d)) == nullptr;
    });
  }
  // What a leg crosses over `um`, before its settings change; answers what is in use no more.
  UmAir* change_um(Direction d, const LegSettings& settings, UmAir* fresh) noexcept {
    UmAir* const own = leg(d).um();
    if (own == nullptr) return uses_um(settings) ? nullptr : fresh;
    if (!uses_um(settings)) return own;
    if (fresh != nullptr) own->adopt(*fresh);
    return fresh;
  }

  // One look at every frame.
  Holdings holdings() noexcept {
    Holdings sum;
    for (Direction d : kDirections) {
      leg(d).buffer().add_to(sum);
      if (const UmAir* const um = leg(d).um()) um->add_to(sum);
    }
    if (air != nullptr) air->add_to(sum);
    if (acks != nullptr) acks->add_to(sum);
    if (proxy != nullptr) proxy->add_to(sum);
    return sum;
  }

  void attach() noexcept {
    if (air == nullptr) return;
    for (Direction d : kDirections) leg(d).attach(*air, d);
  }

  // Goes on with the chain it has if that is alike, and else with `fresh`; answers the one not in use.
  AckChain* set_acks(const AckSettings& settings, AckChain* fresh, Context& context) noexcept {
    if (acks != nullptr && fresh == nullptr && settings.stages != 0) {
      acks->reconfigure(settings, context);
      return nullptr;
    }
    if (acks != nullptr) acks->send_all(context);
    if (acks != nullptr && fresh != nullptr) fresh->adopt(*acks);
    fresh == nullptr ? downlink.end_acks(context) : downlink.set_acks(fresh);
    return std::exchange(acks, fresh);
  }
};
static_assert(sizeof(Bearer) == 7 * 64);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // GCC and Clang know it: no base of a Bearer is virtual
inline Bearer& Bearer::of(Leg& leg, Direction d) noexcept {
  const std::size_t behind = d == Direction::downlink ? offsetof(Bearer, downlink) : offsetof(Bearer, uplink);
  auto* const bearer = reinterpret_cast<Bearer*>(reinterpret_cast<std::byte*>(&leg) - behind);
  DP_EXPECT_HOT(&bearer->leg(d) == &leg);
  return *bearer;
}
#pragma GCC diagnostic pop

}  // namespace dp
