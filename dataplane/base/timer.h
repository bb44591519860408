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

  // The handler will follow a pointer at `pointer`, in the same object and less than 2 KiB behind the timer:
  // what it points to is fetched before the handler is called.
  void follows(const void* pointer) noexcept {
    const auto behind = static_cast<const std::byte*>(pointer) - reinterpret_cast<const std::byte*>(this);
    DP_EXPECT(behind > 0 && behind % 8 == 0 && behind / 8 < 256);
    followed_ = static_cast<std::uint8_t>(behind / 8);
  }

  // The handler reads so many cache lines from the timer on, which are fetched beforehand.
  void reads(std::uint8_t lines) noexcept { lines_ = lines; }

  bool armed() const noexcept { return place_ != kIdle; }
  Time deadline() const noexcept { return armed() ? deadline_ : kNever; }

 private:
  friend class Calendar<Context>;
  friend struct TimerList<Context>;
  // Where it is: nowhere, due, waiting for the wheel, in it, or at level `place_ - kFar` beside it.
  static constexpr std::uint8_t kIdle = 0, kDue = 1, kWaiting = 2, kWheel = 3, kFar = 3;
  // Taken out of one calendar with its deadline, on the way to another.
  static constexpr std::uint8_t kParked = 255;

  // So many cache lines from here on.
  void fetch_first(std::size_t lines) const noexcept {
    const auto* from = reinterpret_cast<const std::byte*>(this);
    for (std::size_t line = 0; line < lines; ++line) __builtin_prefetch(from + 64 * line, 1);
  }
  // Of what the handler needs, the rest. Requires: its first lines were fetched.
  void fetch_rest(std::size_t fetched) const noexcept {
    const auto* lines = reinterpret_cast<const std::byte*>(this);
    for (std::size_t line = fetched; line < lines_; ++line) __builtin_prefetch(lines + 64 * line, 1);
    if (followed_ == 0) return;
    const void* pointer;
    std::memcpy(&pointer, reinterpret_cast<const std::byte*>(this) + 8 * followed_, sizeof(pointer));
    __builtin_prefetch(pointer, 1);
  }

  Timer* next_ = nullptr;
  Timer* prev_ = nullptr;
  Time deadline_{};
  Fire fire_;
  std::uint8_t place_ = kIdle;
  std::uint8_t followed_ = 0;  // in words from here; 0: none
  std::uint8_t lines_ = 0;     // that the handler reads
};

}  // namespace dp
