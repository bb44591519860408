// The fast path of a leg: an SDU that finds the channel idle begins its transmission on arrival, any other
// waits in the FIFO; the leg's optional parts are not consulted.
//
// The fast path is off when
//
// - the link is not the shaper: `am`, `um` and `cell` are served by themselves, a wire is crossed;
// - SDUs wait in queues beside the leg, not in its FIFO;
// - an ACK chain is notified of its SDUs, or a split proxy stands before or behind it;
// - SDUs that leave get another tunnel's headers (Leg::set_rewrites);
// - the gate is not open;
// - the AQM needs more than QueueView when an SDU arrives (AqmInstance::decides_at_once).
//
// Leg::choose_path() evaluates this when link, AQM, queues, chain, proxy or gate change; an arrival reads one
// bit.
//
// Differences to the general path: an SDU that finds the leg idle() touches only the first of the leg's three
// cache lines, from its arrival until it has left. So the channel's schedule, which is in the second line, is
// not maintained. While nothing is in transmission the channel is idle since last_deadline(). An SDU that
// began its transmission on arrival, kFateAtOnce, did so at Sdu::arrival, and ends at the deadline. All other
// code finds the schedule in the channel (Leg::ScheduleWritten). SDUs are counted, marked, dropped and
// delivered as on the general path; tests/unit/worker/short_way_test.cc compares the two.
// Tests: tests/unit/worker/short_way_test.cc
#pragma once
#include <algorithm>

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

template <class Aqm>
[[gnu::always_inline]] inline void Leg::enqueue_with(Aqm aqm, Sdu& sdu, bool any_first,
                                                     Context& context) noexcept {
  if (buffer_.own_sdus() != 0) {
    expect(Fetch::waiting);
    return buffer_.push(sdu, buffer_.fast_parties(aqm), context);
  }
  const Time start = std::max(sdu.arrival, last_deadline());
  if (buffer_.push_first(sdu, aqm, any_first, start, context)) context.timers.arm(*this, begin_first(sdu));
}

template <class Aqm>
[[gnu::always_inline]] inline void Leg::start_next(Aqm aqm, Context& context) noexcept {
  DP_EXPECT_HOT(buffer_.in_transmission() == nullptr && buffer_.first_in_fifo() != nullptr);
  const Time start = shaper().free_for(*buffer_.first_in_fifo());
  if (const Sdu* const sdu = buffer_.start(start, buffer_.fast_parties(aqm), context)) {
    context.timers.arm(*this, shaper().begin(start, *sdu, buffer_.own_rate()));
  }
}

[[gnu::always_inline]] inline bool Leg::try_fast_enqueue(Sdu& sdu, Context& context) noexcept {
  if (!idle()) [[unlikely]] {
    if (!fast()) return false;
    if (path_ == kWithAqm) return kEnqueueWithAqm[policy()](*this, sdu, context), true;
  }
  enqueue_with(NoAqm{}, sdu, (detail_ & kAsks) == 0, context);
  return true;
}

template <void (*kDeliver)(Sdu&, Context&)>
[[gnu::always_inline]] inline bool Leg::try_fast_serve(Time t, Context& context) noexcept {
  if (!fast()) [[unlikely]]
    return false;
  // Steps that most SDUs do not need are in functions apart, and called last: a function that goes on after a
  // call saves registers first.
  if ((detail_ & kTold) != 0) [[unlikely]]
    return serve_notified<kDeliver>(t, context), true;
  Sdu& sdu = buffer_.finish(t, buffer_.fast_parties(NoAqm{}), context);
  buffer_.own_sdus() != 0 ? serve_next<kDeliver>(sdu, t, context) : kDeliver(sdu, context);
  return true;
}

template <void (*kDeliver)(Sdu&, Context&)>
[[gnu::noinline]] void Leg::serve_notified(Time t, Context& context) noexcept {
  Sdu& sdu = finish_notified(t, context);
  buffer_.own_sdus() != 0 ? serve_next<kDeliver>(sdu, t, context) : kDeliver(sdu, context);
}

// Starts the next SDU. Delivery comes before this leg's timer is armed, as on the general path: timers that
// the delivery arms fire first.
template <void (*kDeliver)(Sdu&, Context&)>
[[gnu::noinline]] void Leg::serve_next(Sdu& sdu, Time t, Context& context) noexcept {
  if (sdu.fate == kFateAtOnce) shaper().began(sdu, t, buffer_.own_rate());
  kDeliver(sdu, context);
  path_ == kWithAqm ? start_next_with_aqm(context) : start_next(NoAqm{}, context);
  expect_next();
}

}  // namespace dp
