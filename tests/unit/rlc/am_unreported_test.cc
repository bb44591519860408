// PDUs that no report has named: when they are sent again without a NACK, and when that would be for nothing.
#include "tests/support/am_single.h"

namespace dp::test {
namespace {

AmConfig repeating() {
  return quiet_but([](AmConfig& c) { c.repeat_unreported = ms(160); });
}

TEST(AmUnreported, WhatReportsHaveNeverNamedIsSentAgainAfterTheTime) {
  AmSingle am(repeating());
  am.offer(39, 6);
  am.build(6);
  am.now += ms(160);
  am.ack(4);
  EXPECT_EQ(am.build(), (Texts{"4 {39}", "5 {39}"}));
  EXPECT_EQ(am.entity().stats().pdus_retransmitted.get(), 2u);
}

TEST(AmUnreported, NothingIsSentAgainByDefaultOrWithoutAReport) {
  for (const bool on : {false, true}) {
    AmSingle am(on ? repeating() : quiet());
    am.offer(39, 6);
    am.build(6);
    am.now += ms(1000);
    if (!on) am.ack(4);
    EXPECT_TRUE(am.build().empty()) << on;
    EXPECT_EQ(am.entity().wake_at(), kNever);
  }
}

TEST(AmUnreported, AYoungPduIsNotSentAgain) {
  AmSingle am(repeating());
  am.offer(39, 3);
  am.build(3);
  am.now += ms(60);
  am.offer(39, 3);
  am.build(3);
  am.now += ms(100);
  am.ack(2);
  EXPECT_EQ(am.build(), Texts{"2 {39}"}) << "3, 4 and 5 were sent 100 ms ago";
  am.now += ms(60);
  am.ack(2);
  EXPECT_EQ(am.build(), (Texts{"3 {39}", "4 {39}", "5 {39}"})) << "and 2 was sent again 60 ms ago";
}

TEST(AmUnreported, BehindOneThatWasSentAgainLatelyTheOthersAreLookedAt) {
  AmSingle am(repeating());
  am.offer(39, 4);
  am.build(4);
  am.ack(1, {});
  am.now += ms(100);
  am.status([](StatusWriter& out) {  // 1 is missing, and 2 was named
    const std::array<ListItem, 1> items{{{1, 0}}};
    out.list(items);
    out.ack(3);
  });
  EXPECT_EQ(am.build(), Texts{"1 {39}"});
  am.now += ms(60);
  am.ack(3, {1});
  EXPECT_EQ(am.build(), (Texts{"1 {39}", "3 {39}"}));
}

TEST(AmUnreported, APartOfAReportIsNotTakenForTheWhole) {
  AmSingle am(repeating());
  am.offer(39, 40);
  am.build(40);
  am.now += ms(200);
  const auto part = [&](Sn sn) {  // its LSN is VR(R)
    am.status([&](StatusWriter& out) {
      const std::array<ListItem, 1> items{{{sn, 0}}};
      out.list(items);
      out.ack(5);
    });
  };
  part(5);
  EXPECT_EQ(am.build(), Texts{"5 {39}"});
  part(20);
  EXPECT_EQ(am.build(), Texts{"20 {39}"});
  am.ack(30, {5, 20});
  EXPECT_EQ(am.build(40).size(), 12u) << "the missing two, and 30 to 39";
}

TEST(AmUnreported, NorIsAPartOfWhichThoseBeforeWereLost) {
  AmSingle am(repeating());
  am.offer(39, 40);
  am.build(40);
  am.ack(5);
  am.now += ms(200);
  am.ack(5, {20});
  EXPECT_EQ(am.build(), Texts{"20 {39}"});
}

TEST(AmUnreported, NorOneWhoseBitmapNamesOnlyWhatHasArrived) {
  AmSingle am(repeating());
  am.offer(39, 40);
  am.build(40);
  am.ack(5);
  am.now += ms(200);
  const std::uint8_t octet = 0xff;
  am.status([&](StatusWriter& out) {
    out.bitmap(20, {&octet, 1});
    out.ack(5);
  });
  EXPECT_TRUE(am.build().empty());
  am.ack(28, {5});
  EXPECT_EQ(am.build(40).size(), 13u) << "5, and 28 to 39";
}

// More holes than one PDU has room for, from a receiver of this program.
TEST(AmUnreported, AReportThatTakesSeveralPdusRepeatsNothingThatItDoesNotName) {
  AmPair pair(quiet_but([](AmConfig& c) {
                c.repeat_unreported = ms(60);
                c.timer_status_periodic = ms(100);
              }),
              400);
  pair.ends[0].offer(Buffer(1500, std::byte{1}));
  for (int i = 0; i < 9; ++i) pair.ends[0].offer(Buffer(1500, std::byte{2}));
  unsigned sent = 0, lost = 0;
  pair.lose = [&](int from, const Buffer&) {
    if (from != 0) return false;
    const bool first = sent++ < 380;
    const bool gone = first && sent % 3 == 0;
    lost += gone ? 1 : 0;
    return gone;
  };
  pair.run(100);
  EXPECT_TRUE(pair.idle());
  const auto& stats = pair.ends[0].entity.stats();
  EXPECT_GT(pair.ends[1].entity.stats().pdus_status.get(), 2u);
  EXPECT_EQ(stats.pdus_retransmitted.get(), lost) << "each once";
  EXPECT_EQ(pair.ends[1].entity.stats().pdus_duplicate.get(), 0u);
}

TEST(AmUnreported, ALostTailComesWithoutLaterData) {
  for (const bool on : {false, true}) {
    AmPair pair(quiet_but([&](AmConfig& c) {
                  c.timer_status_periodic = ms(100);
                  if (on) c.repeat_unreported = ms(160);
                }),
                12, ms(75));
    pair.ends[0].offer(Buffer(1500, std::byte{1}));
    unsigned sent = 0;
    pair.lose = [&](int from, const Buffer&) { return from == 0 && ++sent > 30 && sent <= 38; };
    pair.run(100);
    EXPECT_EQ(pair.ends[1].delivered.size(), on ? 1u : 0u);
    EXPECT_EQ(pair.idle(), on);
    EXPECT_EQ(pair.ends[0].entity.stats().pdus_retransmitted.get(), on ? 8u : 0u);
  }
}

TEST(AmUnreported, SoDoesATailOfWhichTheRepeatIsLostToo) {
  AmPair pair(quiet_but([](AmConfig& c) {
                c.timer_status_periodic = ms(100);
                c.repeat_unreported = ms(160);
              }),
              12, ms(75));
  pair.ends[0].offer(Buffer(1500, std::byte{1}));
  unsigned sent = 0;
  pair.lose = [&](int from, const Buffer& pdu) {
    return from == 0 && pdu_type(pdu) == PduType::amd && ++sent > 30 && sent <= 38 + 2 * 8;
  };
  pair.run(150);
  EXPECT_TRUE(pair.idle());
  EXPECT_EQ(pair.ends[1].delivered.size(), 1u);
  EXPECT_EQ(pair.ends[0].entity.stats().pdus_retransmitted.get(), 3 * 8u);
}

TEST(AmUnreported, WithoutLossesNothingIsSentTwice) {
  AmPair pair(quiet_but([](AmConfig& c) {
                c.timer_status_periodic = ms(100);
                c.repeat_unreported = ms(140);  // the round trip
              }),
              12, ms(70));
  for (unsigned tti = 0; tti < 2000; ++tti) {
    for (PairEnd& end : pair.ends) {
      if (tti % 50 < 25 && end.queue.size() < 3) end.offer(Buffer(700, std::byte{7}));
    }
    pair.tick();
  }
  EXPECT_TRUE(pair.drain(100));
  for (const PairEnd& end : pair.ends) {
    EXPECT_GT(end.delivered.size(), 500u);
    EXPECT_EQ(end.entity.stats().pdus_retransmitted.get(), 0u);
    EXPECT_EQ(end.entity.stats().pdus_duplicate.get(), 0u);
  }
}

// Each block by itself at 10 %: no PDU of a hole comes twice but for reports that cross, which the hold keeps
// out.
TEST(AmUnreported, WithLossesNothingThatArrivedIsSentAgain) {
  std::uint32_t state = 1;
  AmPair pair(quiet_but([](AmConfig& c) {
                c.timer_status_periodic = ms(100);
                c.repeat_unreported = c.nack_hold = ms(160);
                c.max_dat = 40;
              }),
              8, ms(75));
  unsigned lost = 0;
  pair.lose = [&](int from, const Buffer&) {
    state = state * 1664525 + 1013904223;
    const bool gone = state >> 16 < 6554;
    lost += from == 0 && gone ? 1 : 0;
    return gone;
  };
  for (unsigned tti = 0; tti < 3000; ++tti) {
    if (tti % 100 < 60 && pair.ends[0].queue.size() < 3) pair.ends[0].offer(Buffer(1500, std::byte{7}));
    pair.tick();
  }
  EXPECT_TRUE(pair.drain(1000));
  EXPECT_EQ(pair.ends[1].delivered.size(), pair.ends[0].sent.size());
  EXPECT_GT(lost, 1000u);
  EXPECT_EQ(pair.ends[1].entity.stats().pdus_duplicate.get(), 0u);
}

TEST(AmUnreported, MaxDatLimitsTheRepeatsAndThenTheSduIsGivenUp) {
  AmSingle am(quiet_but([](AmConfig& c) {
    c.repeat_unreported = ms(160);
    c.max_dat = 3;
    c.max_dat_counts = AmMaxDat::transmissions;
  }));
  am.offer(39, 2);
  am.build(2);
  am.ack(1);
  for (int i = 0; i < 2; ++i) {
    am.now += ms(160);
    am.ack(1);
    EXPECT_EQ(am.build(), Texts{"1 {39}"});
  }
  am.now += ms(160);
  am.ack(1);
  EXPECT_EQ(am.build(), Texts{"MRW 2 N 0"});
  EXPECT_EQ(am.end.n_discarded, 1u);
  am.now += ms(160);
  am.ack(1);
  am.now += ms(160);
  am.ack(1);
  for (const std::string& pdu : am.build()) EXPECT_EQ(pdu.rfind("MRW", 0), 0u) << pdu;
}

// PDUs that an MRW has put behind the window need no report; those sent after it do.
TEST(AmUnreported, GoesOnBehindWhatWasDiscarded) {
  AmSingle am(quiet_but([](AmConfig& c) {
    c.repeat_unreported = ms(160);
    c.max_dat = 2;
    c.max_dat_counts = AmMaxDat::transmissions;
  }));
  am.offer(39, 2);
  am.build(2);
  for (int i = 0; i < 2; ++i) {
    am.now += ms(160);
    am.ack(0);
    am.build();
  }
  EXPECT_EQ(am.end.n_discarded, 2u);
  am.status([](StatusWriter& out) {
    out.mrw_ack(0, 2);
    out.ack(2);
  });
  am.offer(39);
  EXPECT_EQ(am.build(), Texts{"2 {39}"});
  am.now += ms(160);
  am.ack(2);
  EXPECT_EQ(am.build(), Texts{"2 {39}"});
}

TEST(AmUnreported, AResetForgetsWhatWasNamed) {
  AmSingle am(repeating());
  am.offer(39, 6);
  am.build(6);
  am.ack(6);
  am.reset(false, 0, 7);
  EXPECT_EQ(am.build(), Texts{"RESET_ACK 0 HFN 0"});
  am.offer(39, 2);
  EXPECT_EQ(am.build(), (Texts{"0 {39}", "1 {39}"}));
  am.now += ms(160);
  am.ack(1);
  EXPECT_EQ(am.build(), Texts{"1 {39}"});
}

}  // namespace
}  // namespace dp::test
