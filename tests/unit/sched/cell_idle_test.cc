// `idle: hold`: the mean rate of a member with nothing to send stays the one at which it came to rest,
// however the slots pass meanwhile.
#include <cmath>

#include "tests/unit/sched/cell_bench.h"

namespace dp::test {
namespace {

class CellIdleRule : public CellBench {
 protected:
  static CellSettings settings(CellIdle idle) { return {.members = 2, .idle = idle}; }

  // Has all slots for two seconds and more; then it rests.
  Bearer& rested(Cell& cell, std::uint32_t n) {
    Bearer& bearer = join(cell, n);
    offer(n, 1000, 1024);
    wait(3'500 * kMs);
    EXPECT_EQ(bearer.downlink.buffer().sdus(), 0u);
    EXPECT_GT(mean_of(bearer), 0.5 * kTopRate);
    return bearer;
  }
  static double mean_of(const Bearer& bearer) {
    const CellMember& member = *bearer.downlink.member();
    return member.cell()->mean(member);
  }
  // The mean when it has something to send again, before it is given a slot.
  double woken(const Bearer& bearer, std::uint32_t n) {
    offer(n, 1);
    settle();
    return mean_of(bearer);
  }
  static double after(double mean, double slots) { return mean * std::pow(1 - 0.001, slots); }
};

TEST_F(CellIdleRule, HeldMeanStaysWhileTheWholeCellIsIdle) {
  const Bearer& bearer = rested(make_cell(settings(CellIdle::hold)), 2);
  const double held = mean_of(bearer);
  for (const int seconds : {8, 1, 60}) {
    wait(seconds * 1'000 * kMs);
    EXPECT_NEAR(woken(bearer, 2), held, held * 0.02) << seconds;
  }
}

TEST_F(CellIdleRule, DecayingMeanFallsWhileTheWholeCellIsIdle) {
  const Bearer& bearer = rested(make_cell(settings(CellIdle::decay)), 2);
  const double before = woken(bearer, 2);
  wait(2'000 * kMs);
  EXPECT_NEAR(woken(bearer, 2), after(before, 1200), before * 0.02);
}

TEST_F(CellIdleRule, HeldMeanStaysBesideOneWhoIsServedByALateWorker) {
  Cell& cell = make_cell(settings(CellIdle::hold));
  const Bearer& bearer = rested(cell, 2);
  const double held = mean_of(bearer);
  join(cell, 3);
  offer(3, 4000, 1024);
  settle();
  clock.set(clock.now() + 3'000 * kMs);
  settle();
  ASSERT_GT(cell.counters().slots_nobody.get(), 1000u) << "the worker was not late";
  EXPECT_NEAR(woken(bearer, 2), held, held * 0.02);
}

TEST_F(CellIdleRule, HeldMeanStaysInModesThatServeNoSlots) {
  for (const Mode mode : {Mode::tap, Mode::bypass, Mode::block}) {
    const auto n = static_cast<std::uint32_t>(2 + cells.size());
    const Bearer& bearer = rested(make_cell(settings(CellIdle::hold)), n);
    const double held = mean_of(bearer);
    command(SetMode{mode});
    wait(5'000 * kMs);
    command(SetMode{Mode::inline_});
    EXPECT_NEAR(woken(bearer, n), held, held * 0.02) << static_cast<int>(mode);
  }
}

// Waiting SDUs are sent at once, so that the member comes to rest by the change.
TEST_F(CellIdleRule, HeldMeanStaysWhenAModeEndsWhatWaits) {
  const Bearer& bearer = rested(make_cell(settings(CellIdle::hold)), 2);
  offer(2, 100, 1024);
  wait(20 * kMs);
  const double held = mean_of(bearer);
  command(SetMode{Mode::bypass});
  ASSERT_EQ(bearer.downlink.buffer().sdus(), 0u);
  wait(5'000 * kMs);
  command(SetMode{Mode::inline_});
  wait(5'000 * kMs);
  EXPECT_NEAR(woken(bearer, 2), held, held * 0.02);
}

TEST_F(CellIdleRule, MeanIsHeldFromTheChangeToHoldAndDecaysFromTheChangeBack) {
  Cell& cell = make_cell(settings(CellIdle::decay));
  const Bearer& bearer = rested(cell, 2);
  const double before = woken(bearer, 2);
  const auto change = [&](CellIdle idle) {
    const CellSettings fresh = settings(idle);
    command(ReconfigureCell{&cell, &fresh});
  };
  wait(1'000 * kMs);
  change(CellIdle::hold);
  wait(5'000 * kMs);
  change(CellIdle::decay);
  wait(1'000 * kMs);
  EXPECT_NEAR(woken(bearer, 2), after(before, 1200), before * 0.02);
}

TEST_F(CellIdleRule, HeldMeanStaysWhenTheNumberOfSlotsChanges) {
  Cell& cell = make_cell(settings(CellIdle::hold));
  const Bearer& bearer = rested(cell, 2);
  const double held = mean_of(bearer);
  CellSettings fresh = settings(CellIdle::hold);
  for (const std::uint32_t slots : {1000u, 100u, 600u}) {
    fresh.slots = slots;
    command(ReconfigureCell{&cell, &fresh});
    wait(5'000 * kMs);
    EXPECT_NEAR(woken(bearer, 2), held, held * 0.02) << slots;
  }
}

}  // namespace
}  // namespace dp::test
