// What an AQM is to the buffer that asks it. A policy judges, it never stores nor frees: packet conservation
// is proved once, in RlcBuffer. It lives inside its bearer's leg and sees that bearer through QueueView only.
#pragma once
#include <concepts>
#include <cstdint>
#include <string_view>

#include "dataplane/base/time.h"
#include "dataplane/packet/sdu.h"

namespace dp {

enum class Verdict : std::uint8_t { pass, drop };

// Buffer occupancy (BO) of one leg: what waits, is in transmission or is not yet acknowledged by the peer
// RLC.
struct QueueView {
  std::uint32_t sdus;
  std::uint32_t bytes;  // IP bytes
  std::uint64_t rate;   // bit/s at which the leg is served
};

// on_enqueue judges an arriving SDU, on_dequeue the one whose transmission is about to start; neither sees an
// SDU whose transmission has started.
// clang-format off
template <class P>
concept AqmPolicy =
    std::constructible_from<P, const typename P::Config&> &&
    requires(P& policy, const Sdu& sdu, const QueueView& queue, Time now) {
      { P::kName } -> std::convertible_to<std::string_view>;
      { P::kDoc } -> std::convertible_to<std::string_view>;
      P::Config::kFields;
      { policy.on_enqueue(sdu, queue, now) } noexcept -> std::same_as<Verdict>;
      { policy.on_dequeue(sdu, queue, now) } noexcept -> std::same_as<Verdict>;
    };
// clang-format on

}  // namespace dp
