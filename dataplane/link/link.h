// The interface of a link model, which empties one leg's buffer. A link lives inside its bearer's leg; the
// leg arms the calendar for it.
#pragma once
#include <concepts>
#include <cstdint>
#include <string_view>

#include "dataplane/base/time.h"
#include "dataplane/buffer/buffer.h"
#include "dataplane/packet/context.h"

namespace dp {

// A link sends at the buffer's rate, if it has a rate of its own; otherwise a cell's slots determine that.
// Rates are bit/s of IP bytes.
// clang-format off
template <class L>
concept LinkModel =
    std::constructible_from<L, const typename L::Config&> &&
    requires(L& link, RlcBuffer& buffer, Time t, Duration pause, std::uint64_t was, Context& context,
             void (*deliver)(Sdu&)) {
      { L::kName } -> std::convertible_to<std::string_view>;
      { L::kDoc } -> std::convertible_to<std::string_view>;
      { L::kBuffers } -> std::convertible_to<bool>;  // false: frames cross at once, serve is never called
      { L::kWakesOnArrival } -> std::convertible_to<bool>;  // each arrival wants serve(), armed or not
      { L::kTakesChains } -> std::convertible_to<bool>;     // SDUs of several segments
      L::Config::kFields;
      // Ends and begins transmissions as scheduled at `t`; deliver(sdu) takes over each SDU whose last bit
      // has left. Returns the time of the next service, kNever if there is nothing to send. `t` is the
      // deadline returned before, or the time of an arrival.
      { link.serve(t, buffer, context, deliver) } noexcept -> std::same_as<Time>;
      // The buffer's rate changes at `t`, `was` is the one before; SDUs in transmission stay. Returns the
      // time of the next service. For a link with a rate, requires: neither is 0.
      { link.set_rate(was, buffer, t) } noexcept -> std::same_as<Time>;
      // The buffer was held and no longer is, at `t`: no transmission of what waits began earlier.
      { link.resume(buffer, t) } noexcept;
      // The link stood still for `pause` (mode `block`).
      { link.postpone(pause) } noexcept;
      // The buffer is about to be emptied: SDUs on their way that only the link knows are sent at once.
      { link.recall(context) } noexcept;
      // The buffer was emptied behind the link's back (RlcBuffer::take_all).
      { link.reset() } noexcept;
    };
// clang-format on

}  // namespace dp
