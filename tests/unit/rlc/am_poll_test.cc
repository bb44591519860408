// When the transmitting side of RLC AM polls, and when it wants to be woken.
#include "tests/support/am_single.h"

namespace dp::test {
namespace {

TEST(AmPoll, TheLastPduInTheBufferPolls) {
  AmSingle am(quiet_but([](AmConfig& c) { c.poll_last = true; }));
  am.offer(100);
  EXPECT_EQ(am.build(2), (Texts{"0", "1"}));
  EXPECT_EQ(am.build(), Texts{"2 P {20 pad}"});
  am.offer(40);
  EXPECT_EQ(am.build(), (Texts{"3", "4 P {full pad}"}));
}

TEST(AmPoll, TheLastPduToBeRetransmittedPolls) {
  AmSingle am(quiet_but([](AmConfig& c) { c.poll_last_retransmission = true; }));
  am.offer(1500);
  am.build(6);
  am.ack(6, {1, 3});
  EXPECT_EQ(am.build(3), (Texts{"1", "3 P", "6"}));
}

TEST(AmPoll, TheWindowPollsOnceWhenTheShareIsReached) {
  AmSingle am(quiet_but([](AmConfig& c) {
    c.tx_window = 8;
    c.poll_window = 0.5;
  }));
  am.offer(3000);
  EXPECT_EQ(am.build(6), (Texts{"0", "1", "2", "3 P", "4", "5"}));
  am.ack(1);
  EXPECT_EQ(am.build(1), Texts{"6"}) << "5 were outstanding, the share is 4";
  am.ack(4);
  EXPECT_EQ(am.build(2), (Texts{"7 P", "8"})) << "3 were outstanding";
}

TEST(AmPoll, EverySoManyPdusMayPoll) {
  AmSingle am(quiet_but([](AmConfig& c) { c.poll_pdus = 3; }));
  am.offer(1500);
  EXPECT_EQ(am.build(7), (Texts{"0", "1", "2 P", "3", "4", "5 P", "6"}));
}

AmConfig with_timer_poll() {
  return quiet_but([](AmConfig& c) {
    c.poll_last = c.poll_last_retransmission = true;
    c.timer_poll = ms(60);
  });
}

TEST(AmPoll, WithoutAnswerThePollIsRepeatedWithTheLastPdu) {
  AmSingle am(with_timer_poll());
  am.offer(100);
  am.build();
  EXPECT_EQ(am.entity().wake_at(), Time{} + ms(60));
  EXPECT_TRUE(am.after(ms(59)).empty());
  EXPECT_EQ(am.after(ms(1)), Texts{"2 P {20 pad}"});
  EXPECT_TRUE(am.after(ms(59)).empty());
  EXPECT_EQ(am.after(ms(1)), Texts{"2 P {20 pad}"});
}

TEST(AmPoll, IsRepeatedWithANewPduWhereThereIsOne) {
  AmSingle am(with_timer_poll());
  am.offer(39);
  am.build();
  am.offer(1500);
  EXPECT_EQ(am.after(ms(60), 2), (Texts{"1 P", "2"}));
}

TEST(AmPoll, TheTimerStopsWhenAllUpToThePollIsAcknowledged) {
  AmSingle am(with_timer_poll());
  am.offer(39, 3);
  am.build();
  am.ack(2);
  EXPECT_EQ(am.entity().wake_at(), Time{} + ms(60)) << "PDU 2 polled";
  am.ack(3);
  EXPECT_EQ(am.entity().wake_at(), kNever);
}

TEST(AmPoll, TheTimerGoesOnWhileAnEarlierPduIsMissing) {
  AmSingle am(quiet_but([](AmConfig& c) {
    c.poll_pdus = 3;
    c.timer_poll = ms(60);
  }));
  am.offer(39, 3);
  EXPECT_EQ(am.build(), (Texts{"0 {39}", "1 {39}", "2 P {39}"}));
  am.ack(3, {1});
  EXPECT_EQ(am.build(), Texts{"1 {39}"});
  EXPECT_EQ(am.entity().wake_at(), Time{} + ms(60));
}

TEST(AmPoll, TheTimerStopsWhenThePduThatPolledIsMissing) {
  AmSingle am(quiet_but([](AmConfig& c) {
    c.poll_pdus = 3;
    c.timer_poll = ms(60);
  }));
  am.offer(39, 3);
  am.build();
  am.ack(3, {2});
  EXPECT_EQ(am.build(), Texts{"2 {39}"});
  EXPECT_EQ(am.entity().wake_at(), kNever);
}

TEST(AmPoll, ANewPollStartsTheTimerAnew) {
  AmSingle am(with_timer_poll());
  am.offer(39, 3);
  am.build();
  am.ack(3, {2});
  am.now += ms(30);
  EXPECT_EQ(am.build(), Texts{"2 P {39}"});
  EXPECT_EQ(am.entity().wake_at(), Time{} + ms(90));
}

TEST(AmPoll, GoesToTheNewestPduThatIsNotAcknowledged) {
  AmSingle am(with_timer_poll());
  am.offer(39, 3);
  am.build();
  const std::uint8_t octet = 0b01100000;  // 1 and 2 arrived, of 0 is nothing known
  am.status([&](StatusWriter& out) { out.bitmap(0, {&octet, 1}); });
  EXPECT_EQ(am.build(), Texts{"0 P {39}"});
}

TEST(AmPoll, AWindowThatShutsWithoutAPollIsPolledFor) {
  AmSingle am(quiet_but([](AmConfig& c) {
    c.poll_last = true;
    c.tx_window = 2;
  }));
  am.offer(1500);
  EXPECT_EQ(am.build(), (Texts{"0", "1", "1 P"}));
}

TEST(AmPoll, WithNothingOutstandingNothingIsSent) {
  AmSingle am(with_timer_poll());
  am.offer(39);
  am.build();
  am.ack(1);
  EXPECT_TRUE(am.after(ms(1000)).empty());
  EXPECT_EQ(am.entity().wake_at(), kNever);
}

TEST(AmWake, IsNowAsLongAsThereIsSomethingToSend) {
  AmSingle am(quiet());
  EXPECT_EQ(am.entity().wake_at(), kNever);
  am.offer(100);
  EXPECT_EQ(am.entity().wake_at(), Time::min());
  am.build(2);
  EXPECT_EQ(am.entity().wake_at(), Time::min());
  am.build();
  EXPECT_EQ(am.entity().wake_at(), kNever);
  am.ack(3, {1});
  EXPECT_EQ(am.entity().wake_at(), Time::min());
}

}  // namespace
}  // namespace dp::test
