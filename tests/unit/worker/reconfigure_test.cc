// A worker's answer to a change of a running bearer (dataplane/worker/commands.h): the frames that it cost.
#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

class ReconfigureTest : public WorkerBench {
 protected:
  static constexpr UeAddress kUe = ue_ipv4(0x0a2d0002);

  void offer(int frames) {
    for (; frames > 0; --frames) io.offer(Side::core, {.dst = Ip("10.45.0.2"), .payload = 1000});
    worker->poll_once();
  }
  std::uint64_t lost(const BearerSettings& was, const BearerSettings& to) {
    return change(*bearers.back(), was, to).lost;
  }

  const BearerSettings slow = bearer_at(64'000, 10);
};

TEST_F(ReconfigureTest, ANewRateLosesNothingWhateverWasLostBeforeAndIsAfter) {
  add(kUe, slow);
  offer(15);
  ASSERT_EQ(dropped(DropReason::buffer_sdus), 5u);
  EXPECT_EQ(lost(slow, bearer_at(32'000, 5)), 0u) << "the lower limit is felt by arrivals alone";
  offer(3);
  EXPECT_EQ(dropped(DropReason::buffer_sdus), 8u);
  EXPECT_EQ(lost(bearer_at(32'000, 5), slow), 0u);
}

TEST_F(ReconfigureTest, ALinkOfAnotherKindSendsWhatWaits) {
  add(kUe, slow);
  offer(10);
  EXPECT_EQ(lost(slow, {}), 0u);
  settle();
  EXPECT_EQ(io.sent.size(), 10u);
}

TEST_F(ReconfigureTest, ALinkOfAnotherKindInModeBlockDropsWhatWaitsAndTellsHowMuch) {
  add(kUe, slow);
  offer(10);
  command(SetMode{Mode::block});
  EXPECT_EQ(lost(slow, {}), 10u);
  EXPECT_EQ(dropped(DropReason::blocked), 10u);
}

}  // namespace
}  // namespace dp::test
