// Bearers come into a cell (dataplane/sched), leave it and move on while it runs.
#include "tests/unit/sched/cell_bench.h"

namespace dp::test {
namespace {

using CellLife = CellBench;

TEST_F(CellLife, WhoIsRemovedGivesPlaceAndRoomBackAndTheOthersGoOn) {
  Cell& cell = make_cell({.members = 2});
  Bearer& first = join(cell, 2);
  Bearer& second = join(cell, 3);
  EXPECT_FALSE(cell.reserve());
  offer(2, 100);
  offer(3, 100);
  wait(20 * kMs);
  EXPECT_EQ(command(RemoveBearer{&first}).bearer, &first);
  EXPECT_EQ(cell.reserved(), 1u);
  EXPECT_EQ(first.downlink.member()->cell(), nullptr);
  const std::uint64_t before = slots_of(second);
  wait(100 * kMs);
  EXPECT_NEAR(static_cast<double>(slots_of(second) - before), 60, 1) << "all slots are the second's now";
  join(cell, 4);
  EXPECT_EQ(cell.reserved(), 2u);
}

// The first index was once the one that counted a pause.
TEST_F(CellLife, ACellStandsStillOnceAlsoWhenItsFirstBearerHasLeft) {
  Cell& cell = make_cell({.members = 4});
  Bearer& first = join(cell, 2);
  Bearer& second = join(cell, 3);
  join(cell, 4);
  command(RemoveBearer{&first});
  offer(3, 100);
  offer(4, 100);
  wait(20 * kMs);
  const std::size_t sent = io.sent.size();
  command(SetMode{Mode::block});
  wait(1000 * kMs);
  command(SetMode{Mode::inline_});
  EXPECT_EQ(io.sent.size(), sent);
  const std::uint64_t before = slots_of(second);
  wait(100 * kMs);
  EXPECT_NEAR(static_cast<double>(slots_of(second) - before), 30, 1) << "half of those of 100 ms";
}

// 1000 bits of every slot of the one, 600 of the other; the SDU of 1200 bytes needs 9600 bits.
TEST_F(CellLife, WhatWasCarriedOfAnSduComesAlongToAnotherCell) {
  Cell& slow = make_cell({.slots = 600, .members = 4});
  Cell& fast = make_cell({.slots = 1000, .members = 4});
  Bearer& bearer = join(slow, 2, constant_radio(600'000));
  offer(2, 1, 1200);
  // Six slots of 1000 bits each have ended.
  const std::uint64_t first = SlotClock::slot_at(clock.now(), 600);
  run_until(SlotClock::start_of(first + 6, 600));
  EXPECT_EQ(slots_of(bearer), 7u) << "the seventh has begun, and is lost";
  ASSERT_TRUE(fast.reserve());
  EXPECT_EQ(command(Relocate{&bearer, &fast}).status, CommandStatus::done);
  EXPECT_EQ(slow.reserved(), 0u);
  EXPECT_EQ(fast.reserved(), 1u);
  // 3600 bits are left: six slots of 600.
  const std::uint64_t next = SlotClock::slot_at(clock.now(), 1000);
  run_until(SlotClock::start_of(next + 6, 1000) - Duration{1});
  EXPECT_EQ(io.sent.size(), 0u);
  run_until(SlotClock::start_of(next + 6, 1000));
  EXPECT_EQ(io.sent.size(), 1u);
}

TEST_F(CellLife, WhoseLinkIsNoLongerTheCellSendsWhatWaitsAndGivesTheRoomBack) {
  Cell& cell = make_cell({.members = 1});
  Bearer& bearer = join(cell, 2);
  offer(2, 50);
  wait(10 * kMs);
  const BearerSettings was = in_cell(), shaped = bearer_at(8'000'000);
  const Answer answer = change(bearer, was, shaped);
  EXPECT_EQ(answer.parts.of<MemberKind>(), bearers.back().parts.of<MemberPart>().get())
      << "it is control's again";
  EXPECT_EQ(cell.reserved(), 0u);
  EXPECT_EQ(io.sent.size(), 50u);
  offer(2, 10);
  wait(100 * kMs);
  EXPECT_EQ(io.sent.size(), 60u);
  // And back into it.
  fresh.push_back(prepare_change(shaped, was, 0, 0));
  ASSERT_TRUE(cell.admit(*fresh.back().of<MemberPart>()));
  EXPECT_EQ(command(Reconfigure{&bearer, &was, fresh.back().get()}).parts.of<MemberKind>(), nullptr);
  offer(2, 10);
  wait(100 * kMs);
  EXPECT_EQ(io.sent.size(), 70u);
  EXPECT_EQ(cell.reserved(), 1u);
}

TEST_F(CellLife, AnotherRadioIsUsedInTheSamePlaceAndTheOldOneGoesHome) {
  Cell& cell = make_cell({.members = 1});
  Bearer& bearer = join(cell, 2, constant_radio(600'000));
  offer(2, 200, 1200);
  wait(160 * kMs);
  const std::size_t slow = io.sent.size();
  const BearerSettings was = in_cell(constant_radio(600'000)), faster = in_cell(constant_radio(6'000'000));
  const Answer answer = change(bearer, was, faster);
  EXPECT_EQ(answer.parts.of<MemberKind>(), fresh.back().of<MemberPart>().get());
  EXPECT_EQ(answer.parts.of<MemberKind>()->cell(), nullptr);
  wait(160 * kMs);
  EXPECT_NEAR(static_cast<double>(io.sent.size() - slow), 10.0 * static_cast<double>(slow), 12);
  EXPECT_EQ(cell.reserved(), 1u);
}

TEST_F(CellLife, AUeIsLearntIntoTheCellOfItsRuleWhileThereIsRoom) {
  Cell& cell = make_cell({.members = 1});
  for (int i = 0; i < 2; ++i) {
    bearers.push_back(prepare_bearer(in_cell()));
    command(PoolBearer{bearers.back().get()});
  }
  const LearnRules rules{{*parse_prefix("10.45.0.0/16"), 0, LearnFrom::both, false, &cell}};
  command(SetLearnRules{&rules});
  offer(2, 3);
  wait(100 * kMs);
  EXPECT_EQ(worker->table().learnt(), 1u);
  EXPECT_EQ(io.sent.size(), 3u);
  EXPECT_GT(cell.counters().slots_long.get(), 0u);
  offer(3, 2);
  wait(10 * kMs);
  EXPECT_EQ(worker->table().learnt(), 1u);
  EXPECT_EQ(passed(PassReason::cell_full), 2u);
  EXPECT_EQ(cell.counters().refused.load(), 2u);
  command(SetUnknown{Unknown::drop});
  offer(3, 2);
  wait(10 * kMs);
  EXPECT_EQ(dropped(DropReason::cell_full), 2u);
  command(RemoveBearer{worker->table().all().front()});
  EXPECT_EQ(cell.reserved(), 0u);
  offer(3, 2);
  wait(100 * kMs);
  EXPECT_EQ(worker->table().learnt(), 2u) << "there is room again";
  command(SetLearnRules{nullptr});
}

TEST_F(CellLife, ALinkThatIsNoCellIsNotRelocatedAndTheRoomIsFree) {
  Cell& cell = make_cell({.members = 1});
  Bearer& bearer = add(ue(2), bearer_at(1'000'000));
  ASSERT_TRUE(cell.reserve());
  EXPECT_EQ(command(Relocate{&bearer, &cell}).status, CommandStatus::in_use);
  EXPECT_EQ(cell.reserved(), 0u);
}

TEST_F(CellLife, ABearerWithoutARoomKeepsWhatComesUntilItHasOne) {
  Cell& cell = make_cell({.members = 1});
  Bearer& bearer = add(ue(2), in_cell());
  offer(2, 4);
  wait(100 * kMs);
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 4u);
  ASSERT_TRUE(cell.reserve());
  command(Relocate{&bearer, &cell});
  wait(100 * kMs);
  EXPECT_EQ(io.sent.size(), 4u);
}

TEST_F(CellLife, AnIdleCellArmsNothing) {
  Cell& cell = make_cell({.members = 4});
  join(cell, 2);
  offer(2, 3);
  wait(100 * kMs);
  EXPECT_EQ(io.sent.size(), 3u);
  EXPECT_EQ(worker->context().timers.size(), 0u);
  EXPECT_EQ(worker->next_deadline(), kNever);
}

// Each poll of a worker that is late catches up in order, but with no more than kLatest.
TEST_F(CellLife, AWorkerThatWasLateCatchesUpWithATenthOfASecondAtMost) {
  Cell& cell = make_cell({.members = 1});
  join(cell, 2);
  offer(2, 2000);
  settle();
  clock.set(clock.now() + 50 * kMs);
  settle();
  EXPECT_NEAR(static_cast<double>(io.sent.size()), 15, 1) << "30 slots";
  const std::size_t before = io.sent.size();
  clock.set(clock.now() + 3000 * kMs);
  settle();
  EXPECT_NEAR(static_cast<double>(io.sent.size() - before), 30, 2) << "60 slots";
  EXPECT_NEAR(static_cast<double>(cell.counters().slots_nobody.get()), 1740, 2);
}

}  // namespace
}  // namespace dp::test
