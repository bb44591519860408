#include "tests/unit/ack/stages/window_bench.h"

namespace dp::test {
namespace {

TEST_F(WindowRegulatorTest, AutoBufferIsTheLimitLessWhatIsInTransmission) {
  add(kUe, with(form(Form::static_, 0), 12));
  open();
  data(0, 10);
  at(35ms);
  acks(0, 1);
  EXPECT_EQ(advertised(), (Windows{{1'001, 11'000}}));
}

TEST_F(WindowRegulatorTest, AutoBufferKeepsTheQueueFullAndOverflowsNothing) {
  Bearer& bearer = add(kUe, with(form(Form::dynamic, 0), 6));
  open();
  std::uint32_t next = 0, acked = 0;
  data(next, 2);
  for (next = 2; next < 200;) {
    wait(10ms);
    ack(1'001 + 1'000 * acked++);
    for (std::uint32_t edge = edges().back(); 1 + 1'000 * (next + 1) <= edge; ++next) data(next);
    if (acked > 10) {
      ASSERT_EQ(bearer.downlink.buffer().sdus(), 6u);
    }
  }
  EXPECT_EQ(bearer.downlink.buffer().dropped_sdus(), 0u);
}

TEST_F(WindowRegulatorTest, AutoBufferIsDividedByTheFlowsThatHaveDataOutstanding) {
  add(kUe, with(form(Form::static_, 0), 13));
  port = 40'001;
  open();
  port = 40'002;
  open();  // has no data
  port = 40'001;
  data(0, 10);
  port = 40'000;
  open();
  data(0, 1);
  wait(120ms);
  ack(1'001);
  EXPECT_EQ(advertised(), (Windows{{1'001, 6'500}})) << "of thirteen places, none in transmission";
  port = 40'001;
  ack(10'001);
  port = 40'000;
  data(1, 1);
  wait(5ms);
  ack(2'001);
  EXPECT_EQ(advertised().back(), (Advertised{2'001, 12'000})) << "alone, one in transmission";
}

TEST_F(WindowRegulatorTest, FlowThatFallsSilentWithDataOutstandingHasNoShare) {
  add(kUe, with(form(Form::static_, 0), 13));
  open();
  data(0, 1);
  wait(20ms);
  port = 40'001;
  open();
  data(0, 2);
  wait(15ms);
  ack(1'001);
  EXPECT_EQ(advertised(), (Windows{{1'001, 6'000}}));
  for (int i = 0; i < 5; ++i) {
    wait(1s);
    data(2 + i, 2);
  }
  wait(15ms);
  ack(2'001);
  EXPECT_EQ(advertised(), (Windows{{2'001, 12'000}}));
}

TEST_F(WindowRegulatorTest, SynsOfTheSourcesTakeNoShare) {
  add(kUe, with(form(Form::static_, 0), 40));
  open();
  data(0, 10);
  for (port = 1; port <= 20; ++port) down({.seq = 0, .tcp_flags = 2, .payload = 0});
  port = 40'000;
  at(35ms);
  acks(0, 1);
  EXPECT_EQ(advertised(), (Windows{{1'001, 37'000}}));
}

TEST_F(WindowRegulatorTest, SparePlacesAreLeftToSegmentsThatAreNotFull) {
  WindowRegulator::Config none = form(Form::static_, 0), many = none;
  none.spare = 0;
  many.spare = 9;
  const std::vector<std::pair<WindowRegulator::Config, std::uint32_t>> cases{
      {none, 47'000}, {form(Form::static_, 0), 44'000}, {many, 44'000}};
  for (const auto& [config, window] : cases) {
    Bearer& bearer = add(kUe, with(config, 48));
    ++port;
    open();
    data(0, 10);
    wait(15ms);
    ack(1'001);
    EXPECT_EQ(advertised(), (Windows{{1'001, window}}));
    command(RemoveBearer{&bearer});
  }
}

TEST_F(WindowRegulatorTest, ShareIsNeverBelowTwoSegments) {
  add(kUe, with(form(Form::static_, 0), 2));
  open();
  data(0, 2);
  at(5ms);
  ack(1'001);
  EXPECT_EQ(advertised(), (Windows{{1'001, 2'000}}));
}

TEST_F(WindowRegulatorTest, TargetFillsTheWiredPathAndQueuesForSoLong) {
  WindowRegulator::Config config = form(Form::dynamic);
  config.target = 60ms;
  add(kUe, with(config));
  open(0, 100ms);
  data(0, 10);
  at(35ms);
  acks(0, 1);
  EXPECT_EQ(advertised(), (Windows{{1'001, 3'000 + 16'000}})) << "160 ms are 16 packets of 1040 bytes";
}

TEST_F(WindowRegulatorTest, TargetIsDividedByTheFlowsThatHaveDataOutstanding) {
  WindowRegulator::Config config = form(Form::static_);
  config.target = 60ms;
  add(kUe, with(config));
  open(0, 100ms);
  data(0, 5);
  port = 40'001;
  open(0, 100ms);
  data(0, 5);
  wait(25ms);
  ack(1'001);
  EXPECT_EQ(advertised(), (Windows{{1'001, 16'000 / 2}}));
}

TEST_F(WindowRegulatorTest, TargetFollowsTheRate) {
  WindowRegulator::Config config = form(Form::static_);
  config.target = 60ms;
  BearerSettings now = with(config), slow = now, fast = now;
  Bearer& bearer = add(kUe, now);
  open(0, 100ms);
  slow.downlink.rate = 83'200;
  fast.downlink.rate = 1'664'000;
  change(bearer, now, fast);
  data(0, 5);
  wait(15ms);
  ack(1'001);
  EXPECT_EQ(advertised(), (Windows{{1'001, 32'000}}));
  change(bearer, fast, slow);
  wait(500ms);
  ack(5'001);
  EXPECT_EQ(advertised(), (Windows{{5'001, 32'000 - 4'000}})) << "what was told is not taken back";
  data(5, 30);
  wait(15s);
  ack(35'001);
  EXPECT_EQ(advertised(), (Windows{{35'001, 2'000}})) << "two segments: 1600 bytes are less";
}

}  // namespace
}  // namespace dp::test
