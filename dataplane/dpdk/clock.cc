#include "dataplane/dpdk/clock.h"

#include <time.h>

namespace dp::dpdk {
namespace {

constexpr std::int64_t kLongEnough = 50'000'000;  // nanoseconds

}  // namespace

// The shortest of several tries, which was interrupted least.
ClockReading read_clocks() {
  ClockReading best;
  std::uint64_t narrowest = ~std::uint64_t{0};
  for (int i = 0; i < 16; ++i) {
    timespec kernel;
    const std::uint64_t before = rte_rdtsc();
    clock_gettime(CLOCK_MONOTONIC_RAW, &kernel);
    const std::uint64_t width = rte_rdtsc() - before;
    if (width < narrowest) {
      narrowest = width;
      best = {before + width / 2, std::int64_t{kernel.tv_sec} * 1'000'000'000 + kernel.tv_nsec};
    }
  }
  return best;
}

double calibrate_tsc(const ClockReading& first) {
  ClockReading last = read_clocks();
  while (last.ns - first.ns < kLongEnough) {
    const timespec rest{0, kLongEnough - (last.ns - first.ns)};
    nanosleep(&rest, nullptr);
    last = read_clocks();
  }
  return static_cast<double>(last.cycles - first.cycles) / static_cast<double>(last.ns - first.ns);
}

}  // namespace dp::dpdk
