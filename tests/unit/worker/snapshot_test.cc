#include "dataplane/worker/snapshot.h"

#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "tests/support/runs.h"

namespace dp {
namespace {

// Every snapshot written has one number in all of its counters; a torn read would show two.
TEST(PublishedSnapshot, AReaderNeverSeesHalfOfOneAndHalfOfAnother) {
  PublishedSnapshot cell;
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (std::uint64_t n = 1; !stop; ++n) {
      WorkerSnapshot s;
      for (auto& port : s.account.received) port = {n, n};
      s.account.buffered = s.account.egress = s.account.mbufs_held = n;
      s.polls = s.timers = n;
      cell.publish(s, s.account);
      // A reader needs a gap as long as it reads, which a sanitizer makes long.
      if (n % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds{10});
    }
  });
  std::uint64_t last = 0;
  const std::uint32_t reads = test::runs_of(50'000);
  for (std::uint32_t i = 0; i < reads; ++i) {
    const WorkerSnapshot s = cell.read();
    ASSERT_EQ(s.account.received[0].frames, s.timers);
    ASSERT_EQ(s.account.received[1].bytes, s.polls);
    ASSERT_EQ(s.account.buffered, s.account.mbufs_held);
    ASSERT_EQ(s.account.egress, s.timers);
    ASSERT_GE(s.timers, last);
    last = s.timers;
  }
  stop = true;
  writer.join();
}

}  // namespace
}  // namespace dp
