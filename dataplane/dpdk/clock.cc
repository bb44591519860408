#include "dataplane/dpdk/clock.h"

#include <time.h>

namespace dp::dpdk {
namespace {

struct Pair {
  std::uint64_t cycles;
  std::int64_t ns;
};

// Both clocks at one moment: of several tries the one that was interrupted least.
Pair read_both() {
  Pair best{};
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

}  // namespace

double calibrate_tsc() {
  const Pair first = read_both();
  timespec rest{0, 50'000'000};
  while (nanosleep(&rest, &rest) != 0) {
  }
  const Pair last = read_both();
  return static_cast<double>(last.cycles - first.cycles) / static_cast<double>(last.ns - first.ns);
}

}  // namespace dp::dpdk
