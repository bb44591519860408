#include "control/plane/modes.h"

#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/support/plane_bench.h"

namespace control {
namespace {

using std::chrono::milliseconds;

class ModesTest : public PlaneBench {};

TEST_F(ModesTest, OfTwoWorkersTheOneThatHangsIsNamedHoweverOftenTheOtherAnswers) {
  start(4096, milliseconds(200), 2);
  runtime->stall_only(1);
  std::optional<Ended<Modes::Change>> ended;
  plane->modes().set(dp::Mode::tap, [&](Ended<Modes::Change> how) { ended = std::move(how); });
  int asked = 0;
  ASSERT_TRUE(poll_until([&] {
    // Worker 0 answers each of these at once.
    if (asked < 200) plane->set_port({dp::Side::core, true, {}}, [] {}), ++asked;
    std::this_thread::sleep_for(milliseconds(5));
    return ended.has_value();
  }));
  ASSERT_NE(ended->why, nullptr);
  EXPECT_TRUE(
      says(refusal(*ended), "worker 1 has not answered for 200 ms; the change takes effect if it goes"));
  EXPECT_EQ(runtime->shared(0).snapshot.read().mode, dp::Mode::tap) << "worker 0 went on";
  EXPECT_EQ(runtime->shared(1).snapshot.read().mode, dp::Mode::inline_) << "can be read while it hangs";
  EXPECT_TRUE(says(refusal({{{ue("10.47.0.1"), cls(0)}}, {}}), "worker 1 has not answered"));
  runtime->stall(false);
  ASSERT_TRUE(poll_until([&] { return plane->idle(); }));
  EXPECT_EQ(runtime->shared(1).snapshot.read().mode, dp::Mode::tap);
  EXPECT_EQ(plane->modes().mode(), dp::Mode::tap);
}

TEST_F(ModesTest, LeavingInlineSendsWhatIsQueued) {
  start();
  for (int i = 0; i < 20; ++i) {
    runtime->io.offer(dp::Side::core, {.dst = dp::test::Ip("10.45.0.1"), .payload = 1400});
  }
  ASSERT_TRUE(poll_until([&] { return snapshot().account.received[0].frames == 20; }));
  const auto ended = wait_for<Modes::Change>([&](auto done) { plane->modes().set(dp::Mode::bypass, done); });
  ASSERT_TRUE(ended.done);
  EXPECT_EQ(ended.done->was, dp::Mode::inline_);
  EXPECT_FALSE(ended.done->drained.waited) << "no proxy, no drain";
  EXPECT_TRUE(poll_until([&] { return runtime->io.sent() == 20; }));
}

TEST_F(ModesTest, AModeThatIsEnteredWithoutATurnIsSettledWhenAllWorkersHaveIt) {
  start(64, milliseconds(5000), 2);
  EXPECT_TRUE(plane->modes().settled());
  runtime->stall_only(1);
  plane->modes().enter(dp::Mode::tap);
  EXPECT_EQ(plane->modes().mode(), dp::Mode::tap) << "the configuration has it at once";
  ASSERT_TRUE(poll_until([&] { return snapshot().mode == dp::Mode::tap; }));
  EXPECT_FALSE(plane->modes().settled());
  runtime->stall(false);
  ASSERT_TRUE(poll_until([&] { return plane->modes().settled(); }));
  EXPECT_EQ(runtime->shared(1).snapshot.read().mode, dp::Mode::tap);
}

TEST_F(ModesTest, LeavingRefusesTheModeThatWasAskedForAndHasNothingToDrain) {
  start();
  runtime->stall(true);
  std::optional<Ended<Modes::Change>> ended;
  plane->modes().set(dp::Mode::tap, [&](Ended<Modes::Change> how) { ended = std::move(how); });
  std::optional<Drained> drained;
  plane->modes().leave([&](const Drained& result) { drained = result; });
  ASSERT_TRUE(drained.has_value());
  EXPECT_FALSE(drained->waited);
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(refusal(*ended).why, Refusal::Why::abandoned);
  runtime->stall(false);
  bool sent = false;
  plane->modes().flush([&](std::uint64_t resets) { sent = resets == 0; });
  ASSERT_TRUE(poll_until([&] { return sent; }));
  EXPECT_TRUE(poll_until([&] { return snapshot().mode == dp::Mode::bypass; }));
}

}  // namespace
}  // namespace control
