#include "dataplane/sched/cell.h"

#include "tests/support/worker_bench.h"

namespace dp {
namespace {

constexpr Time start_of(std::uint64_t n) { return SlotClock::start_of(n, 600); }
constexpr std::uint64_t slot_from(Time t) { return SlotClock::slot_at(t, 600); }
static_assert(start_of(0) == time_ns(0));
static_assert(start_of(1) == time_ns(1'666'666));
static_assert(start_of(2) == time_ns(3'333'333));
static_assert(start_of(3) == time_ns(5'000'000));
static_assert(start_of(600 * 3600) == time_ns(3'600'000'000'000), "no drift in an hour");
static_assert(slot_from(time_ns(0)) == 0);
static_assert(slot_from(time_ns(1)) == 1);
static_assert(slot_from(time_ns(1'666'666)) == 1);
static_assert(slot_from(time_ns(1'666'667)) == 2);
static_assert(slot_from(time_ns(5'000'000)) == 3);

RadioConfig hdr(double snr) {
  RadioConfig radio;
  radio.snr = snr;
  return radio;
}
const RadioConfig kClear = hdr(60);  // always the highest rate
constexpr std::uint64_t kTop = 2'457'600;

class CellTest : public test::WorkerBench {
 protected:
  CellTest() { command(AddCell{&cell}); }
  static BearerSettings settings(const RadioConfig& radio = kClear, std::uint64_t rate = kTop) {
    return {.downlink = {.link = radio, .rate = rate, .buffer = {1000, 1u << 24}}};
  }
  Bearer& join(std::uint32_t n, const RadioConfig& radio = kClear, std::uint64_t rate = kTop) {
    return add(ue_ipv4(0x0a2d0000 + n), settings(radio, rate), 0, &cell);
  }
  // IP packets of 1024 bytes: two slots each at the highest rate, which carry 4096 bits.
  void offer(std::uint32_t n, int packets) {
    for (int i = 0; i < packets; ++i) {
      io.offer(Side::core, {.dst = test::Ip(("10.45.0." + std::to_string(n)).c_str()), .payload = 1024 - 40});
    }
  }
  static Time slot(std::uint64_t n) { return start_of(n); }

  Cell cell{CellSettings{.members = 8, .newcomer = CellNewcomer::paper}};
};

TEST_F(CellTest, AnSduTakesAsManySlotsAsItsBitsDoAndLeavesWhenTheLastEnds) {
  join(2);
  ASSERT_EQ(io.sent.size(), 0u);
  offer(2, 3);
  const std::uint64_t first = slot_from(clock.now());
  run_until(slot(first + 20));
  ASSERT_EQ(io.sent.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(io.sent[i].at, slot(first + 2 * (i + 1))) << i;
  EXPECT_EQ(worker->next_deadline(), kNever) << "the cell rests";
}

TEST_F(CellTest, ASlotEndsOneSduAndBeginsTheNext) {
  join(2);
  for (int i = 0; i < 4; ++i) io.offer(Side::core, {.dst = test::Ip("10.45.0.2"), .payload = 384 - 40});
  const std::uint64_t first = slot_from(clock.now());
  run_until(slot(first + 20));
  // 3072 bits each, 4096 a slot: three slots carry four.
  ASSERT_EQ(io.sent.size(), 4u);
  EXPECT_EQ(io.sent[0].at, slot(first + 1));
  EXPECT_EQ(io.sent[1].at, slot(first + 2));
  EXPECT_EQ(io.sent[2].at, slot(first + 3));
  EXPECT_EQ(io.sent[3].at, slot(first + 3));
}

TEST_F(CellTest, TheFirstSduIsInTransmissionBeforeItsSlotComes) {
  Bearer& bearer = join(2);
  offer(2, 2);
  settle();
  EXPECT_NE(bearer.downlink.buffer().in_transmission(), nullptr);
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 2u);
}

TEST_F(CellTest, BearersOfOneKindShareSlotsEvenly) {
  join(2);
  join(3);
  offer(2, 100);
  offer(3, 100);
  run_until(clock.now() + Duration{300'000'000});
  std::array<int, 2> each{};
  for (const auto& frame : io.sent) ++each[load8(frame.bytes.data() + 33) - 2];
  EXPECT_EQ(each[0] + each[1], 89);
  EXPECT_NEAR(each[0], each[1], 1);
}

TEST_F(CellTest, FadingBearersShareByJainsIndex) {
  for (std::uint32_t n = 2; n < 6; ++n) {
    join(n, RadioConfig{});
    offer(n, 900);
  }
  run_until(clock.now() + Duration{20'000'000'000});
  double sum = 0, squares = 0;
  std::array<int, 4> each{};
  for (const auto& frame : io.sent) ++each[load8(frame.bytes.data() + 33) - 2];
  for (const double n : each) {
    sum += n;
    squares += n * n;
  }
  EXPECT_GT(sum * sum / (4 * squares), 0.99);
}

TEST_F(CellTest, ABearersRateIsItsHighest) {
  join(2, kClear, 614'400);  // 1024 bits a slot: eight an SDU
  offer(2, 1);
  const std::uint64_t first = slot_from(clock.now());
  run_until(slot(first + 20));
  ASSERT_EQ(io.sent.size(), 1u);
  EXPECT_EQ(io.sent[0].at, slot(first + 8));
}

TEST_F(CellTest, WhoseSlotsWouldCarryNothingIsGivenNone) {
  join(2, hdr(-30));
  join(3);
  offer(2, 2);
  offer(3, 2);
  const std::uint64_t first = slot_from(clock.now());
  run_until(slot(first + 1000));
  ASSERT_EQ(io.sent.size(), 2u);
  EXPECT_EQ(io.sent[1].at, slot(first + 4)) << "as if alone";
  EXPECT_EQ(load8(io.sent[1].bytes.data() + 33), 3);
  EXPECT_EQ(worker->next_deadline(), slot(first + 1001)) << "its next slot may carry something";
}

TEST_F(CellTest, SlotsThatWereBlockedComeLater) {
  join(2);
  join(3);
  offer(2, 2);
  offer(3, 2);
  const std::uint64_t first = slot_from(clock.now());
  run_until(slot(first + 3));
  const std::size_t before = io.sent.size();
  command(SetMode{Mode::block});
  const Duration pause{777'777'777};
  run_until(clock.now() + pause);
  EXPECT_EQ(io.sent.size(), before);
  command(SetMode{Mode::inline_});
  run_until(clock.now() + Duration{50'000'000});
  ASSERT_EQ(io.sent.size(), 4u);
  EXPECT_EQ(io.sent[3].at, slot(first + 8) + pause);
}

TEST_F(CellTest, WhoLeavesAFlushHasNoSlotLeft) {
  Bearer& bearer = join(2);
  offer(2, 5);
  run_until(clock.now() + Duration{3'000'000});
  command(SetMode{Mode::bypass});
  EXPECT_EQ(io.sent.size(), 5u);
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 0u);
  EXPECT_EQ(worker->context().timers.size(), 0u);
  command(SetMode{Mode::inline_});
  offer(2, 1);
  const std::uint64_t first = slot_from(clock.now());
  run_until(slot(first + 5));
  ASSERT_EQ(io.sent.size(), 6u);
  EXPECT_EQ(io.sent[5].at, slot(first + 2)) << "the whole SDU, and none of a slot from before";
}

TEST_F(CellTest, WithoutACellNothingLeavesButByFlush) {
  const BearerSettings s{.downlink = {.link = kClear, .rate = kTop}};
  add(ue_ipv4(0x0a2d0002), s);
  offer(2, 2);
  run_until(clock.now() + Duration{1'000'000'000});
  EXPECT_EQ(io.sent.size(), 0u);
  command(SetMode{Mode::bypass});
  EXPECT_EQ(io.sent.size(), 2u);
}

TEST_F(CellTest, HasRoomForAsManyAsItWasMadeForAndIsClosedOnlyWhenEmpty) {
  Cell small(CellSettings{.members = 1});
  command(AddCell{&small});
  CellMember one(kClear, 0), two(kClear, 1);
  EXPECT_TRUE(small.admit(one));
  EXPECT_FALSE(small.admit(two));
  EXPECT_EQ(two.cell(), nullptr);
  EXPECT_EQ(command(RemoveCell{&small}).status, CommandStatus::in_use);
  small.release();
  EXPECT_EQ(command(RemoveCell{&small}).cell, &small);
  EXPECT_FALSE(small.admit(two)) << "it is closed";
}

}  // namespace
}  // namespace dp
