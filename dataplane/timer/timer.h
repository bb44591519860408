// A node of the calendar queue (timer/calendar.h): whoever has a deadline declares one, in front of what its
// handler reads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

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

  // What the handler touches is fetched before it is called: the timer's cache line, the next when it is one
  // of two lines or more, and what so many pointers point to that stand one behind the other from kPointers
  // on, the end of the line if the timer begins one; the third of three lines too, if there are two pointers
  // or more. The pointers and the third line are fetched by what holds when the timer becomes due, the next
  // line by what held when it got its place in the calendar. Requires: all of that is in the same object; the
  // pointers are not more than 63.
  static constexpr std::size_t kPointers = 56;
  void touches(std::uint8_t pointers, unsigned lines) noexcept {
    DP_EXPECT_HOT(pointers < 64);
    pointers_ = pointers & 0x3f;
    longer_ = lines > 1;
    third_ = lines > 2;
  }

  bool armed() const noexcept { return place_ != kNowhere; }
  Time deadline() const noexcept { return armed() ? deadline_ : kNever; }

 protected:
  // For which it was armed last, whatever has become of that; or what was set since. Requires of the second:
  // it is not armed.
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
  // Where it is, for the calendar: nowhere; or in one of its lists, by its place there, with a bit when it is
  // to move to another and a bit when that is the list of what came late; or, with a bit, due, by its number
  // in timer/due_timers.h. Parked it has left one calendar with its deadline, on the way to another.
  static constexpr std::uint32_t kNowhere = 0, kParked = std::uint32_t{1} << 28,
                                 kMoving = std::uint32_t{1} << 29, kLate = std::uint32_t{1} << 30,
                                 kDue = std::uint32_t{1} << 31;
  // In a list: kNowhere when it is in none. Requires: it is not due, and not parked.
  std::uint32_t place_in_list() const noexcept { return place_ & ~(kMoving | kLate); }

  // A handler is remembered by how far it is from this function: all are of one program, less than 2 GiB
  // apart, and half of a pointer is what a timer's cache line has room for.
  static void origin(Timer&, Time, Context&) {}
  static std::int32_t distance_to(Fire fire) noexcept {
    const auto distance = reinterpret_cast<std::intptr_t>(fire) - reinterpret_cast<std::intptr_t>(&origin);
    DP_EXPECT(distance == static_cast<std::int32_t>(distance));
    return static_cast<std::int32_t>(distance);
  }

  // What a handler touches is fetched in three steps, each of which looks where the step before has fetched.
  // The first is TimerLinks::take_all(). It reads nothing of the timer: TimerLinks noted whether the timer
  // has a second line when it gave it a place. The second step fetches what the first pointer points to; when
  // there are more it answers true, and the third step fetches what these point to.
  bool fetch_second() const noexcept {
    if (pointers_ == 0) return false;
    __builtin_prefetch(pointer(0), 1);
    return pointers_ > 1;
  }
  [[gnu::always_inline]] void fetch_third() const noexcept {
    if (third_) __builtin_prefetch(reinterpret_cast<const std::byte*>(this) + 128, 1);
    for (unsigned i = 1; i < pointers_; ++i) {
      if (const void* const to = pointer(i); to != nullptr) __builtin_prefetch(to, 1);
    }
  }
  const void* pointer(unsigned i) const noexcept {
    const void* to;
    std::memcpy(&to, reinterpret_cast<const std::byte*>(this) + kPointers + i * sizeof(to), sizeof(to));
    return to;
  }

  Time deadline_{};
  std::uint32_t place_ = kNowhere;
  const std::int32_t fire_;
  std::uint8_t pointers_ : 6 = 0;  // that the handler follows
  bool third_ : 1 = false;
  bool longer_ : 1;
};

}  // namespace dp
