#include "tests/unit/ack/stages/window_bench.h"

namespace dp::test {
namespace {

TEST_F(WindowRegulatorTest, AckThatWouldTakeWindowBackIsStoredAndLeavesWithTheNextDequeue) {
  add(kUe, with(form(Form::ack_buffer)));
  open();
  data(0, 20);
  at(55ms);  // six have started
  acks(0, 3);
  EXPECT_EQ(advertised(), (Windows{{1'001, 10'000}}));
  EXPECT_EQ(held(), 2u);
  at(61ms);
  EXPECT_EQ(advertised(), (Windows{{2'001, 10'000}}));
  at(71ms);
  EXPECT_EQ(advertised(), (Windows{{3'001, 10'000}}));
  EXPECT_EQ(held(), 0u);
}

// Pitfall 1: B_a is what is stored once the ACK is taken.
TEST_F(WindowRegulatorTest, StoredAckDoesNotCountItselfSoThatEveryEdgeIsTheBufferBeyondTheDequeued) {
  add(kUe, with(form(Form::ack_buffer)));
  open();
  data(0, 30);
  for (int i = 1; i <= 20; ++i) {
    at(10ms * i + 5ms);
    acks(3 * static_cast<std::uint32_t>(i - 1) / 4, i % 2 == 0 ? 2 : 1);
    for (const std::uint32_t edge : edges())
      ASSERT_LE(edge, 1'001u + 1'000u * static_cast<unsigned>(i) + 5'000u);
  }
  EXPECT_EQ(counted(AckEvent::overflowed), 0u);
  EXPECT_GT(counted(AckEvent::held), 3u);
}

// Twelve segments of which ten have started; eight ACKs are stored.
class EmptyingTest : public WindowRegulatorTest {
 protected:
  void store(Duration idle = 5ms) {
    WindowRegulator::Config config = form(Form::ack_buffer);
    config.idle = idle;
    add(kUe, with(config));
    open();
    data(0, 12);
    at(95ms);
    acks(0, 9);
    EXPECT_EQ(advertised(), (Windows{{1'001, 14'000}}));
    EXPECT_EQ(held(), 8u);
    at(105ms);
    EXPECT_EQ(advertised(), (Windows{{2'001, 14'000}})) << "one waits still";
  }
};

// Pitfall 2: without the release a loss in the wires would leave the source without ACKs.
TEST_F(EmptyingTest, QueueThatIsEmptyLetsTwoFourAndEightGo) {
  store();
  at(111ms);
  EXPECT_EQ(advertised(), (Windows{{3'001, 14'000}, {4'001, 13'000}}));
  at(115ms);
  ack(10'001);
  EXPECT_EQ(advertised(), (Windows{{5'001, 12'000}, {6'001, 11'000}, {7'001, 10'000}, {8'001, 9'000}}));
  EXPECT_EQ(held(), 2u);
  at(118ms);
  ack(11'001);
  EXPECT_EQ(advertised(), (Windows{{9'001, 8'000}, {10'001, 7'000}, {11'001, 6'000}}));
  EXPECT_EQ(held(), 0u);
}

TEST_F(EmptyingTest, QueueThatFillsAgainBeginsAnewWithTwo) {
  store();
  at(111ms);
  EXPECT_EQ(advertised().size(), 2u);
  data(12, 2);
  at(121ms);  // one started, one waits
  EXPECT_EQ(advertised().size(), 1u);
  at(131ms);
  EXPECT_EQ(advertised().size(), 2u);
}

TEST_F(EmptyingTest, EverythingLeavesOnceQueueAndPipeAreEmpty) {
  store();
  at(121ms);
  advertised();
  ack(12'001);
  const Windows last = advertised();
  EXPECT_EQ(last.size(), 6u);
  EXPECT_EQ(last.back(), (Advertised{12'001, 5'000}));
  EXPECT_EQ(held(), 0u);
}

// Pitfall 3: a window computed anew leaves the right edge where it is.
TEST_F(EmptyingTest, ReleaseMovesTheEdgeOnlyAfterTheLinkWasIdleForAWhile) {
  store();
  at(111ms);
  EXPECT_EQ(edges(), (Edges{17'001, 17'001}));
  at(124'900us);  // idle since 120 ms
  ack(10'001);
  EXPECT_EQ(edges(), (Edges{17'001, 17'001, 17'001, 17'001}));
  at(125'100us);
  ack(11'001);
  EXPECT_EQ(advertised(), (Windows{{9'001, 9'000}, {10'001, 9'000}, {11'001, 9'000}}));
}

TEST_F(EmptyingTest, ReleaseNeverMovesTheEdgeWhenIdleIsZero) {
  store(0ms);
  at(200ms);
  advertised();
  ack(10'001);
  ack(11'001);
  for (const std::uint32_t edge : edges()) EXPECT_EQ(edge, 17'001u);
}

// Pitfall 4: ahead of what is stored a duplicate would acknowledge it all.
TEST_F(WindowRegulatorTest, DuplicateSendsWhatIsStoredFirst) {
  add(kUe, with(form(Form::ack_buffer)));
  open();
  data(0, 20);
  at(55ms);
  acks(0, 5);
  EXPECT_EQ(advertised(), (Windows{{1'001, 10'000}}));
  EXPECT_EQ(held(), 4u);
  ack(5'001);
  EXPECT_EQ(advertised(),
            (Windows{{2'001, 9'000}, {3'001, 8'000}, {4'001, 7'000}, {5'001, 6'000}, {5'001, 6'000}}));
  EXPECT_EQ(held(), 0u);
}

// Pitfall 5: by counted packets the pipe would keep what was lost on the air.
TEST_F(WindowRegulatorTest, PipeIsExactAfterALossOnTheAir) {
  add(kUe, with(form(Form::dynamic)));
  open();
  data(0, 10);
  at(105ms);
  acks(0, 2);
  for (int i = 0; i < 7; ++i) ack(2'001);  // the third is lost
  data(2);
  at(125ms);
  advertised();
  ack(10'001);
  EXPECT_EQ(advertised(), (Windows{{10'001, 5'000}}));
  data(10, 3);
  at(150ms);
  ack(11'001);
  EXPECT_EQ(advertised(), (Windows{{11'001, 7'000}}));
}

TEST_F(WindowRegulatorTest, WhatTheUeHasSackedIsNoLongerInThePipe) {
  add(kUe, with(form(Form::dynamic)));
  open();
  data(0, 20);
  at(105ms);  // eleven have started
  Buffer sack(12);
  const Buffer head = bytes({1, 1, 5, 10});
  std::copy(head.begin(), head.end(), sack.begin());
  store32(sack.data() + 4, 4'001);
  store32(sack.data() + 8, 10'001);
  up({.seq = 101, .ack = 3'001, .tcp_options = sack, .payload = 0});
  EXPECT_EQ(advertised(), (Windows{{3'001, 2'000 + 5'000}}));
}

// Pitfall 6.
TEST_F(WindowRegulatorTest, WindowOfThreeSegmentsIsNoLessWhenScaled) {
  add(kUe, with(form(Form::static_, 3)));
  for (std::uint8_t shift = 0; shift <= 9; ++shift) {
    port = static_cast<std::uint16_t>(40'000 + shift);
    open(shift);
    data(0, 5);
    wait(15ms);
    ack(1'001);
    const std::uint32_t window = advertised().at(0).window << shift;
    EXPECT_GE(window, 3'000u) << unsigned{shift};
    EXPECT_LT(window, 4'000u) << unsigned{shift};
    wait(100ms);
    ack(5'001);
  }
}

// Pitfall 7: with another window a duplicate is none to a source that follows BSD.
TEST_F(WindowRegulatorTest, DuplicatesKeepTheWindowWhileThePipeGrows) {
  add(kUe, with(form(Form::dynamic)));
  open();
  data(0, 20);
  at(55ms);
  ack(1'001);
  at(75ms);
  ack(1'001);
  at(95ms);
  ack(1'001);
  EXPECT_EQ(advertised(), (Windows{{1'001, 10'000}, {1'001, 10'000}, {1'001, 10'000}}));
  at(105ms);
  ack(1'001, 30'000);
  EXPECT_EQ(advertised(), (Windows{{1'001, 15'000}})) << "a window update is none";
}

// Pitfall 8.
TEST_F(WindowRegulatorTest, SourceThatHearsNothingForMostOfItsTimeoutGetsAStoredAck) {
  begin_slowly(20);
  at(550ms);
  acks(0, 6);
  EXPECT_EQ(advertised().size(), 1u);
  at(599ms);
  EXPECT_EQ(advertised().size(), 0u);
  at(601ms);
  EXPECT_EQ(advertised(), (Windows{{2'001, 10'000}}));
  at(679ms);
  EXPECT_EQ(advertised().size(), 0u);
  at(681ms);
  EXPECT_EQ(advertised(), (Windows{{3'001, 9'000}})) << "after 0.8 of its timeout; the edge stays";
  at(701ms);
  EXPECT_EQ(advertised().size(), 1u) << "by a dequeue";
}

}  // namespace
}  // namespace dp::test
