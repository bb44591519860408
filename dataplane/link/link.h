// What a link model is: the thing that empties one leg's buffer. A link lives inside its bearer's leg; the
// leg arms the calendar for it.
#pragma once
#include <concepts>
#include <cstdint>
#include <string_view>

#include "dataplane/base/time.h"
#include "dataplane/buffer/buffer.h"
#include "dataplane/packet/context.h"

namespace dp {

// It sends at the buffer's rate, if it has one of its own; a cell's slots say what that is. Rates are bit/s
// of IP bytes.
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
      // Ends and begins transmissions as the schedule at `t` says; deliver(sdu) takes over each SDU whose last bit
      // has left. Answers when to serve next, kNever when there is nothing to send. `t` is the deadline answered
      // before, or the time of an arrival.
      { link.serve(t, buffer, context, deliver) } noexcept -> std::same_as<Time>;
      // The buffer's rate is another from `t` on, `was` the one before; keeps what is in transmission; answers when to
      // serve next. Requires of a link with a rate: neither is 0.
      { link.set_rate(was, buffer, t) } noexcept -> std::same_as<Time>;
      // The link stood still for `pause` (mode `block`).
      { link.postpone(pause) } noexcept;
      // The buffer is about to be emptied: what only the link knows to be on its way is sent at once.
      { link.recall(context) } noexcept;
      // The buffer was emptied behind the link's back (RlcBuffer::take_all).
      { link.reset() } noexcept;
    };
// clang-format on

}  // namespace dp
