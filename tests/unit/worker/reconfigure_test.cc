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

TEST_F(ReconfigureTest, ALinkOfAnotherKindMayComeTogetherWithTheOpeningOfTheGate) {
  for (const Gate before : {Gate::hold, Gate::closed}) {
    for (const Gate after : {Gate::open, Gate::hold, Gate::closed}) {
      BearerSettings was = slow, to = slow;
      was.downlink.gate = before;
      to.downlink.gate = after;
      to.downlink.link = UmLinkConfig{.loss = 0};
      to.downlink.rate = 1'000'000;
      const UeAddress ue = ue_ipv4(0x0a2d0010 + static_cast<std::uint32_t>(bearers.size()));
      add(ue, was);
      const std::size_t sent = io.sent.size();
      const std::uint64_t gone = dropped(DropReason::gate);
      const auto offer_five = [&] {
        for (int n = 0; n < 5; ++n)
          io.offer(Side::core, {.dst = Ip(static_cast<std::uint32_t>(ue.lo)), .payload = 1000});
        run_until(clock.now() + Duration{1'000'000'000});
      };
      offer_five();
      lost(was, to);
      settle();
      const std::uint64_t held = before == Gate::hold ? 5 : 0;
      EXPECT_EQ(io.sent.size() - sent, held);
      EXPECT_EQ(dropped(DropReason::gate) - gone, 5 - held);
      offer_five();
      EXPECT_EQ(io.sent.size() - sent, held + (after == Gate::open ? 5 : 0));
      EXPECT_EQ(dropped(DropReason::gate) - gone, 5 - held + (after == Gate::closed ? 5 : 0));
      EXPECT_EQ(bearers.back()->downlink.buffer().sdus(), after == Gate::hold ? 5u : 0u);
    }
  }
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
