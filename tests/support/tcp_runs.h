// Whole transfers over one bottleneck, as unit tests and the ns-2 oracle run them: 1 Mbit/s and 100 ms to a
// router, 384 kbit/s and 25 ms to the receiver, and the same way back, so 250 ms of round trip without
// queues.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/tcp_bench.h"

namespace dp::test {

inline constexpr std::uint16_t kRunMss = 1460;

struct RunSpec {
  CongestionConfig kind = NewReno::Config{};
  bool guard = true;
  bool halve_window = true;
  std::uint16_t ack_every = 2;
  std::uint32_t initial_ssthresh = 0;  // segments; 0: no bound
  std::uint32_t window = 1000;         // the receiver's, segments
  std::size_t queue = 1'000'000;       // packets at the bottleneck
  std::uint64_t rate = 384'000;
};

inline BenchSpec bench_of(const RunSpec& run) {
  BenchSpec s;
  s.sender.congestion = run.kind;
  s.sender.guard = run.guard;
  s.sender.halve_window = run.halve_window;
  s.sender.initial_window = 1;
  s.sender.limited_transmit = false;
  s.sender.mss = kRunMss;
  if (run.initial_ssthresh > 0) s.sender.initial_ssthresh = run.initial_ssthresh * kRunMss;
  s.sender.rto = {.initial = ms(3000), .floor = ms(1000), .ceiling = ms(64'000), .granularity = ms(1)};
  s.receiver.ack_every = run.ack_every;
  s.receiver.window = run.window * kRunMss;
  s.receiver.window_scale = 6;
  s.forward = {{1'000'000, ms(100)}, {run.rate, ms(25), run.queue}};
  s.backward = {{run.rate, ms(25)}, {1'000'000, ms(100)}};
  return s;
}

struct DropRun {
  std::vector<Offset> retransmitted;  // segments, from 1, in order of sending
  std::uint64_t timeouts = 0;
  double completion = 0;  // seconds, until the last segment is acknowledged
};

// A transfer of `segments`. Of the packets that come to the bottleneck those with the numbers in `drops` are
// lost: number 0 is the SYN, and until something is repeated number n is segment n.
inline DropRun controlled_drop_run(const RunSpec& run, const std::vector<Offset>& drops,
                                   Offset segments = 200) {
  TcpBench bench(bench_of(run));
  bench.sender.offer(static_cast<std::uint64_t>(segments) * kRunMss);
  bench.lose_data(
      [&](std::size_t n, const TcpBench::Packet&) {
        return std::find(drops.begin(), drops.end(), static_cast<Offset>(n)) != drops.end();
      },
      1);
  DropRun result;
  EXPECT_TRUE(bench.run_to_end(at_ms(200'000)));
  EXPECT_EQ(bench.receiver.stats().delivered_bytes, static_cast<std::uint64_t>(segments) * kRunMss);
  EXPECT_EQ(bench.receiver.stats().corrupt, 0u);
  for (const Offset position : bench.retransmitted()) result.retransmitted.push_back(position / kRunMss + 1);
  result.timeouts = bench.sender.stats().timeouts;
  result.completion = static_cast<double>(ns(bench.clock.now())) * 1e-9;
  return result;
}

struct BulkRun {
  std::uint64_t delivered = 0;  // segments in order
  std::uint64_t dropped = 0;
  std::uint64_t retransmitted = 0;
  std::uint64_t timeouts = 0;
};

inline BulkRun overshoot_run(const RunSpec& run, Time end = at_ms(60'000)) {
  TcpBench bench(bench_of(run));
  bench.sender.offer_unbounded();
  bench.run_until(end);
  EXPECT_EQ(bench.receiver.stats().corrupt, 0u);
  return {bench.receiver.stats().delivered_segments, bench.forward[1].dropped,
          bench.sender.stats().retransmitted, bench.sender.stats().timeouts};
}

}  // namespace dp::test
