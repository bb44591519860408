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
struct TimerList;

// `fire` gets its deadline beside the context's `now`: after a late poll it serves what was due, timed from
// the schedule. It may arm and cancel any node, itself too.
template <class Context>
class Timer {
 public:
  using Fire = void (*)(Timer&, Time deadline, Context&);

  // Requires: `fire` is not null.
  explicit Timer(Fire fire) : fire_(fire) { DP_EXPECT(fire != nullptr); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Calls the handler, which may find the timer armed.
  void call(Time deadline, Context& context) noexcept { fire_(*this, deadline, context); }

  // What the handler touches is fetched before it is called: two cache lines from the timer on and what the
  // pointer at `first` points to. When it touches more than one pointer, as many as stand one behind the
  // other there, then a third line too. Requires: `first` is in the same object, less than 2 KiB behind the
  // timer.
  void follows(const void* first) noexcept {
    const auto behind = static_cast<const std::byte*>(first) - reinterpret_cast<const std::byte*>(this);
    DP_EXPECT(behind > 0 && behind % 8 == 0 && behind / 8 < 256);
    followed_ = static_cast<std::uint8_t>(behind / 8);
  }
  void touches(std::uint8_t pointers) noexcept { pointers_ = pointers; }

  bool armed() const noexcept { return place_ != kIdle; }
  Time deadline() const noexcept { return armed() ? deadline_ : kNever; }

 private:
  friend class Calendar<Context>;
  friend struct TimerList<Context>;
  // Where it is: nowhere, due, waiting to be put into the wheel, in it, or at level `place_ - kFar` beside
  // it.
  static constexpr std::uint8_t kIdle = 0, kDue = 1, kWaiting = 2, kWheel = 3, kFar = 3;
  // Taken out of one calendar with its deadline, on the way to another.
  static constexpr std::uint8_t kParked = 255;

  // What a handler touches is fetched in three steps, each of which looks where the step before has fetched.
  // The first fetches the lines where a timer is or was; it reads nothing.
  [[gnu::always_inline]] static void fetch_first(const void* timer) noexcept {
    const auto* from = static_cast<const std::byte*>(timer);
    __builtin_prefetch(from, 1);
    __builtin_prefetch(from + 64, 1);
  }
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

  Timer* next_ = nullptr;
  Timer* prev_ = nullptr;
  Time deadline_{};
  Fire fire_;
  std::uint8_t place_ = kIdle;
  std::uint8_t followed_ = 0;  // where the pointers begin, in words from here
  std::uint8_t pointers_ = 0;  // that the handler follows
};

}  // namespace dp
