// A node of the calendar queue (base/calendar.h): whoever has a deadline declares one, in front of what its
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
  explicit Timer(Fire fire, bool longer = true) : fire_(fire), longer_(longer) { DP_EXPECT(fire != nullptr); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Calls the handler, which may find the timer armed.
  void call(Time deadline, Context& context) noexcept { fire_(*this, deadline, context); }

  // What the handler touches is fetched before it is called: the timer's cache line, the next when the timer
  // is longer, and what the pointer at `first` points to. When it touches more than one pointer, as many as
  // stand one behind the other there, then a third line too. Requires: `first` is in the same object, less
  // than 2 KiB behind the timer.
  void follows(const void* first) noexcept {
    const auto behind = static_cast<const std::byte*>(first) - reinterpret_cast<const std::byte*>(this);
    DP_EXPECT(behind > 0 && behind % 8 == 0 && behind / 8 < 256);
    followed_ = static_cast<std::uint8_t>(behind / 8);
  }
  void touches(std::uint8_t pointers) noexcept { pointers_ = pointers; }

  bool armed() const noexcept { return place_ != kNowhere; }
  Time deadline() const noexcept { return armed() ? deadline_ : kNever; }

 private:
  friend class Calendar<Context>;
  friend class TimerLinks<Context>;
  friend class DueTimers<Context>;
  // Where it is, for the calendar: nowhere; or in one of its lists, by its place there, with a bit when it is
  // to move to another and a bit when that is the list of what came late; or, with a bit, due, by its number
  // in base/due_timers.h. Parked it has left one calendar with its deadline, on the way to another.
  static constexpr std::uint32_t kNowhere = 0, kParked = std::uint32_t{1} << 28,
                                 kMoving = std::uint32_t{1} << 29, kLate = std::uint32_t{1} << 30,
                                 kDue = std::uint32_t{1} << 31;

  // What a handler touches is fetched in three steps, each of which looks where the step before has fetched.
  // The first is TimerLinks::take_all(), which reads nothing of the timer.
  // The second fetches what the first pointer points to, and the third line if there are more pointers: then
  // it answers true, and the third step fetches what these point to. A branch, and behind it a call: past
  // these the processor goes on to the next timer while it waits for the lines of this one.
  bool fetch_second() const noexcept {
    if (pointers_ != 1) [[unlikely]]
      return fetch_line_too();
    __builtin_prefetch(followed(0), 1);
    return false;
  }
  [[gnu::noinline]] bool fetch_line_too() const noexcept {
    if (pointers_ == 0) return false;
    __builtin_prefetch(reinterpret_cast<const std::byte*>(this) + 128, 1);
    __builtin_prefetch(followed(0), 1);
    return true;
  }
  [[gnu::always_inline]] void fetch_third() const noexcept {
    for (unsigned i = 1; i < pointers_; ++i) {
      if (const void* const pointer = followed(i); pointer != nullptr) __builtin_prefetch(pointer, 1);
    }
  }
  const void* followed(unsigned i) const noexcept {
    const void* pointer;
    std::memcpy(&pointer, reinterpret_cast<const std::byte*>(this) + 8 * (followed_ + i), sizeof(pointer));
    return pointer;
  }

  Time deadline_{};
  Fire fire_;
  std::uint32_t place_ = kNowhere;
  std::uint8_t followed_ = 0;  // where the pointers begin, in words from here
  std::uint8_t pointers_ = 0;  // that the handler follows
  bool longer_;
};

}  // namespace dp
