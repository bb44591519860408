// ACK rate control with a constant, Fig. 3 of 000 to the letter, what is not an ordinary ACK, and changes in
// mid-flight.
#include "tests/unit/ack/stages/ack_rate_bench.h"

namespace dp::test {
namespace {

constexpr AckRate::Config kLinear{.maxd = milliseconds{500}, .maxth = {40}};

AckRate::Config constant(AckRate::Mode mode) {
  return {.mode = mode, .maxd = milliseconds{100}, .minth = {10}};
}
AckRate::Config literal() {
  AckRate::Config config = kLinear;
  config.literal = true;
  return config;
}

using AckRateModeTest = AckRateBench;

TEST_F(AckRateModeTest, SpacingKeepsTheSameDistanceFromMinthOn) {
  make(constant(Mode::spacing));
  bo(10);
  acks(1, 3);
  at(150);
  bo(40);
  at(250);
  EXPECT_EQ(left(), (Lefts{{0, 1}, {100, 2}, {200, 3}}));
  acks(4, 6);
  bo(9);
  EXPECT_EQ(left(), (Lefts{{250, 4}, {250, 5}, {250, 6}}));
}

TEST_F(AckRateModeTest, HoldKeepsEachAckForTheSameTime) {
  make(constant(Mode::hold));
  at(1000);
  bo(10);
  ack(1);
  at(1030);
  acks(2, 3);
  at(2000);
  EXPECT_EQ(left(), (Lefts{{1100, 1}, {1130, 2}, {1130, 3}}));
  ack(4);
  at(2050);
  bo(9);
  EXPECT_EQ(left(), (Lefts{{2050, 4}}));
  ack(5);
  EXPECT_EQ(left(), (Lefts{{2050, 5}})) << "below minth none is held";
}

TEST_F(AckRateModeTest, HoldCountsFromWhenTheAckCameWhateverTimeItsFrameBears) {
  make(constant(Mode::hold));
  bo(10);
  context.now += milliseconds{70};  // crossed a link since it arrived
  ack(1);
  at(169);
  EXPECT_EQ(held(), 1u);
  at(170);
  EXPECT_EQ(left(), (Lefts{{170, 1}}));
}

TEST_F(AckRateModeTest, LiteralLetsATimerRunWhateverTheOccupancyAndTheCounterDo) {
  make(literal());
  bo(40);
  acks(1, 2);
  at(100);
  bo(0);
  counter(60'000);
  at(499);
  EXPECT_EQ(left(), (Lefts{{0, 1}}));
  at(500);
  EXPECT_EQ(left(), (Lefts{{500, 2}}));
}

// With two waiting at t_id = 0 the timer's end sends the first, delay_and_send the second, and nothing runs.
TEST_F(AckRateModeTest, LiteralStrandsAcksOnceNoDelayIsDue) {
  make(literal());
  bo(40);
  acks(1, 5);
  bo(0);
  at(10'000);
  EXPECT_EQ(left(), (Lefts{{0, 1}, {500, 2}, {500, 3}}));
  EXPECT_EQ(held(), 2u) << "stranded";
  EXPECT_EQ(context.timers.next_deadline(), kNever);
  ack(6);
  EXPECT_EQ(left(), (Lefts{{10'000, 4}})) << "one goes for one that comes";
  EXPECT_EQ(held(), 2u);
}

TEST_F(AckRateModeTest, LiteralStrandsNoneWhileTheOccupancyStays) {
  make(literal());
  bo(8);
  acks(1, 4);
  at(1000);
  EXPECT_EQ(left(), (Lefts{{0, 1}, {100, 2}, {200, 3}, {300, 4}}));
}

TEST_F(AckRateModeTest, StrandedAcksGoWithTheirFlowsNextDataAndWithAChangeOfTheParameter) {
  make(literal());
  bo(40);
  acks(1, 5);
  ack(9, {.sport = kOther});
  bo(0);
  at(1000);
  left();
  ack(5, {.payload = 10});
  EXPECT_EQ(left(), (Lefts{{1000, 4}, {1000, 5}, {1000, 5}}));
  EXPECT_EQ(held(), 1u) << "the other flow's";
  change(kLinear);
  at(1001);
  EXPECT_EQ(left(), (Lefts{{1000, 9}}));
}

FrameSpec sack_of(std::uint32_t from) {
  FrameSpec spec;
  spec.tcp_options = bytes({1, 1, 5, 10});
  detail::put32(spec.tcp_options, 1 + 100 * from);
  detail::put32(spec.tcp_options, 101 + 100 * from);
  return spec;
}

TEST_F(AckRateModeTest, DuplicatesWaitLikeOthersOrPassAsTheSettingSays) {
  make(kLinear);
  bo(8);
  acks(1, 2);
  ack(2), ack(2), ack(2, sack_of(5));
  EXPECT_EQ(left(), (Lefts{{0, 1}}));
  EXPECT_EQ(held(), 4u);
  at(1000);
  EXPECT_EQ(left(), (Lefts{{100, 2}, {200, 2}, {300, 2}, {400, 2}}));
}

TEST_F(AckRateModeTest, NewsThatPassTakeAlongWhatWaitsOfTheirFlowAlone) {
  AckRate::Config config = kLinear;
  config.duplicates = News::pass;
  make(config);
  bo(8);
  acks(1, 3);
  ack(7, {.sport = kOther});
  left();
  ack(3);
  EXPECT_EQ(left(), (Lefts{{0, 2}, {0, 3}, {0, 3}})) << "a duplicate";
  ack(4), ack(4, sack_of(6));
  EXPECT_EQ(left(), (Lefts{{0, 4}, {0, 4}})) << "a SACK";
  ack(5), ack(6, {.tcp_flags = TcpView::kAck | TcpView::kEce});
  EXPECT_EQ(left(), (Lefts{{0, 5}, {0, 6}})) << "an ECE";
  EXPECT_EQ(held(), 1u);
  at(1000);
  EXPECT_EQ(left(), (Lefts{{100, 7}}));
}

TEST_F(AckRateModeTest, WindowUpdatesAndOldAcksWaitInTheirPlace) {
  AckRate::Config config = kLinear;
  config.duplicates = News::pass;
  make(config);
  bo(8);
  acks(1, 2);
  ack(2, {.window = 1000}), ack(1);
  at(1000);
  EXPECT_EQ(left(), (Lefts{{0, 1}, {100, 2}, {200, 2}, {300, 1}}));
}

TEST_F(AckRateModeTest, DataFinsAndResetsAreNeverHeldAndLeaveBehindWhatWaits) {
  for (const std::uint8_t flags : {TcpView::kAck, TcpView::kFin, TcpView::kRst}) {
    make(kLinear);
    bo(8);
    acks(1, 3);
    left();
    ack(3, {.tcp_flags = static_cast<std::uint8_t>(flags | TcpView::kAck), .payload = 10});
    EXPECT_EQ(left(), (Lefts{{0, 2}, {0, 3}, {0, 3}})) << int{flags};
    chain->send_all(context);
  }
}

TEST_F(AckRateModeTest, OtherParametersHoldAtOnceForWhatWaits) {
  make(kLinear);
  bo(40);
  acks(1, 4);
  at(100);
  left();
  AckRate::Config quicker = kLinear;
  quicker.maxd = milliseconds{150};
  change(quicker);
  at(300);
  EXPECT_EQ(left(), (Lefts{{150, 2}, {300, 3}}));
  change(constant(Mode::hold));
  at(301);
  EXPECT_EQ(left(), (Lefts{{300, 4}})) << "here for more than 100 ms";
}

TEST_F(AckRateModeTest, ATtiThatComesOrGoesDoesNotLeaveAnyBehind) {
  make(kLinear);
  bo(40);
  acks(1, 4);
  AckRate::Config slotted = kLinear;
  slotted.tti = milliseconds{10};
  change(slotted);
  at(5);
  bo(0);
  at(495);
  EXPECT_EQ(left(), (Lefts{{0, 1}, {10, 2}, {20, 3}, {30, 4}}));
  bo(40);
  acks(5, 7);
  at(503);
  change(kLinear);
  bo(0);
  EXPECT_EQ(left(), (Lefts{{503, 5}, {503, 6}, {503, 7}}));
}

TEST_F(AckRateModeTest, WhileTimeStandsStillNothingIsWaited) {
  for (const AckRate::Config& config : {kLinear, literal(), constant(Mode::spacing), constant(Mode::hold)}) {
    context.now = Time{};
    make(config);
    bo(config.mode == Mode::formula ? 8 : 40);  // 100 ms in any case
    ack(1);
    at(200), left();
    acks(2, 3);
    at(240);
    const std::size_t before = left().size();
    context.now += milliseconds{1000};
    chain->postpone(milliseconds{1000}, context);
    at(1250);
    chain->on_buffer(buffer, context);
    at(1299);
    EXPECT_EQ(left().size(), 0u) << "mode " << static_cast<int>(config.mode);
    at(1300);
    EXPECT_EQ(left().size() + before, 2u) << "mode " << static_cast<int>(config.mode);
    chain->send_all(context);
    left();
  }
}

TEST_F(AckRateModeTest, AfterAFlushItBeginsAnew) {
  make(kLinear);
  bo(40);
  acks(1, 3);
  at(10);
  chain->send_all(context);
  bo(40);
  left();
  ack(4);
  EXPECT_EQ(left(), (Lefts{{10, 4}}));
}

TEST_F(AckRateModeTest, WithoutRoomInThePoolAcksPassInOrder) {
  make(kLinear);
  bo(8);
  acks(1, 3);
  context.mbuf_cap = 2;
  ack(4);
  EXPECT_EQ(left(), (Lefts{{0, 1}, {0, 2}, {0, 3}, {0, 4}}));
  context.mbuf_cap = ~std::uint64_t{0};
  ack(5);
  at(100);
  EXPECT_EQ(left(), (Lefts{{100, 5}}));
}

}  // namespace
}  // namespace dp::test
