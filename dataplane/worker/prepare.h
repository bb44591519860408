// Makes bearers ready for a worker: the spine's timer handlers put in, memory taken. Control's side.
#pragma once
#include <array>
#include <memory>
#include <new>

#include "dataplane/base/expect.h"
#include "dataplane/bearer/bearer.h"
#include "dataplane/downlink/downlink.h"
#include "dataplane/uplink/uplink.h"

namespace dp {

inline constexpr LegHandlers kLegHandlers{&downlink::serve, &uplink::serve};

// The air of a bearer. Requires: these settings use one. `number` tells bearers apart that draw their frame
// errors from the same seed.
inline std::unique_ptr<Air> prepare_air(const BearerSettings& settings, std::uint64_t number) {
  DP_EXPECT(uses_air(settings));
  return std::make_unique<Air>(std::get<AmLinkConfig>(settings.downlink.link),
                               std::get<AmLinkConfig>(settings.uplink.link), number);
}

// What a bearer has in a cell; none yet. Requires: these settings use one. `number` tells bearers apart whose
// radios are alike.
inline std::unique_ptr<CellMember> prepare_member(const BearerSettings& settings, std::uint64_t number) {
  DP_EXPECT(uses_cell(settings));
  return std::make_unique<CellMember>(std::get<CellSpec::Config>(settings.downlink.link), number);
}

// What a leg crosses over `um`. Requires: its settings say so. `number` tells bearers apart that draw their
// losses from the same seed.
inline std::unique_ptr<UmAir> prepare_um(const LegSettings& leg, Direction direction, std::uint64_t number) {
  DP_EXPECT(uses_um(leg));
  return std::make_unique<UmAir>(std::get<UmLinkConfig>(leg.link), direction, number);
}

// What the SDUs of a leg wait in beside the leg's own FIFO, or nothing.
inline QueuesWanted queues_wanted(const LegSettings& leg) {
  return queues_wanted(aqm_of(leg), queue_of(leg));
}
struct OwnedQueues {
  std::unique_ptr<FlowQueues> flows;
  std::unique_ptr<SfpQueues> sfp;
  Queues get() const { return sfp != nullptr ? Queues(sfp.get()) : Queues(flows.get()); }
};
// Flows are told apart by `seed`. Requires: these settings want some.
inline OwnedQueues prepare_queues(const LegSettings& leg, std::uint64_t seed) {
  const QueuesWanted wanted = queues_wanted(leg);
  DP_EXPECT(wanted.records() != 0);
  if (wanted.sfp != nullptr) return {nullptr, std::make_unique<SfpQueues>(*wanted.sfp, seed)};
  return {std::make_unique<FlowQueues>(wanted.flows.flows, seed), nullptr};
}

// Whether somebody judges the SDUs of a leg; and who does, drawing from `seed`. Requires: so it is.
inline bool judged(const LegSettings& leg) { return judged(aqm_of(leg)); }
inline std::unique_ptr<Judge> prepare_judge(const LegSettings& leg, std::uint64_t seed) {
  return std::make_unique<Judge>(aqm_of(leg), seed);
}
// The same in memory of the caller's. Requires: `where` is aligned for a Judge.
inline Judge* prepare_judge(void* where, const LegSettings& leg, std::uint64_t seed) {
  DP_EXPECT(reinterpret_cast<std::uintptr_t>(where) % alignof(Judge) == 0);
  return new (where) Judge(aqm_of(leg), seed);
}

// The ACK stages of a bearer of these settings; null when it has none.
inline std::unique_ptr<AckChain> prepare_acks(const BearerSettings& settings, std::uint64_t seed) {
  return settings.uplink.ack.stages == 0 ? nullptr : std::make_unique<AckChain>(settings.uplink.ack, seed);
}

// What splits the TCP connections of a bearer of these settings; null when they have no proxy.
inline std::unique_ptr<SplitProxy> prepare_proxy(const BearerSettings& settings, std::uint64_t seed) {
  return settings.proxy ? std::make_unique<SplitProxy>(*settings.proxy, seed, &downlink::enqueue_from_proxy)
                        : nullptr;
}

struct OwnedParts {
  std::unique_ptr<Air> air;
  std::array<OwnedQueues, 2> queues;  // by direction
  std::unique_ptr<AckChain> acks;
  std::array<std::unique_ptr<Judge>, 2> judges;  // by direction
  std::unique_ptr<CellMember> member;
  std::array<std::unique_ptr<UmAir>, 2> ums;  // by direction
  std::unique_ptr<SplitProxy> proxy;
  BearerParts get() const {
    BearerParts all;
    all.of<AirKind>() = air.get();
    all.of<AcksKind>() = acks.get();
    all.of<MemberKind>() = member.get();
    all.of<ProxyKind>() = proxy.get();
    for (std::size_t d = 0; d < 2; ++d) {
      all.of<UmKind>(d) = ums[d].get();
      set_leg_parts(all, d, {judges[d].get(), queues[d].get()});
    }
    return all;
  }
};

// Which parts have to be made.
struct PartsNeeded {
  bool air = false;
  std::array<bool, 2> queues{};  // by direction
  bool acks = false;
  std::array<bool, 2> judges{};  // by direction
  bool member = false;
  std::array<bool, 2> ums{};  // by direction
  bool proxy = false;
};

// For a new bearer.
inline PartsNeeded parts_needed(const BearerSettings& settings) {
  const auto queued = [](const LegSettings& leg) { return queues_wanted(leg).records() != 0; };
  return {uses_air(settings),
          {queued(settings.downlink), queued(settings.uplink)},
          settings.uplink.ack.stages != 0,
          {judged(settings.downlink), judged(settings.uplink)},
          uses_cell(settings),
          {uses_um(settings.downlink), uses_um(settings.uplink)},
          settings.proxy.has_value()};
}

// For one that changes: what the bearer of `was` cannot go on with.
inline PartsNeeded parts_needed(const BearerSettings& was, const BearerSettings& settings) {
  const auto other = [](const LegSettings& a, const LegSettings& b) {
    const QueuesWanted was = queues_wanted(a), wanted = queues_wanted(b);
    return (was.sfp != nullptr) != (wanted.sfp != nullptr) || was.records() != wanted.records();
  };
  PartsNeeded needed = parts_needed(settings);
  needed.air = needed.air && !same_air(was, settings);
  needed.queues[0] = needed.queues[0] && other(was.downlink, settings.downlink);
  needed.queues[1] = needed.queues[1] && other(was.uplink, settings.uplink);
  needed.acks = needed.acks && !same_chain(was.uplink.ack, settings.uplink.ack);
  needed.judges[0] = needed.judges[0] && !judged(was.downlink);
  needed.judges[1] = needed.judges[1] && !judged(was.uplink);
  needed.member = needed.member && was.downlink.link != settings.downlink.link;
  needed.ums[0] = needed.ums[0] && was.downlink.link != settings.downlink.link;
  needed.ums[1] = needed.ums[1] && was.uplink.link != settings.uplink.link;
  needed.proxy = needed.proxy && !(was.proxy && same_proxy(*was.proxy, *settings.proxy));
  return needed;
}

// `number`: prepare_air(), prepare_member(), prepare_um(). AQMs draw from `seed`, and flows are spread by it.
inline OwnedParts prepare_parts(const BearerSettings& settings, const PartsNeeded& needed,
                                std::uint64_t number, std::uint64_t seed) {
  OwnedParts out;
  if (needed.air) out.air = prepare_air(settings, number);
  if (needed.queues[0]) out.queues[0] = prepare_queues(settings.downlink, 2 * seed);
  if (needed.queues[1]) out.queues[1] = prepare_queues(settings.uplink, 2 * seed + 1);
  if (needed.acks) out.acks = prepare_acks(settings, 2 * seed + 1);
  if (needed.judges[0]) out.judges[0] = prepare_judge(settings.downlink, 2 * seed);
  if (needed.judges[1]) out.judges[1] = prepare_judge(settings.uplink, 2 * seed + 1);
  if (needed.member) out.member = prepare_member(settings, number);
  if (needed.ums[0]) out.ums[0] = prepare_um(settings.downlink, Direction::downlink, number);
  if (needed.ums[1]) out.ums[1] = prepare_um(settings.uplink, Direction::uplink, number);
  if (needed.proxy) out.proxy = prepare_proxy(settings, 2 * seed + 1);
  return out;
}
inline OwnedParts prepare_parts(const BearerSettings& settings, std::uint64_t number, std::uint64_t seed) {
  return prepare_parts(settings, parts_needed(settings), number, seed);
}
inline OwnedParts prepare_change(const BearerSettings& was, const BearerSettings& settings,
                                 std::uint64_t number, std::uint64_t seed) {
  return prepare_parts(settings, parts_needed(was, settings), number, seed);
}

// In memory of the caller's; the parts are the caller's too. Requires: `where` is aligned for a Bearer.
inline Bearer* prepare_bearer(void* where, const BearerSettings& settings, const BearerParts& parts) {
  DP_EXPECT(reinterpret_cast<std::uintptr_t>(where) % alignof(Bearer) == 0);
  return new (where) Bearer(settings, kLegHandlers, parts);
}

// A bearer that owns its parts.
struct PreparedBearer {
  OwnedParts parts;
  std::unique_ptr<Bearer> bearer;
  Bearer* get() const { return bearer.get(); }
  Bearer& operator*() const { return *bearer; }
  Bearer* operator->() const { return bearer.get(); }
};

inline PreparedBearer prepare_bearer(const BearerSettings& settings, std::uint64_t number = 0,
                                     std::uint64_t seed = 0) {
  PreparedBearer out{prepare_parts(settings, number, seed), nullptr};
  out.bearer = std::make_unique<Bearer>(settings, kLegHandlers, out.parts.get());
  return out;
}

}  // namespace dp
