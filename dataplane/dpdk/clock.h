// The workers' clock in production: the CPU's time stamp counter, scaled to nanoseconds by a 32.32 fixed
// point factor; time 0 is its construction. Each reader has a copy.
#pragma once
#include <cstdint>

#include <rte_cycles.h>

#include "dataplane/base/expect.h"
#include "dataplane/base/time.h"

namespace dp::dpdk {

class TscClock {
 public:
  // `cycles_per_ns` from calibrate_tsc(); requires: it is positive.
  explicit TscClock(double cycles_per_ns)
      : epoch_(rte_rdtsc()), factor_(static_cast<std::uint64_t>(4294967296.0 / cycles_per_ns)) {
    DP_EXPECT(cycles_per_ns > 0);
  }

  Time now() const noexcept {
    __extension__ using Wide = unsigned __int128;
    return time_ns(static_cast<std::int64_t>((static_cast<Wide>(rte_rdtsc() - epoch_) * factor_) >> 32));
  }

 private:
  std::uint64_t epoch_;
  std::uint64_t factor_;  // nanoseconds a cycle, times 2^32
};

// The time stamp counter and the kernel's clock at one moment.
struct ClockReading {
  std::uint64_t cycles = 0;
  std::int64_t ns = 0;
};
ClockReading read_clocks();

// Cycles per nanosecond since `first`; waits until that reading is 50 ms old. (rte_get_tsc_hz() is rounded to
// 10 MHz, up to 0.2 % off, too coarse for rates that promise 0.1 %.)
double calibrate_tsc(const ClockReading& first = read_clocks());

}  // namespace dp::dpdk
