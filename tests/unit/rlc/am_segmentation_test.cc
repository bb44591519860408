// Segmentation and concatenation of RLC AM (dataplane/rlc/am_segmenter.h): the LIs of each PDU.
#include "tests/support/am_single.h"

namespace dp::test {
namespace {

TEST(AmSegmentation, AnSduFillsPdusAndAnLiTellsItsEnd) {
  AmSingle am(quiet());
  am.offer(100);
  EXPECT_EQ(am.build(), (Texts{"0", "1", "2 {20 pad}"}));
  EXPECT_EQ(am.pdu(1).back(), std::byte{1});
  EXPECT_EQ(am.pdu(2).back(), std::byte{0}) << "padding is zero";
}

TEST(AmSegmentation, SmallSdusShareAPdu) {
  AmSingle am(quiet());
  am.offer(10, 3);
  EXPECT_EQ(am.build(), Texts{"0 {10 20 30 pad}"});
  am.offer(30, 2);
  EXPECT_EQ(am.build(), (Texts{"1 {30}", "2 {21 pad}"}));
  EXPECT_EQ(am.first_sdus[0], 3u);
  EXPECT_EQ(am.first_sdus[1], 4u);
}

TEST(AmSegmentation, AnSduThatFillsItsPduIsEndedByTheNext) {
  AmSingle am(quiet());
  am.offer(40);
  EXPECT_EQ(am.build(), (Texts{"0", "1 {full pad}"}));
  am.offer(40);
  am.offer(10);
  EXPECT_EQ(am.build(), (Texts{"2", "3 {full 10 pad}"}));
}

TEST(AmSegmentation, AnSduThatFillsItsPduTogetherWithItsLiNeedsNoMore) {
  AmSingle am(quiet());
  am.offer(39, 2);
  EXPECT_EQ(am.build(), (Texts{"0 {39}", "1 {39}"}));
}

TEST(AmSegmentation, TheHeaderMayTellThatAnSduFillsItsPdu) {
  AmSingle am(quiet_but([](AmConfig& c) { c.he_ends_sdu = true; }));
  am.offer(40, 2);
  EXPECT_EQ(am.build(), (Texts{"0 ends", "1 ends"}));
}

TEST(AmSegmentation, WithFifteenBitsAnSduMayLeaveOneOctet) {
  AmSingle am(quiet_but([](AmConfig& c) { c.pdu_size = 200; }));
  am.offer(197);
  am.offer(50);
  EXPECT_EQ(am.build(), (Texts{"0", "1 {short 50 pad}"}));
  const Buffer first = am.pdu(0);
  EXPECT_EQ(first.back(), std::byte{0});
  am.ack(2, {0});
  EXPECT_EQ(am.build(), (Texts{"0"}));
  EXPECT_EQ(am.pdu(0), first) << "sent again";
  am.offer(195);
  am.offer(50);
  EXPECT_EQ(am.build(), (Texts{"2 {195}", "3 {50 pad}"})) << "the octet left is not the next SDU's";
}

TEST(AmSegmentation, APduHasAtMostFifteenLis) {
  AmSingle am(quiet());
  am.offer(1, 20);
  EXPECT_EQ(am.build(), (Texts{"0 {1 2 3 4 5 6 7 8 9 10 11 12 13 14 pad}", "1 {1 2 3 4 5 6 pad}"}));
}

TEST(AmSegmentation, NoMoreSdusStartThanAreAllowedInTransmission) {
  AmSingle am(quiet_but([](AmConfig& c) { c.sdus = 3; }));
  am.offer(40, 5);
  EXPECT_EQ(am.build(), (Texts{"0", "1 {full}", "2 {1}", "3 {2 pad}"}));
  EXPECT_EQ(am.entity().in_transmission(), 3u);
  EXPECT_EQ(am.entity().wake_at(), kNever);
  am.ack(4);
  EXPECT_EQ(am.build(), (Texts{"4", "5 {full}", "6 {1 pad}"}));
}

}  // namespace
}  // namespace dp::test
