// Many timers, re-armed and expired by the worker's Calendar or by DPDK's rte_timer: what `rncbench timers`
// times. Each timer lies in an object of its own, as a bearer's does. Plain: no rte_ names.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "dataplane/base/result.h"

namespace dp::yardstick {

enum class TimerKind : std::uint8_t { calendar, rte_timer };

struct TimerPlan {
  std::uint32_t timers = 1000;
  std::int64_t horizon_ns = 100'000'000;  // deadlines are as likely anywhere between now and then
  std::uint32_t stride = 1024;            // bytes from one timer to the next
  std::uint64_t seed = 1;
};

// The operations of a round, and the cycles of the TSC that they took.
struct TimerRound {
  std::uint64_t rearm_cycles = 0, rearmed = 0;
  std::uint64_t expire_cycles = 0, expired = 0;
  std::uint64_t touch_cycles = 0, touched = 0;
};

class TimerSubject {
 public:
  static constexpr std::uint32_t kTogether = 64;  // timers re-armed in a round, and about as many expire

  virtual ~TimerSubject() = default;
  // Its time has stood still or run on while another subject had the CPU.
  virtual void resume() noexcept = 0;
  // Random timers, all of them armed, get new deadlines; then time passes and due ones fire. Both are timed.
  // Fired timers are armed again, untimed. At last a word of each of the same number of random timers is
  // read, timed too: the cost of their memory for any use of them.
  virtual TimerRound round() noexcept = 0;
};

// EAL, which rte_timer does not run without; once a process. Exit codes: 4 memory, 5 permission, 7 EAL.
Status start_timers(unsigned cpu);
// Requires: start_timers() was well.
std::unique_ptr<TimerSubject> make_timers(TimerKind kind, const TimerPlan& plan);

// The least distance at which the timers of both fit.
std::uint32_t timer_stride_least();
double measured_cycles_per_ns();
std::string dpdk_text();

}  // namespace dp::yardstick
