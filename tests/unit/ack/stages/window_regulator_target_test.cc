// The window by a target: whole segments, what flows share, and which flows they are. Segments of 1000 bytes
// take the downlink 10 ms each.
#include "tests/unit/ack/stages/window_bench.h"

namespace dp::test {
namespace {

class WindowTargetTest : public WindowRegulatorTest {
 protected:
  static WindowRegulator::Config target(Duration time, std::uint32_t segments = 0) {
    WindowRegulator::Config config = form(Form::static_);
    config.target = time;
    config.segments = segments;
    return config;
  }
  static WindowRegulator::Config by_the_pipe(Duration time) {
    WindowRegulator::Config config = target(time);
    config.form = Form::dynamic;
    return config;
  }
  // Both SYNs; the UE's offers 64 kB. Returns the window that the source receives.
  std::uint32_t connect(bool by_ue = true) {
    advertised();
    if (!by_ue) down({.seq = 0, .tcp_flags = 2, .tcp_options = syn_options(0), .payload = 0});
    up({.seq = 100,
        .ack = by_ue ? 0u : 1u,
        .tcp_flags = static_cast<std::uint8_t>(by_ue ? 2 : 0x12),
        .window = 65'535,
        .tcp_options = syn_options(0),
        .payload = 0});
    wait(100ms);
    down({.seq = by_ue ? 0u : 1u,
          .ack = 101,
          .tcp_flags = static_cast<std::uint8_t>(by_ue ? 0x12 : 0x10),
          .tcp_options = by_ue ? syn_options(0) : Buffer{},
          .payload = 0});
    wait(1ms);
    const Windows all = advertised();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? 0 : all[0].window;
  }
  // The window that comes with an ACK of `segments` segments.
  std::uint32_t window_at(std::uint32_t segments) {
    advertised();
    ack(1 + 1'000 * segments);
    return advertised().at(0).window;
  }
};

TEST_F(WindowTargetTest, SynOfTheUeOffersTwoSegmentsAndItsFirstAckTheWindow) {
  add(kUe, with(target(60ms)));
  EXPECT_EQ(connect(), 2'000u);
  EXPECT_EQ(window_at(0), 16'000u);
  EXPECT_EQ(counted(AckEvent::edited), 2u);
}

TEST_F(WindowTargetTest, SynWithASmallerWindowKeepsIt) {
  add(kUe, with(target(60ms)));
  up({.seq = 100, .ack = 0, .tcp_flags = 2, .window = 700, .tcp_options = syn_options(0)});
  EXPECT_EQ(advertised().at(0).window, 700u);
}

TEST_F(WindowTargetTest, SynIsLeftAloneWithoutATargetAndWhereTheSourceConnects) {
  add(kUe, with(form(Form::static_)));
  EXPECT_EQ(connect(), 65'535u);
  port = 40'001;
  add(ue_ipv4(0x0a2d0003), with(target(60ms)));
  EXPECT_EQ(connect(false), 65'535u) << "the source may send upon the SYN-ACK";
}

TEST_F(WindowTargetTest, WindowsAreWholeSegmentsWhatIsLeftCountsAtTheNextAck) {
  add(kUe, with(target(15ms)));
  open(0, 10ms);
  data(0, 8);
  wait(100ms);
  std::vector<std::uint32_t> windows;
  for (std::uint32_t n = 1; n <= 6; ++n) windows.push_back(window_at(n));
  EXPECT_EQ(windows, (std::vector<std::uint32_t>{3'000, 2'000, 3'000, 2'000, 3'000, 2'000}))
      << "25 ms are two segments and a half, of which the handshake's ACK has told two";
}

TEST_F(WindowTargetTest, DuplicateAcksTakeNothingOfWhatIsLeft) {
  add(kUe, with(target(15ms)));
  open(0, 10ms);
  data(0, 8);
  wait(100ms);
  EXPECT_EQ(window_at(1), 3'000u);
  EXPECT_EQ(window_at(1), 3'000u);
  EXPECT_EQ(window_at(1), 3'000u);
  EXPECT_EQ(window_at(2), 2'000u);
  EXPECT_EQ(window_at(3), 3'000u);
}

TEST_F(WindowTargetTest, SegmentsWaitBesidesOfAllFlowsTogether) {
  add(kUe, with(target(60ms, 4)));
  open(0, 100ms);
  data(0, 5);
  wait(25ms);
  EXPECT_EQ(window_at(1), 20'000u);
  port = 40'001;
  open(0, 100ms);
  data(0, 5);
  wait(45ms);
  EXPECT_EQ(window_at(1), 10'000u);
}

TEST_F(WindowTargetTest, FlowCountsFromItsFirstAckOn) {
  add(kUe, with(target(60ms)));
  connect();
  ack(1);
  port = 40'001;
  connect();
  EXPECT_EQ(window_at(0), 8'000u) << "the other's data are on their way";
}

TEST_F(WindowTargetTest, FlowThatGetsNoDataCountsForTwoRoundTripsOnly) {
  add(kUe, with(target(60ms)));
  connect();
  ack(1);
  for (int i = 0; i < 4; ++i) {
    wait(100ms);
    ack(1, 65'535, 10);  // it uploads
  }
  port = 40'001;
  connect();
  EXPECT_EQ(window_at(0), 16'000u);
}

TEST_F(WindowTargetTest, FlowWhoseDataAreAllAcknowledgedCountsForTwoRoundTrips) {
  add(kUe, with(target(60ms)));
  open(0, 100ms);
  const std::uint16_t first = port;
  data(0, 2);
  port = 40'001;
  open(0, 100ms);
  data(0, 9);
  wait(120ms);
  port = first;
  ack(2'001);
  port = 40'001;
  wait(150ms);
  EXPECT_EQ(window_at(1), 8'000u) << "more of it is on its way";
  wait(100ms);
  EXPECT_EQ(window_at(2), 16'000u);
}

// With the form `dynamic` a flow's part of the air is counted with all that is on it: else a flow whose data
// come in a clump has no window for the next one until its first ACK.
TEST_F(WindowTargetTest, WhatIsOnTheAirIsSharedAsTheRestIs) {
  add(kUe, with(by_the_pipe(60ms)));
  open(0, 100ms);
  data(0, 4);
  wait(45ms);
  port = 40'001;
  open(0, 100ms);
  data(0, 2);
  wait(25ms);
  EXPECT_EQ(window_at(1), 10'000u) << "16 segments, 4 of the other's in the pipe and its own one, for two";
  EXPECT_EQ(window_at(2), 10'000u) << "its own part of the pipe is empty, not the other's";
}

// Whose the air is matters not: what a UE acknowledges before it was sent is taken from its window.
TEST_F(WindowTargetTest, WhatIsAcknowledgedEarlyMovesTheRightEdgeNoFurther) {
  add(kUe, with(by_the_pipe(60ms)));
  open(0, 100ms);
  data(0, 4);
  wait(45ms);
  port = 40'001;
  open(0, 100ms);
  data(0, 4);
  wait(15ms);
  EXPECT_EQ(window_at(4), 8'000u)
      << "16 segments and 4 of the other's in the pipe for two; two of its own wait";
  ack(6'001);
  EXPECT_EQ(advertised(), (Windows{{6'001, 6'000}})) << "two more have not come";
}

TEST_F(WindowTargetTest, AFlowThatNothingIsHeardOfTakesItsPipeAlong) {
  add(kUe, with(by_the_pipe(60ms)));
  open(0, 100ms);
  data(0, 4);
  wait(Shares::kSilence + 100ms);
  port = 40'001;
  open(0, 100ms);
  data(0, 2);
  wait(25ms);
  EXPECT_EQ(window_at(2), 16'000u);
}

// Two flows, 30 ms of the link in all: half a segment a flow is missing to two, which is a packet's time.
class WindowPauseTest : public WindowTargetTest {
 protected:
  void SetUp() override {
    add(kUe, with(by_the_pipe(10ms)));
    open(0, 20ms);
    port = 40'001;
    open(0, 20ms);
    for (const std::uint16_t one : {40'000, 40'001}) {
      port = one;
      data(0, 2);
    }
    wait(45ms);
    port = 40'000;
    ack(2'001);
    EXPECT_EQ(advertised().size(), 1u) << "the other's two are in the pipe";
    port = 40'001;
  }
};

TEST_F(WindowPauseTest, WhatTwoSegmentsAFlowAreTooMuchWaitsAsAnAck) {
  ack(2'001);
  EXPECT_EQ(held(), 1u);
  wait(9ms);
  EXPECT_TRUE(advertised().empty());
  wait(2ms);
  EXPECT_EQ(advertised(), (Windows{{2'001, 2'000}}));
  EXPECT_EQ(held(), 0u);
}

TEST_F(WindowPauseTest, WhatWouldOvertakeItTakesItAlong) {
  ack(2'001);
  ack(2'001, 65'535, 10);
  EXPECT_EQ(advertised().size(), 2u);
  wait(100ms);
  EXPECT_TRUE(advertised().empty());
}

// It was as long as the link took at the rate of then.
TEST_F(WindowPauseTest, EndsEarlierWhenTheLinkGetsFaster) {
  ack(2'001);
  ASSERT_EQ(held(), 1u);
  const BearerSettings now = with(by_the_pipe(10ms));
  BearerSettings fast = now;
  fast.downlink.rate *= 10;
  change(*bearers.back(), now, fast);
  port = 40'000;
  data(2);
  EXPECT_EQ(held(), 0u);
  EXPECT_EQ(advertised().size(), 1u);
}

}  // namespace
}  // namespace dp::test
