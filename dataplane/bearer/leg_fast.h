// The fast path of a leg: an SDU that finds the channel idle begins its transmission on arrival, any other
// waits in the FIFO; the leg's optional parts are not consulted.
//
// The fast path is off when
//
// - the link is not the shaper: `am`, `um` and `cell` are served by themselves, a wire is crossed;
// - SDUs wait in queues beside the leg, not in its FIFO;
// - an ACK chain is notified of its SDUs, or a split proxy stands before or behind it;
// - SDUs that leave get another tunnel's headers (Leg::set_rewrites);
// - the AQM needs more than QueueView when an SDU arrives (Judge::judges_at_once).
//
// Leg::choose_path() evaluates this when link, AQM, queues, chain or proxy change; an arrival reads one bit.
//
// Differences to the general path: an SDU that finds the leg idle() touches only the first of the leg's three
// cache lines, from its arrival until it has left. So the channel's schedule, which is in the second line, is
// not maintained. While nothing is in transmission the channel is idle since last_deadline(). An SDU that
// began its transmission on arrival, kFateAtOnce, did so at Sdu::arrival, and ends at the deadline. All other
// code finds the schedule in the channel (Leg::ScheduleWritten). SDUs are counted, judged, dropped and
// delivered as on the general path; tests/unit/worker/short_way_test.cc compares the two.
#pragma once
#include "dataplane/bearer/leg.h"

namespace dp {

// Requires: the SDU is the only one.
inline Time Leg::begin_first(Sdu& sdu) noexcept {
  if (sdu.arrival < last_deadline()) [[unlikely]] {
    shaper().rest_from(last_deadline());
    return shaper().begin(sdu, buffer_.own_rate());
  }
  sdu.fate = kFateAtOnce;
  return ShaperLink::begin_at_once(sdu, buffer_.own_rate());
}

[[gnu::always_inline]] inline bool Leg::try_fast_enqueue(Sdu& sdu, Context& context) noexcept {
  if (!idle()) [[unlikely]] {
    if (!fast()) return false;
    if (path_ == kJudged) return kEnqueueJudged[policy()](*this, sdu, context), true;
  }
  if (buffer_.push_plain(sdu, (detail_ & kAsks) == 0, context)) {
    context.timers.arm(*this, begin_first(sdu));
  } else if (buffer_.own_sdus() > 1) {
    expect(Fetch::waiting);
  }
  return true;
}

template <void (*kDeliver)(Sdu&, Context&)>
[[gnu::always_inline]] inline bool Leg::try_fast_serve(Time t, Context& context) noexcept {
  if (!fast()) [[unlikely]]
    return false;
  Sdu& sdu = buffer_.finish_fast(t, context);
  // Steps that most SDUs do not need are in a function apart, since a function that calls others saves
  // registers first.
  if ((buffer_.own_sdus() | (unsigned{detail_} & kTold)) != 0) {
    serve_next<kDeliver>(sdu, t, context);
  } else {
    kDeliver(sdu, context);
  }
  return true;
}

// Notifies the AQM and starts the next SDU. Delivery comes before this leg's timer is armed, as on the
// general path: timers that the delivery arms fire first.
template <void (*kDeliver)(Sdu&, Context&)>
[[gnu::noinline]] void Leg::serve_next(Sdu& sdu, Time t, Context& context) noexcept {
  if ((detail_ & kTold) != 0) hear(sdu, t, context);
  if (buffer_.own_sdus() == 0) return kDeliver(sdu, context);
  if (sdu.fate == kFateAtOnce) shaper().began(sdu, t, buffer_.own_rate());
  kDeliver(sdu, context);
  if (path_ == kJudged) [[unlikely]]
    return start_next_judged(context);
  context.timers.arm(*this, shaper().begin(buffer_.start_plain(), buffer_.own_rate()));
  expect_next();
}

}  // namespace dp
