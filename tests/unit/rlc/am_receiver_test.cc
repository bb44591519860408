// The receiving side of RLC AM, its peer played by the test: in-sequence delivery
// (dataplane/rlc/am_reassembly.h), window, STATUS reports.
#include "tests/support/am_single.h"

namespace dp::test {
namespace {

// PDUs that each hold the end of one SDU and nothing else.
void whole(AmSingle& am, std::initializer_list<Sn> sns, bool poll = false) {
  for (const Sn sn : sns) am.amd(sn, poll, {39}, sn & 0xff, sn);
}

// --- delivery

TEST(AmDelivery, AnSduIsPutTogetherFromItsPdus) {
  AmSingle am(quiet());
  am.amd(0, false, {}, 1, 7);
  am.amd(1, false, {}, 2, 7);
  EXPECT_TRUE(am.delivered().empty());
  am.amd(2, false, {20, 0x7f}, 3, 7);
  ASSERT_EQ(am.delivered(), Texts{"7:100"});
  const Buffer& sdu = am.end.delivered[0].bytes;
  EXPECT_EQ(sdu[39], std::byte{1});
  EXPECT_EQ(sdu[40], std::byte{2});
  EXPECT_EQ(sdu[99], std::byte{3});
}

TEST(AmDelivery, WaitsForThePduThatIsMissing) {
  AmSingle am(quiet());
  whole(am, {0, 2, 3});
  EXPECT_EQ(am.delivered(), Texts{"0:39"});
  whole(am, {1});
  EXPECT_EQ(am.delivered(), (Texts{"0:39", "1:39", "2:39", "3:39"}));
}

TEST(AmDelivery, HappensOnce) {
  AmSingle am(quiet());
  whole(am, {0, 2, 0, 2, 1, 1, 2});
  EXPECT_EQ(am.delivered(), (Texts{"0:39", "1:39", "2:39"}));
  EXPECT_EQ(am.entity().stats().pdus_duplicate.get(), 4u);
}

TEST(AmDelivery, SeveralSdusOfOnePduHaveTheirOwnNumbers) {
  AmSingle am(quiet());
  am.amd(0, false, {10, 15, 0x7f}, 1, 3);
  EXPECT_EQ(am.delivered(), (Texts{"3:10", "4:5"}));
}

TEST(AmDelivery, TheNextPduMayTellTheEnd) {
  AmSingle am(quiet());
  am.amd(0, false, {}, 1, 0);
  am.amd(1, false, {0, 0x7f}, 0, 1);
  EXPECT_EQ(am.delivered(), Texts{"0:40"});
}

TEST(AmDelivery, TheNextPduMayTellThatOneOctetWasPadding) {
  AmSingle am(quiet_but([](AmConfig& c) { c.pdu_size = 200; }));
  am.amd(0, false, {}, 1, 0);
  am.amd(1, false, {0x7ffb, 0x7fff}, 0, 1);
  EXPECT_EQ(am.delivered(), Texts{"0:197"});
}

TEST(AmDelivery, TheHeaderMayTellTheEndWhereThatIsConfigured) {
  Buffer pdu(42);
  write_amd_octets(pdu.data(), 0, false, He::data_ends_sdu);
  AmSingle am(quiet_but([](AmConfig& c) { c.he_ends_sdu = true; }));
  am.receive(pdu);
  EXPECT_EQ(am.delivered(), Texts{"0:40"});
  AmSingle other(quiet());
  other.receive(pdu);
  EXPECT_TRUE(other.delivered().empty());
  EXPECT_EQ(other.entity().stats().pdus_invalid.get(), 1u);
}

TEST(AmDelivery, AnSduTooLongForItsMemoryIsDroppedAlone) {
  AmSingle am(quiet_but([](AmConfig& c) { c.pdu_size = 1000; }));
  for (Sn sn = 0; sn < 4; ++sn) am.amd(sn, false, {}, 1, 0);
  EXPECT_EQ(am.end.n_abandoned, 1u);
  am.amd(4, false, {10, 20, 0x7fff}, 1, 0);
  EXPECT_EQ(am.delivered(), Texts{"1:10"});
}

TEST(AmDelivery, APduOfAnotherSizeOrWithoutSenseIsNotReceived) {
  AmSingle am(quiet());
  am.receive(Buffer(41, std::byte{0x80}));
  am.amd(0, true, {20, 10}, 1);
  EXPECT_EQ(am.entity().stats().pdus_invalid.get(), 2u);
  EXPECT_EQ(am.entity().receiver().vr_r(), 0u);
  EXPECT_TRUE(am.build().empty()) << "its poll does not count";
}

TEST(AmDelivery, GoesOnBehindTheLastSequenceNumber) {
  AmSingle am(quiet());
  for (unsigned sn = 0; sn < 4095; ++sn) am.amd(static_cast<Sn>(sn), false, {39}, 1, sn);
  am.amd(0, false, {39}, 1, 4096);
  am.amd(1, true, {39}, 1, 4097);
  EXPECT_EQ(am.build(), Texts{"LIST 4095, ACK 2"});
  am.amd(4095, false, {39}, 1, 4095);
  EXPECT_EQ(am.end.delivered.size(), 4098u);
  EXPECT_EQ(hfn_of(am.entity().receiver().vr_r()), 1u);
}

TEST(AmReception, APduOutsideTheWindowIsDroppedButItsPollCounts) {
  AmSingle am(quiet_but([](AmConfig& c) { c.rx_window = 8; }));
  whole(am, {0, 8});
  EXPECT_EQ(am.build(), Texts{});
  am.amd(9, true, {39}, 1);
  EXPECT_EQ(am.build(), Texts{"LIST 1-7, ACK 9"});
}

TEST(AmReception, ADuplicateThatPollsIsAnswered) {
  AmSingle am(quiet());
  whole(am, {0});
  EXPECT_TRUE(am.build().empty());
  whole(am, {0}, true);
  EXPECT_EQ(am.build(), Texts{"ACK 1"});
}

// --- when a report is due

TEST(AmReport, AGapIsReportedWhenItIsSeenAndNotAgain) {
  AmSingle am(quiet_but([](AmConfig& c) { c.missing_pdu = true; }));
  whole(am, {0, 1});
  EXPECT_TRUE(am.build().empty());
  whole(am, {3});
  EXPECT_EQ(am.build(), Texts{"LIST 2, ACK 4"});
  whole(am, {4, 5});
  EXPECT_TRUE(am.build().empty());
  whole(am, {7});
  EXPECT_EQ(am.build(), Texts{"LIST 2 6, ACK 8"});
}

TEST(AmReport, AGapIsNotReportedWhereThatIsNotConfigured) {
  AmSingle am(quiet());
  whole(am, {0, 5});
  EXPECT_TRUE(am.build().empty());
}

TEST(AmReport, TheProhibitTimerHoldsAndMergesReports) {
  AmSingle am(quiet_but([](AmConfig& c) { c.timer_status_prohibit = ms(60); }));
  whole(am, {0}, true);
  EXPECT_EQ(am.build(), Texts{"ACK 1"});
  whole(am, {1, 2}, true);
  EXPECT_EQ(am.entity().wake_at(), Time{} + ms(60));
  EXPECT_TRUE(am.after(ms(59)).empty());
  whole(am, {4}, true);
  EXPECT_EQ(am.after(ms(1)), Texts{"LIST 3, ACK 5"});
  EXPECT_TRUE(am.after(ms(100)).empty());
}

TEST(AmReport, MayBePeriodic) {
  AmSingle am(quiet_but([](AmConfig& c) { c.timer_status_periodic = ms(100); }));
  whole(am, {0});
  EXPECT_EQ(am.entity().wake_at(), Time{} + ms(100));
  EXPECT_TRUE(am.after(ms(99)).empty());
  EXPECT_EQ(am.after(ms(1)), Texts{"ACK 1"});
  EXPECT_EQ(am.after(ms(130)), Texts{"ACK 1"});
  EXPECT_EQ(am.entity().wake_at(), Time{} + ms(300)) << "a late poll does not shift the period";
}

TEST(AmReport, GoesBeforeTheEntitysOwnPdus) {
  AmSingle am(quiet());
  am.offer(39);
  whole(am, {0}, true);
  EXPECT_EQ(am.build(), (Texts{"ACK 1", "0 {39}"}));
}

// --- contents of a report

// Receives 0 to `last`, without those for which lost(sn) is true, and polls.
template <class Lost>
void receive_up_to(AmSingle& am, Sn last, Lost&& lost) {
  for (Sn sn = 0; sn < last; ++sn) {
    if (!lost(sn)) whole(am, {sn});
  }
  whole(am, {last}, true);
}

TEST(AmReport, LongRunsTakeSeveralListEntries) {
  AmSingle am(quiet());
  receive_up_to(am, 50, [](Sn sn) { return sn >= 2; });
  EXPECT_EQ(am.build(), Texts{"LIST 2-17 18-33 34-49, ACK 51"});
}

TEST(AmReport, FifteenEntriesAreAListAndSixteenABitmap) {
  AmSingle fifteen(quiet());
  receive_up_to(fifteen, 30, [](Sn sn) { return sn % 2 == 1; });
  EXPECT_EQ(fifteen.build(), Texts{"LIST 1 3 5 7 9 11 13 15 17 19 21 23 25 27 29, ACK 31"});
  AmSingle sixteen(quiet());
  receive_up_to(sixteen, 36, [](Sn sn) { return sn % 2 == 1; });
  EXPECT_EQ(sixteen.build(), Texts{"BITMAP 1 3 5 7 9 11 13 15 17 19 21 23 25 27 29 31, LIST 33 35, ACK 37"})
      << "whole octets as a BITMAP, up to VR(H)";
}

TEST(AmReport, WhatTakesSeveralPdusAcknowledgesUpToTheFirstMissingOnly) {
  AmSingle am(quiet());
  receive_up_to(am, 600, [](Sn sn) { return sn % 2 == 1; });
  const Texts got = am.build();
  ASSERT_EQ(got.size(), 3u);
  std::string all;
  for (const auto& pdu : got) {
    EXPECT_TRUE(pdu.ends_with(", ACK 1")) << pdu;
    all += pdu;
  }
  for (unsigned sn = 1; sn < 600; sn += 2) {
    EXPECT_NE(all.find(" " + std::to_string(sn)), std::string::npos) << sn;
  }
}

TEST(AmReport, WhatTakesSeveralPdusGoesOnInTheNextTti) {
  AmSingle am(quiet_but([](AmConfig& c) { c.timer_status_prohibit = ms(60); }));
  receive_up_to(am, 600, [](Sn sn) { return sn % 2 == 1; });
  EXPECT_EQ(am.build(1).size(), 1u);
  EXPECT_EQ(am.entity().wake_at(), Time::min());
  EXPECT_EQ(am.after(ms(10)).size(), 2u);
  EXPECT_TRUE(am.after(ms(10)).empty());
}

TEST(AmReport, MayUseRlists) {
  AmSingle am(quiet_but([](AmConfig& c) { c.status_sufi = AmStatusSufi::rlist; }));
  receive_up_to(am, 100, [](Sn sn) { return sn == 4 || (sn >= 7 && sn < 10) || sn == 70; });
  EXPECT_EQ(am.build(), Texts{"RLIST 4 7 8-9 70, ACK 101"});
}

TEST(AmReport, RlistsThatAreTooShortAreFollowedByMore) {
  AmSingle am(quiet_but([](AmConfig& c) { c.status_sufi = AmStatusSufi::rlist; }));
  receive_up_to(am, 900, [](Sn sn) { return sn % 100 == 50 || sn % 100 == 51; });
  EXPECT_EQ(am.build(), Texts{"RLIST 50 51 150 151 250 251 350, RLIST 351 450 451 550 551 650 651, "
                              "RLIST 750 751 850 851, ACK 901"});
}

TEST(AmReport, FitsTheSmallestPdu) {
  AmSingle am(quiet_but([](AmConfig& c) { c.pdu_size = 8; }));
  for (Sn sn : {0, 2, 4, 6}) am.amd(sn, sn == 6, {5}, 1);
  EXPECT_EQ(am.build(), (Texts{"LIST 1 3, ACK 1", "LIST 5, ACK 1"}));
}

}  // namespace
}  // namespace dp::test
