// The split proxy of a bearer, which stands before both legs.
// Tests: tests/unit/bearer/parts_test.cc, tests/unit/control/host/preflight_test.cc
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "dataplane/bearer/part/flow_part.h"

namespace dp {

struct ProxyPart : FlowPart<ProxyKind> {
  using Owned = std::unique_ptr<SplitProxy>;
  static constexpr std::array kMemory{PartMemory{"split proxy", "split proxies", "`store` of split proxies"}};

  static bool wanted(const BearerSettings& settings, std::size_t) { return settings.proxy.has_value(); }
  static bool alike(const BearerSettings& was, const BearerSettings& now, std::size_t) {
    return was.proxy && same_proxy(*was.proxy, *now.proxy);
  }
  static Owned make(const BearerSettings& settings, std::size_t, const PartSeeds& seeds) {
    return std::make_unique<SplitProxy>(*settings.proxy, seeds.of_leg(index(Direction::uplink)), seeds.send);
  }
  static std::uint64_t bytes(const BearerSettings& settings, std::size_t) {
    return sizeof(SplitProxy) + SplitProxy::bytes_for(*settings.proxy);
  }

  static SplitProxy* own(const Bearer& bearer, std::size_t) noexcept { return bearer.proxy; }
  static void install(Bearer& bearer, std::size_t, SplitProxy* proxy, const BearerSettings&) noexcept {
    bearer.proxy = proxy;
    stand_before(bearer);
  }

  static void leave_class(Bearer& bearer, std::size_t slot, const BearerSettings& settings,
                          const SplitProxy* fresh, Context& context) noexcept {
    if (bearer.proxy != nullptr && !goes_on(settings, slot, fresh)) bearer.proxy->let_all_go(context);
  }
  // The bearer continues with its own proxy if that is alike, and else with the fresh one.
  static void leave(Bearer& bearer, std::size_t slot, const BearerSettings& settings, SplitProxy*& spare,
                    Context& context) noexcept {
    if (bearer.proxy != nullptr) {
      if (goes_on(settings, slot, spare)) return bearer.proxy->reconfigure(*settings.proxy);
      bearer.proxy->let_all_go(context);
    }
    std::swap(bearer.proxy, spare);
  }
  // The legs may be others than before; and SDUs that blocked it may have left without a service.
  static void take_over(Bearer& bearer, std::size_t, const BearerSettings&, SplitProxy*&,
                        Context& context) noexcept {
    stand_before(bearer);
    if (bearer.proxy != nullptr) bearer.proxy->on_space(context);
  }

  static void count_in(SplitProxy* proxy, ClassCounters& stats) noexcept { proxy->count_in(stats.split); }

  static void let_go(SplitProxy* proxy, Context& context) noexcept { proxy->let_all_go(context); }

  static bool holds(const SplitProxy* proxy) noexcept { return proxy->holds(); }

 private:
  static bool goes_on(const BearerSettings& settings, std::size_t slot, const SplitProxy* fresh) noexcept {
    return fresh == nullptr && wanted(settings, slot);
  }

  static bool has_space(const void* leg, std::uint32_t bytes) noexcept {
    return static_cast<const Leg*>(leg)->has_space(bytes);
  }
  static Time queued_since(void* leg) noexcept { return static_cast<Leg*>(leg)->queued_since(); }
  static void await_space(void* leg, bool on) noexcept {
    Bearer& bearer = Bearer::of(*static_cast<Leg*>(leg), Direction::downlink);
    for (Direction d : kDirections) bearer.leg(d).set_awaited(on);
  }
  static void stand_before(Bearer& bearer) noexcept {
    SplitProxy* const proxy = bearer.proxy;
    for (Direction d : kDirections) {
      bearer.leg(d).set_proxied(proxy != nullptr, d == Direction::downlink);
    }
    if (proxy != nullptr) proxy->stand_before(&bearer.downlink, &has_space, &await_space, &queued_since);
  }
};

}  // namespace dp
