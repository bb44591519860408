// A node of the calendar queue (timer/calendar.h): an object with a deadline declares one, in front of the
// members that its handler reads.
// Tests: tests/unit/timer/calendar_test.cc
#pragma once
#include <cstddef>
#include <cstdint>

#include "dataplane/base/expect.h"
#include "dataplane/base/time.h"

namespace dp {

template <class Context>
class Calendar;
template <class Context>
class MovingTimers;
template <class Context>
class TimerLinks;
template <class Context>
class DueTimers;

// `fire` gets its deadline beside the context's `now`: after a late poll it serves what was due, timed from
// the schedule. It may arm and cancel any node, itself too.
template <class Context>
class Timer {
 public:
  using Fire = void (*)(Timer&, Time deadline, Context&);

  // `longer`: what the handler touches goes on in the next cache line. Requires: `fire` is not null.
  explicit Timer(Fire fire, bool longer = true) : fire_(distance_to(fire)), longer_(longer) {
    DP_EXPECT(fire != nullptr);
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Calls the handler, which may find the timer armed.
  void call(Time deadline, Context& context) noexcept {
    reinterpret_cast<Fire>(reinterpret_cast<std::intptr_t>(&origin) + fire_)(*this, deadline, context);
  }

  // Sets the memory that is fetched before the handler is called: the timer's cache line; the next one if
  // `longer` was set when the timer got its place in the calendar; and, by Context::fetch_second() and
  // fetch_third(), if the context has them, the memory that `what` stands for when the timer becomes due. 0
  // stands for none, the other numbers are the context's. Requires: what < 128.
  void touches(std::uint8_t what, bool longer) noexcept {
    DP_EXPECT_HOT(what < 128);
    what_ = what & 0x7f;
    longer_ = longer;
  }
  std::uint8_t touches() const noexcept { return what_; }

  bool armed() const noexcept { return place_ != kNowhere; }
  Time deadline() const noexcept { return armed() ? deadline_ : kNever; }

 protected:
  // The deadline for which it was armed last, even if it was cancelled since; or the one set since. Requires
  // for the second: it is not armed.
  Time last_deadline() const noexcept { return deadline_; }
  void set_last_deadline(Time t) noexcept {
    DP_EXPECT(!armed());
    deadline_ = t;
  }

 private:
  friend class Calendar<Context>;
  friend class MovingTimers<Context>;
  friend class TimerLinks<Context>;
  friend class DueTimers<Context>;
  // Its position, for the calendar: nowhere; or in one of its lists, by its place there, with a bit if it is
  // to move to another and a bit if that is the list of late timers; or, with a bit, due, by its number in
  // timer/due_timers.h. A parked timer has left one calendar with its deadline, on the way to another.
  static constexpr std::uint32_t kNowhere = 0, kParked = std::uint32_t{1} << 28,
                                 kMoving = std::uint32_t{1} << 29, kLate = std::uint32_t{1} << 30,
                                 kDue = std::uint32_t{1} << 31;
  // In a list: kNowhere when it is in none. Requires: it is not due, and not parked.
  std::uint32_t place_in_list() const noexcept { return place_ & ~(kMoving | kLate); }

  // A handler is stored as its distance from this function: all are of one program, less than 2 GiB apart,
  // and a timer's cache line has room for half of a pointer.
  static void origin(Timer&, Time, Context&) {}
  static std::int32_t distance_to(Fire fire) noexcept {
    const auto distance = reinterpret_cast<std::intptr_t>(fire) - reinterpret_cast<std::intptr_t>(&origin);
    DP_EXPECT(distance == static_cast<std::int32_t>(distance));
    return static_cast<std::int32_t>(distance);
  }

  // The memory of a handler is fetched in three steps, each of which reads memory that the step before has
  // fetched. The first is TimerLinks::take_all(). It reads nothing of the timer: TimerLinks noted if the
  // timer has a second line when it gave it a place. The second returns true if the third has something to
  // do.
  [[gnu::always_inline]] bool fetch_second() const noexcept {
    if constexpr (requires(const Timer& timer) { Context::fetch_second(timer); }) {
      return what_ != 0 && Context::fetch_second(*this);
    }
    return false;
  }
  [[gnu::always_inline]] void fetch_third() const noexcept {
    if constexpr (requires(const Timer& timer) { Context::fetch_third(timer); }) Context::fetch_third(*this);
  }

  Time deadline_{};
  std::uint32_t place_ = kNowhere;
  const std::int32_t fire_;
  std::uint8_t what_ : 7 = 0;
  bool longer_ : 1;
};

}  // namespace dp
