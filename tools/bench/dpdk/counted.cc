#include "tools/bench/dpdk/counted.h"

#include <algorithm>

#include <valgrind/callgrind.h>

#include "dataplane/base/time.h"
#include "dataplane/packet/burst.h"
#include "tools/bench/dpdk/memory_io.h"
#include "tools/bench/dpdk/worker_subject.h"

namespace dp::yardstick {
namespace {

Duration burst_time(const Traffic& traffic) {
  return Duration(static_cast<std::int64_t>(1e9 * traffic.burst / traffic.frames_per_second));
}

// Polls without counting until buffers and timers are in their steady state, then the same number with
// counting. Returns the number of frames that came in meanwhile.
template <class Poll>
std::uint64_t count(const Traffic& traffic, std::uint64_t frames, Poll&& poll) {
  const auto polls_for = [&](std::uint64_t n) { return n / traffic.burst + 1; };
  const std::uint64_t filling = traffic.load == Load::above ? 2 * traffic.held_frames() : traffic.bearers;
  // Bearers come at random: behind eight frames for each, one in 3,000 has not learnt its tunnel yet.
  const std::uint64_t learning = traffic.encap == Encap::none ? 0 : 8 * std::uint64_t{traffic.bearers};
  for (std::uint64_t i = 0; i < polls_for(std::max(filling, learning)); ++i) poll();
  CALLGRIND_START_INSTRUMENTATION;
  for (std::uint64_t i = 0; i < polls_for(frames / 4); ++i) poll();  // the caches fill
  std::uint64_t counted = 0;
  CALLGRIND_TOGGLE_COLLECT;
  for (std::uint64_t i = 0; i < polls_for(frames); ++i) counted += poll();
  CALLGRIND_TOGGLE_COLLECT;
  CALLGRIND_STOP_INSTRUMENTATION;
  return counted;
}

}  // namespace

std::uint64_t count_worker(const Traffic& traffic, std::uint64_t frames) {
  WorkerSubject<MemoryIo, ManualClock> subject(ManualClock(), traffic, false);
  subject.resume();
  return count(traffic, frames, [&] {
    subject.clock().advance(burst_time(traffic));
    return subject.step();
  });
}

std::uint64_t count_ports(const Traffic& traffic, std::uint64_t frames) {
  MemoryIo io(traffic, false);
  io.open(true);
  Burst burst;
  return count(traffic, frames, [&] {
    io.receive(Side::core, burst, Time{});
    const std::size_t received = burst.size();
    io.transmit(Side::radio, burst.sdus());
    burst.clear();
    return received;
  });
}

}  // namespace dp::yardstick
