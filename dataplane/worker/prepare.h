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

// The flow queues of a leg. Requires: these settings have some. Flows are spread by `seed`.
inline std::unique_ptr<FlowQueues> prepare_flows(const LegSettings& leg, std::uint64_t seed) {
  return std::make_unique<FlowQueues>(queue_shape(leg.aqm).flows, seed);
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

struct OwnedParts {
  std::unique_ptr<Air> air;
  std::array<std::unique_ptr<FlowQueues>, 2> flows;  // by direction
  std::unique_ptr<AckChain> acks;
  std::array<std::unique_ptr<Judge>, 2> judges;  // by direction
  BearerParts get() const {
    return {air.get(), {flows[0].get(), flows[1].get()}, acks.get(), {judges[0].get(), judges[1].get()}};
  }
};

// Which parts have to be made.
struct PartsNeeded {
  bool air = false;
  std::array<bool, 2> flows{};  // by direction
  bool acks = false;
  std::array<bool, 2> judges{};  // by direction
};

// For a new bearer.
inline PartsNeeded parts_needed(const BearerSettings& settings) {
  const auto shaped = [](const LegSettings& leg) { return queue_shape(aqm_of(leg)).flows != 0; };
  return {uses_air(settings),
          {shaped(settings.downlink), shaped(settings.uplink)},
          settings.uplink.ack.stages != 0,
          {judged(settings.downlink), judged(settings.uplink)}};
}

// For one that changes: what the bearer of `was` cannot go on with.
inline PartsNeeded parts_needed(const BearerSettings& was, const BearerSettings& settings) {
  const auto other = [](const LegSettings& a, const LegSettings& b) {
    return queue_shape(aqm_of(a)).flows != queue_shape(aqm_of(b)).flows;
  };
  PartsNeeded needed = parts_needed(settings);
  needed.air = needed.air && !same_air(was, settings);
  needed.flows[0] = needed.flows[0] && other(was.downlink, settings.downlink);
  needed.flows[1] = needed.flows[1] && other(was.uplink, settings.uplink);
  needed.acks = needed.acks && !same_chain(was.uplink.ack, settings.uplink.ack);
  needed.judges[0] = needed.judges[0] && !judged(was.downlink);
  needed.judges[1] = needed.judges[1] && !judged(was.uplink);
  return needed;
}

// `number`: prepare_air(). AQMs draw from `seed`, and flows are spread by it.
inline OwnedParts prepare_parts(const BearerSettings& settings, const PartsNeeded& needed,
                                std::uint64_t number, std::uint64_t seed) {
  OwnedParts out;
  if (needed.air) out.air = prepare_air(settings, number);
  if (needed.flows[0]) out.flows[0] = prepare_flows(settings.downlink, 2 * seed);
  if (needed.flows[1]) out.flows[1] = prepare_flows(settings.uplink, 2 * seed + 1);
  if (needed.acks) out.acks = prepare_acks(settings, 2 * seed + 1);
  if (needed.judges[0]) out.judges[0] = prepare_judge(settings.downlink, 2 * seed);
  if (needed.judges[1]) out.judges[1] = prepare_judge(settings.uplink, 2 * seed + 1);
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
