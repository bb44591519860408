// Rules for the slots of a cell beside its scheduler: share, newcomers, resting members, short flows,
// reported rates; and their effects on the bearer's own policies.
#include <cmath>

#include "tests/unit/sched/cell_bench.h"

namespace dp::test {
namespace {

using CellRules = CellBench;

TEST_F(CellRules, AShareOfTheSlotsIsGivenAwayEvenlySpread) {
  for (const double share : {0.5, 0.75, 0.1}) {
    Cell& cell = make_cell({.members = 1, .share = share});
    Bearer& bearer = join(cell, static_cast<std::uint32_t>(cells.size()) + 1);
    offer(static_cast<std::uint32_t>(cells.size()) + 1, 2000);
    settle();
    // Any 100 slots in a row, which begin where they like.
    const std::uint64_t first = SlotClock::slot_at(clock.now(), 600);
    std::uint64_t before = 0;
    for (std::uint64_t n = 0; n < 5; ++n) {
      run_until(SlotClock::start_of(first + 100 * n + 13, 600));
      if (n > 0) {
        EXPECT_EQ(slots_of(bearer) - before, std::llround(100 * share)) << n;
      }
      before = slots_of(bearer);
    }
    EXPECT_EQ(cell.counters().slots_long.get() + cell.counters().slots_nobody.get(), 414u);
    command(RemoveBearer{&bearer});
  }
}

// Number of slots in a row that a newcomer has beside a user who was there for long, at equal rates.
std::uint64_t run_of_newcomer(const Bearer& old, const Bearer& young, const std::function<void()>& slot) {
  std::uint64_t longest = 0, run = 0, of_old = old.downlink.member()->slots();
  std::uint64_t of_young = young.downlink.member()->slots();
  for (int i = 0; i < 3000; ++i) {
    slot();
    const std::uint64_t now = young.downlink.member()->slots();
    run = now > of_young ? run + (now - of_young) : run;
    if (old.downlink.member()->slots() > of_old) run = 0;
    of_old = old.downlink.member()->slots();
    of_young = now;
    longest = std::max(longest, run);
  }
  return longest;
}

TEST_F(CellRules, ANewcomerHasAllSlotsAtFirstInThePaperAndAFairPartElse) {
  for (const CellNewcomer newcomer : {CellNewcomer::paper, CellNewcomer::fair}) {
    Cell& cell = make_cell({.members = 2, .newcomer = newcomer});
    const auto n = static_cast<std::uint32_t>(2 * cells.size());
    Bearer& old = join(cell, n);
    offer(n, 4000, 1500);
    wait(10'000 * kMs);
    Bearer& young = join(cell, n + 1);
    offer(n + 1, 4000, 1500);
    settle();
    const std::uint64_t longest =
        run_of_newcomer(old, young, [&] { run_until(clock.now() + Duration{1'666'666}); });
    if (newcomer == CellNewcomer::paper) {
      // (1 - alpha)^k = 1 / 2, and the old one's mean had come up to his rate but for a few parts in 100.
      EXPECT_NEAR(static_cast<double>(longest), std::log(2) / 0.001, 10);
    } else {
      EXPECT_LE(longest, 20u);
    }
    command(RemoveBearer{&old});
    command(RemoveBearer{&young});
  }
}

// Two of equal rates share the slots; then one rests for as long as 1 / alpha slots, five times over.
TEST_F(CellRules, TheMeanOfOneWhoRestsDecaysOrIsHeld) {
  for (const CellIdle idle : {CellIdle::decay, CellIdle::hold}) {
    Cell& cell = make_cell({.members = 2, .idle = idle});
    const auto n = static_cast<std::uint32_t>(2 * cells.size());
    Bearer& busy = join(cell, n);
    Bearer& bursty = join(cell, n + 1);
    offer(n, 4000, 1500);
    offer(n + 1, 1500, 1024);
    wait(8'000 * kMs);
    offer(n, 4000, 1500);
    wait(8'000 * kMs);
    ASSERT_EQ(bursty.downlink.buffer().sdus(), 0u);
    ASSERT_GT(busy.downlink.buffer().sdus(), 0u);
    offer(n, 2000, 1500);
    offer(n + 1, 1000, 1024);
    settle();
    const std::uint64_t before = slots_of(bursty);
    wait(200 * kMs);
    const auto got = static_cast<double>(slots_of(bursty) - before);
    // Slots out of 120: nearly all, since its mean has become small; or more than half, until its mean, which
    // is half of the other's now, has come up to it.
    if (idle == CellIdle::decay) {
      EXPECT_GT(got, 110);
    } else {
      EXPECT_GT(cell.mean(*bursty.downlink.member()), 0.3 * kTopRate);
      EXPECT_LE(slots_of(bursty) - before, 120u);
    }
    command(RemoveBearer{&busy});
    command(RemoveBearer{&bursty});
  }
}

BearerSettings short_first() {
  BearerSettings settings{
      .downlink = {.link = constant_radio(), .rate = kMaxRate, .buffer = {4000, 1u << 24}}};
  settings.downlink.queue = SfpSpec::Config{.short_bytes = 1'000'000'000};
  return settings;
}

// One whose flow is always short, beside one whose flow is long.
TEST_F(CellRules, ShortFlowsGoFirstUpToTheirShare) {
  for (const double share : {1.0, 0.75}) {
    Cell& cell = make_cell({.scheduler = PfShortPriority::Config{}, .members = 2, .short_share = share});
    const auto n = static_cast<std::uint32_t>(2 * cells.size());
    Bearer& always_short = add(ue(n), short_first(), 0, &cell);
    Bearer& never_short = join(cell, n + 1);
    offer(n, 4000, 1500);
    offer(n + 1, 4000, 1500);
    wait(2'000 * kMs);
    const std::uint64_t before = slots_of(always_short), of_long = slots_of(never_short);
    wait(5'000 * kMs);
    const auto got = static_cast<double>(slots_of(always_short) - before);
    if (share == 1.0) {
      EXPECT_EQ(got, 3000);
      EXPECT_EQ(cell.counters().slots_long.get(), slots_of(never_short));
    } else {
      EXPECT_NEAR(got, 3000 * share, 100);
      EXPECT_NEAR(static_cast<double>(slots_of(never_short) - of_long), 3000 * (1 - share), 100);
    }
    EXPECT_EQ(cell.counters().slots_short.get(), slots_of(always_short));
    command(RemoveBearer{&always_short});
    command(RemoveBearer{&never_short});
  }
}

TEST_F(CellRules, ASchedulerTakesOverLiveAndKeepsTheMeans) {
  Cell& cell = make_cell({.members = 2});
  Bearer& always_short = add(ue(2), short_first(), 0, &cell);
  Bearer& never_short = join(cell, 3);
  offer(2, 4000, 1500);
  offer(3, 4000, 1500);
  wait(5'000 * kMs);
  EXPECT_NEAR(static_cast<double>(slots_of(always_short)), static_cast<double>(slots_of(never_short)), 2);
  const double mean = cell.mean(*never_short.downlink.member());
  CellSettings settings{.scheduler = PfShortPriority::Config{}, .members = 2};
  EXPECT_EQ(command(ReconfigureCell{&cell, &settings}).cell_settings, &settings);
  EXPECT_EQ(cell.mean(*never_short.downlink.member()), mean);
  const std::uint64_t before = slots_of(never_short);
  wait(1'000 * kMs);
  EXPECT_LE(slots_of(never_short) - before, 1u);
  settings.scheduler = RoundRobin::Config{};
  command(ReconfigureCell{&cell, &settings});
  const std::uint64_t turn = slots_of(never_short);
  wait(1'000 * kMs);
  EXPECT_NEAR(static_cast<double>(slots_of(never_short) - turn), 300, 1);
}

TEST_F(CellRules, AnotherNumberOfSlotsHoldsFromTheNextOnAndNothingIsLost) {
  CellSettings settings{.members = 1};
  Cell& cell = make_cell(settings);
  Bearer& bearer = join(cell, 2, constant_radio(1'200'000));
  offer(2, 4000, 1500);
  std::uint32_t last = 600;
  for (const std::uint32_t slots : {1000u, 500u, 8000u, 100u, 600u}) {
    wait(Duration{100'000'123});
    const std::uint64_t before = slots_of(bearer), sent = bearer.downlink.buffer().delivered_bytes();
    settings.slots = slots;
    command(ReconfigureCell{&cell, &settings});
    wait(1'000 * kMs);
    // The slot that has begun ends when it would have.
    EXPECT_NEAR(static_cast<double>(slots_of(bearer) - before), slots,
                2 + slots / std::exchange(last, slots));
    EXPECT_NEAR(static_cast<double>(bearer.downlink.buffer().delivered_bytes() - sent) * 8, 1'200'000, 26'000)
        << slots;
  }
}

TEST_F(CellRules, ReportsOfManyUesComeInOneSheetAndGrowOld) {
  Cell& cell = make_cell({.slots = 1000, .members = 4});
  Bearer& first = join(cell, 2, reported_radio(0, 100 * kMs));
  Bearer& second = join(cell, 3, reported_radio(0, 100 * kMs));
  Bearer& constant = join(cell, 4);
  add(ue(5), bearer_at(1'000'000));
  offer(2, 1000);
  offer(3, 1000);
  wait(50 * kMs);
  EXPECT_EQ(slots_of(first) + slots_of(second), 0u) << "nothing is known of them";
  EXPECT_NEAR(static_cast<double>(cell.counters().slots_nobody.get()), 50, 1);
  RateSheet sheet{.size = 5};
  for (std::uint32_t i = 0; i < 5; ++i) sheet.reports[i] = {ue(i + 2), i == 1 ? 0u : 1'000'000u};
  const Answer answer = command(ReportRates{&sheet});
  EXPECT_EQ(answer.rates, &sheet);
  EXPECT_EQ(sheet.unknown, 3u) << "a constant radio, another link, no bearer";
  wait(1'000 * kMs);
  EXPECT_NEAR(static_cast<double>(slots_of(first)), 100, 1) << "as long as the report counts";
  EXPECT_EQ(slots_of(second), 0u) << "out of coverage";
  EXPECT_EQ(cell.counters().stale_reports.get(), 2u);
  EXPECT_EQ(slots_of(constant), 0u);
  EXPECT_EQ(first.downlink.member()->reported_at(), second.downlink.member()->reported_at());
}

// The mean delay of what waits under PIE, where each of `bearers` gets 614400 bit/s and is offered a sixth
// more.
class CellDelay : public CellBench {
 protected:
  double mean_delay(const std::vector<Bearer*>& users) {
    double sum = 0;
    int looks = 0;
    for (int ms = 0; ms < 40'000; ms += 10) {
      for (const Bearer* b : users) {
        offer(static_cast<std::uint32_t>(b->ue.lo - 0x0a2d0000), ms % 20 == 0 ? 2 : 1, 600);
      }
      wait(10 * kMs);
      if (ms < 20'000) continue;
      for (const Bearer* b : users) {
        sum += static_cast<double>(b->downlink.buffer().bytes()) * 8 / (kTopRate / 4.0);
        ++looks;
      }
    }
    return sum / looks;
  }
};

TEST_F(CellDelay, PieGoesByTheMeanRateOfACellAndNotByTheHighest) {
  BearerSettings alone = bearer_at(kTopRate / 4, 4000);
  alone.downlink.aqm = Pie::Config{};
  const double as_a_shaper = mean_delay({&add(ue(9), alone)});
  Cell& cell = make_cell({.members = 4});
  std::vector<Bearer*> users;
  for (std::uint32_t n = 2; n < 6; ++n) {
    BearerSettings settings = in_cell(constant_radio(), kTopRate);
    settings.downlink.aqm = Pie::Config{};
    users.push_back(&add(ue(n), settings, n, &cell));
  }
  const double in_a_cell = mean_delay(users);
  EXPECT_NEAR(in_a_cell / as_a_shaper, 1, 0.3) << in_a_cell << " s; by the cap it would be four times that";
  EXPECT_NEAR(static_cast<double>(users[0]->downlink.buffer().rate()), kTopRate / 4.0, kTopRate / 20.0);
  EXPECT_EQ(users[0]->downlink.rate(), kTopRate) << "what is configured stays";
}

using CellRate = CellBench;

TEST_F(CellRate, IsWhatSlotsServeAndHeldWhileTheBearerIsIdle) {
  Cell& cell = make_cell({.members = 2});
  Bearer& bearer = join(cell, 2, constant_radio(1'200'000));
  offer(2, 20);
  wait(500 * kMs);
  ASSERT_EQ(bearer.downlink.buffer().sdus(), 0u);
  const auto rate = [&] { return static_cast<double>(bearer.downlink.buffer().rate()); };
  EXPECT_NEAR(rate(), 1.2e6, 0.05e6);
  for (int i = 0; i < 5; ++i) {
    wait(10'000 * kMs);
    offer(2, 1);
    settle();
    EXPECT_NEAR(rate(), 1.2e6, 0.15e6) << "the mean of the scheduler has decayed to nothing";
    EXPECT_LT(cell.mean(*bearer.downlink.member()), 0.05e6);
  }
}

TEST_F(CellRate, IsThePartOfTheSlotsThatABearerGetsBesideOthers) {
  Cell& cell = make_cell({.members = 3});
  Bearer& bearer = join(cell, 2);
  join(cell, 3);
  offer(2, 2000);
  offer(3, 2000);
  wait(2'000 * kMs);
  EXPECT_NEAR(static_cast<double>(bearer.downlink.buffer().rate()), kTopRate / 2.0, kTopRate * 0.02);
}

TEST_F(CellRate, StaysWhatItWasWhenTheLegsRateChangesButNeverAboveIt) {
  Cell& cell = make_cell({.members = 1});
  Bearer& bearer = join(cell, 2, constant_radio(1'200'000));
  offer(2, 20);
  wait(500 * kMs);
  const std::uint64_t before = bearer.downlink.buffer().rate();
  const BearerSettings was = in_cell(constant_radio(1'200'000));
  for (const std::uint64_t rate : {std::uint64_t{50'000'000}, std::uint64_t{600'000}}) {
    change(bearer, was, in_cell(constant_radio(1'200'000), rate));
    EXPECT_EQ(bearer.downlink.buffer().rate(), std::min(rate, before));
  }
}

}  // namespace
}  // namespace dp::test
