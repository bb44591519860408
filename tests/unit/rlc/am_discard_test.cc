// SDU discard of RLC AM, its peer played by the test: MaxDAT and the sender's MRW procedure.
#include "tests/support/am_single.h"

namespace dp::test {
namespace {

// MaxDAT 3 as Release 17 counts: two transmissions, then the SDU is given up.
template <class Change>
AmConfig giving_up_but(Change&& change) {
  return quiet_but([&](AmConfig& c) {
    c.max_dat = 3;
    change(c);
  });
}
AmConfig giving_up() {
  return giving_up_but([](AmConfig&) {});
}

void mrw_ack(AmSingle& am, unsigned n, Sn sn_ack) {
  am.status([&](StatusWriter& out) { out.mrw_ack(n, sn_ack); });
}

// A LIST of one, and no ACK.
void nack(AmSingle& am, Sn sn) {
  am.status([&](StatusWriter& out) {
    const ListItem item{sn, 0};
    out.list({&item, 1});
  });
}

// Its PDUs before `lsn` were lost twice.
Texts lose_twice(AmSingle& am, Sn lsn, std::initializer_list<Sn> missing, unsigned max = 12) {
  am.ack(lsn, missing);
  am.build(max);
  am.ack(lsn, missing);
  return am.build(max);
}

// --- MaxDAT

unsigned transmissions(AmMaxDat counts) {
  AmSingle am(giving_up_but([&](AmConfig& c) { c.max_dat_counts = counts; }));
  am.offer(39, 2);
  unsigned n = 0;
  for (Texts sent = am.build(); sent[0] == "0 {39}"; sent = am.build()) {
    ++n;
    am.ack(2, {0});
  }
  return n;
}

TEST(AmMaxDat, CountsTransmissionsAsConfigured) {
  EXPECT_EQ(transmissions(AmMaxDat::one_less), 2u);
  EXPECT_EQ(transmissions(AmMaxDat::transmissions), 3u);
  EXPECT_EQ(transmissions(AmMaxDat::retransmissions), 4u);
}

TEST(AmMaxDat, DiscardsEverySduWithASegmentUpToThePdu) {
  AmSingle am(giving_up());
  am.offer(60, 3);  // PDUs 0; 1 ends the first and begins the second; 2, 3 ...
  am.build();
  lose_twice(am, 5, {1});
  EXPECT_TRUE(am.end.sent[0].discarded);
  EXPECT_TRUE(am.end.sent[1].discarded);
  EXPECT_FALSE(am.end.sent[2].discarded);
  EXPECT_EQ(am.entity().in_transmission(), 0u) << "the third is acknowledged";
}

TEST(AmMaxDat, WithoutDiscardResets) {
  AmSingle am(giving_up_but([](AmConfig& c) { c.discard = AmGiveUp::reset; }));
  am.offer(39, 2);
  am.build();
  EXPECT_EQ(lose_twice(am, 2, {0}), Texts{"RESET 0 HFN 0"});
}

// --- the sender's MRW

TEST(AmMrw, PointsBehindThePduThatHoldsNothingNewer) {
  AmSingle am(giving_up());
  am.offer(39, 3);
  am.build();
  EXPECT_EQ(lose_twice(am, 3, {0}), Texts{"MRW 1 N 0"});
  EXPECT_EQ(am.end.n_discarded, 1u);
  EXPECT_EQ(am.end.n_released, 0u) << "the peer may yet deliver it";
  mrw_ack(am, 0, 3);
  EXPECT_EQ(am.end.n_released, 3u);
  EXPECT_EQ(am.entity().sender().vt_a(), 3u);
  EXPECT_EQ(am.entity().wake_at(), kNever);
}

TEST(AmMrw, PointsAtTheLiInAPduThatGoesOnWithAnother) {
  AmSingle am(giving_up());
  am.offer(60);
  am.offer(30);
  EXPECT_EQ(am.build(), (Texts{"0", "1 {20}", "2 {11 pad}"}));
  nack(am, 0);
  EXPECT_EQ(am.build(), Texts{"0"});
  nack(am, 0);
  EXPECT_EQ(am.build(), Texts{"MRW 1 N 1"});
  mrw_ack(am, 1, 1);
  EXPECT_EQ(am.entity().sender().vt_a(), 1u);
  EXPECT_EQ(am.end.n_released, 0u) << "PDU 1 may have to be sent again, as it was";
  nack(am, 1);
  EXPECT_EQ(am.build(), Texts{"1 {20}"});
  EXPECT_EQ(am.pdu(0)[3], std::byte{1});
  am.ack(3);
  EXPECT_EQ(am.end.n_released, 2u);
}

TEST(AmMrw, PointsAtTheLiOfTheNextPduForAnSduThatFilledItsOwn) {
  AmSingle am(giving_up());
  am.offer(40);
  am.offer(30);
  am.build();  // 0, 1 {full 30 pad}
  EXPECT_EQ(lose_twice(am, 2, {0}), Texts{"MRW 1 N 1"});
}

TEST(AmMrw, OfAnSduNotYetSentToItsEndSkipsAPdu) {
  AmSingle am(giving_up());
  am.offer(200);
  am.offer(39);
  am.build(2);
  am.ack(2, {0});
  am.build(1);
  am.ack(2, {0});
  EXPECT_EQ(am.build(), (Texts{"MRW 3 N 0", "3 {39}"})) << "PDU 2, with the rest, is never sent";
  EXPECT_EQ(am.first_sdus[1], 1u);
  mrw_ack(am, 0, 4);
  EXPECT_EQ(am.end.n_released, 2u);
}

TEST(AmMrw, BeyondTheWindowHasLengthZero) {
  AmSingle am(giving_up_but([](AmConfig& c) { c.tx_window = 4; }));
  am.offer(1500);
  am.build();
  EXPECT_EQ(lose_twice(am, 4, {0}), Texts{"MRW beyond 5 N 0"});
  mrw_ack(am, 0, 5);
  EXPECT_EQ(am.entity().sender().vt_a(), 5u);
  EXPECT_EQ(am.entity().sender().vt_s(), 5u);
}

TEST(AmMrw, NamesEachDiscardedSduOrTheLastOnly) {
  for (const bool send_mrw : {false, true}) {
    AmSingle am(giving_up_but([&](AmConfig& c) { c.send_mrw = send_mrw; }));
    am.offer(13, 9);
    am.build();
    const std::string list = text(am.pdu(0));
    EXPECT_EQ(list, "0 {13 26}");
    EXPECT_EQ(lose_twice(am, 4, {0}), Texts{send_mrw ? "MRW 0 0 1 N 1" : "MRW 1 N 1"});
  }
}

TEST(AmMrw, NamesAtMostFifteenAndGoesOnInAnother) {
  AmSingle am(giving_up());
  am.offer(2, 20);
  EXPECT_EQ(am.build(), (Texts{"0 {2 4 6 8 10 12 14 16 18 20 22 24 26}", "1 {1 3 5 7 9 11 13 pad}"}));
  nack(am, 1);
  am.build();
  nack(am, 1);
  EXPECT_EQ(am.build(), Texts{"MRW 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1 N 2"});
  EXPECT_EQ(am.end.n_discarded, 20u);
  EXPECT_TRUE(am.build().empty()) << "one at a time";
  mrw_ack(am, 2, 1);
  EXPECT_EQ(am.build(), Texts{"MRW 1 1 1 1 2 N 0"});
  mrw_ack(am, 0, 2);
  EXPECT_EQ(am.end.n_released, 20u);
}

TEST(AmMrw, StopsAtAnSduThatThePeerHas) {
  AmSingle am(giving_up());
  am.offer(39, 4);
  am.build();
  am.ack(4, {0, 2});
  am.build();
  am.ack(4, {0, 2});
  EXPECT_EQ(am.build(), Texts{"MRW 1 N 0"});
  mrw_ack(am, 0, 2);  // the peer delivers 1
  EXPECT_EQ(am.end.n_released, 2u);
  am.ack(4, {2});
  EXPECT_EQ(am.build(), Texts{"MRW 3 N 0"});
}

TEST(AmMrw, IsRepeatedUntilAnsweredAndThenResets) {
  AmSingle am(giving_up_but([](AmConfig& c) { c.max_mrw = 3; }));
  am.offer(39, 2);
  am.build();
  EXPECT_EQ(lose_twice(am, 2, {0}), Texts{"MRW 1 N 0"});
  EXPECT_TRUE(am.after(ms(99)).empty());
  EXPECT_EQ(am.after(ms(1)), Texts{"MRW 1 N 0"});
  EXPECT_EQ(am.after(ms(100)), Texts{"MRW 1 N 0"});
  EXPECT_EQ(am.after(ms(100)), Texts{"RESET 0 HFN 0"});
}

TEST(AmMrw, OnlyAFittingAnswerEndsIt) {
  AmSingle am(giving_up());
  am.offer(60);
  am.offer(30);
  am.build();
  lose_twice(am, 3, {0});  // MRW 1 N 1
  mrw_ack(am, 0, 1);       // the LI is another
  mrw_ack(am, 0, 0);       // behind
  mrw_ack(am, 1, 3);       // ahead, but with an LI
  mrw_ack(am, 0, 9);       // never sent
  EXPECT_EQ(am.after(ms(100)), Texts{"MRW 1 N 1"});
  mrw_ack(am, 0, 3);
  EXPECT_TRUE(am.after(ms(100)).empty());
  EXPECT_EQ(am.end.n_released, 2u);
}

TEST(AmMrw, AnAckBehindItsAnswerIsIgnored) {
  AmSingle am(giving_up());
  am.offer(39, 3);
  am.build();
  lose_twice(am, 3, {0});
  am.status([](StatusWriter& out) {
    out.mrw_ack(0, 3);
    out.ack(1);
  });
  EXPECT_EQ(am.entity().sender().vt_a(), 3u);
}

TEST(AmMrw, IsEndedByAnAckBeyondIt) {
  AmSingle am(giving_up());
  am.offer(39, 3);
  am.build();
  lose_twice(am, 3, {0});  // MRW 1 N 0
  am.ack(1);
  EXPECT_EQ(am.after(ms(100)), Texts{"MRW 1 N 0"}) << "the peer has come to SN_MRW, not beyond";
  am.ack(2);
  EXPECT_TRUE(am.after(ms(100)).empty());
}

TEST(AmMrw, WaitsForNoProhibitTimer) {
  AmSingle am(giving_up_but([](AmConfig& c) { c.timer_status_prohibit = ms(1000); }));
  am.amd(0, true, {39}, 1);
  EXPECT_EQ(am.build(), Texts{"ACK 1"});
  am.offer(39, 2);
  am.build();
  EXPECT_EQ(lose_twice(am, 2, {0}), Texts{"MRW 1 N 0"});
}

TEST(AmMrw, APollFollowsAGiveUp) {
  AmSingle am(giving_up_but([](AmConfig& c) { c.poll_last_retransmission = true; }));
  am.offer(39, 4);
  am.build();
  am.ack(1);  // nothing is known of 1, 2 and 3
  nack(am, 1);
  am.build();
  nack(am, 1);
  EXPECT_EQ(am.build(), (Texts{"MRW 2 N 0", "3 P {39}"})) << "without it, nobody would ask for 2 and 3";
}

}  // namespace
}  // namespace dp::test
