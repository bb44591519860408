// The transmitting side of RLC AM, its peer played by the test: acknowledgements, window, retransmissions.
#include "tests/support/am_single.h"

namespace dp::test {
namespace {

// --- acknowledgements

TEST(AmAcknowledgement, AnSduIsAckedWhenAllItsPdusAre) {
  AmSingle am(quiet());
  am.offer(100);
  am.build();
  am.ack(2);
  EXPECT_EQ(am.end.n_acked, 0u);
  EXPECT_EQ(am.entity().in_transmission(), 1u);
  am.ack(3);
  EXPECT_EQ(am.end.n_acked, 1u);
  EXPECT_EQ(am.end.n_released, 1u);
  EXPECT_EQ(am.entity().in_transmission(), 0u);
}

TEST(AmAcknowledgement, AnSduIsNotAckedBeforeThePduThatTellsItsEnd) {
  AmSingle am(quiet());
  am.offer(40);
  am.build();
  am.ack(1);
  EXPECT_EQ(am.end.n_acked, 0u);
  am.ack(2);
  EXPECT_EQ(am.end.n_acked, 1u);
}

TEST(AmAcknowledgement, ALaterSduMayBeAckedFirstButIsReleasedInOrder) {
  AmSingle am(quiet());
  am.offer(39, 3);
  am.build();
  am.ack(3, {0});
  EXPECT_FALSE(am.end.sent[0].acked);
  EXPECT_TRUE(am.end.sent[1].acked && am.end.sent[2].acked);
  EXPECT_EQ(am.end.n_released, 0u);
  EXPECT_EQ(sn_of(am.entity().sender().vt_a()), 0);
  am.build();
  am.ack(3);
  EXPECT_EQ(am.end.n_acked, 3u);
  EXPECT_EQ(am.end.n_released, 3u);
}

TEST(AmAcknowledgement, OnesInABitmapAcknowledgeWithoutMovingTheWindow) {
  AmSingle am(quiet());
  am.offer(39, 8);
  am.build();
  const std::uint8_t octet = 0b01111110;
  am.status([&](StatusWriter& out) { out.bitmap(0, {&octet, 1}); });
  EXPECT_EQ(am.end.n_acked, 6u);
  EXPECT_EQ(am.entity().sender().vt_a(), 0u);
  EXPECT_EQ(am.build(), (Texts{"0 {39}", "7 {39}"}));
}

TEST(AmAcknowledgement, AnRlistAsksForRetransmissionsToo) {
  AmSingle am(quiet());
  am.offer(39, 12);
  am.build();
  RlistCodewords codewords;
  codewords.distance(3);
  codewords.burst(2);
  am.status([&](StatusWriter& out) {
    out.rlist(1, codewords.codewords());
    out.ack(12);
  });
  EXPECT_EQ(am.build(), (Texts{"1 {39}", "4 {39}", "5 {39}", "6 {39}"}));
}

TEST(AmAcknowledgement, OneThatAPiggybackBringsCountsLikeAnyOther) {
  AmSingle am(quiet());
  am.offer(39, 2);
  am.build();
  Buffer pdu(42);
  write_amd_header(pdu.data(), 0, false, LiSize::bits7, std::array<std::uint16_t, 2>{10, 0x7e});
  StatusWriter status(std::span<std::byte>(pdu).subspan(14));
  status.ack(2);
  status.finish();
  am.receive(pdu);
  EXPECT_EQ(am.end.n_acked, 2u);
  EXPECT_EQ(am.delivered(), Texts{"0:10"});
}

TEST(AmAcknowledgement, AControlPduOfUnknownTypeIsCounted) {
  AmSingle am(quiet());
  am.receive(bytes({0x30, 0, 0, 0}));
  EXPECT_EQ(am.entity().stats().pdus_invalid.get(), 1u);
}

TEST(AmAcknowledgement, AMalformedStatusChangesNothing) {
  AmSingle am(quiet());
  am.offer(39, 3);
  am.build();
  am.receive(bytes({0x02, 0x00, 0x30}));  // ACK 3 in a PDU cut short: well formed
  EXPECT_EQ(am.end.n_acked, 3u);
  am.offer(39, 3);
  am.build();
  am.receive(bytes({0x07, 0x00, 0x03, 0x90, 0x20, 0x06}));  // MRW_ACK, then an unknown SUFI, then ACK 6
  EXPECT_EQ(am.end.n_acked, 3u);
  EXPECT_EQ(am.entity().stats().pdus_invalid.get(), 1u);
}

// --- window

TEST(AmWindow, NewPdusStopWhereItEnds) {
  AmSingle am(quiet_but([](AmConfig& c) { c.tx_window = 4; }));
  am.offer(1500);
  EXPECT_EQ(am.build(), (Texts{"0", "1", "2", "3"}));
  EXPECT_TRUE(am.build().empty());
  am.ack(2);
  EXPECT_EQ(am.build(), (Texts{"4", "5"}));
}

TEST(AmWindow, ThePeerMaySetItUpToWhatIsConfigured) {
  AmSingle am(quiet_but([](AmConfig& c) { c.tx_window = 8; }));
  const auto set = [&](Sn wsn) { am.status([&](StatusWriter& out) { out.window(wsn); }); };
  set(2);
  am.offer(1500);
  EXPECT_EQ(am.build().size(), 2u);
  set(0);
  EXPECT_TRUE(am.build().empty()) << "0 means nothing";
  set(4000);
  EXPECT_EQ(am.build().size(), 6u);
}

TEST(AmWindow, SetBelowWhatIsOutstandingItStopsNewPdusUntilFewerAre) {
  AmSingle am(quiet_but([](AmConfig& c) { c.tx_window = 8; }));
  am.offer(1500);
  EXPECT_EQ(am.build(6).size(), 6u);
  am.status([&](StatusWriter& out) { out.window(2); });
  EXPECT_TRUE(am.build().empty());
  am.ack(4);
  EXPECT_TRUE(am.build().empty());
  am.ack(5);
  EXPECT_EQ(am.build(), Texts{"6"});
}

TEST(AmWindow, GoesOnBehindTheLastSequenceNumber) {
  AmSingle am(quiet());
  for (unsigned sent = 0; sent < 4095; sent += 5) {
    am.offer(39, 5);
    EXPECT_EQ(am.build().size(), 5u);
    am.ack(static_cast<Sn>(sent + 5));
  }
  am.offer(39, 3);
  EXPECT_EQ(am.build(), (Texts{"4095 {39}", "0 {39}", "1 {39}"}));
  EXPECT_EQ(hfn_of(am.entity().sender().vt_s()), 1u);
  am.ack(2, {4095});
  EXPECT_EQ(am.build(), Texts{"4095 {39}"});
  am.ack(2);
  EXPECT_EQ(am.end.n_acked, 4098u);
}

// --- retransmissions

TEST(AmRetransmission, ComesBeforeNewPdusAndInOrder) {
  AmSingle am(quiet());
  am.offer(1500);
  am.build(6);
  am.ack(6, {4, 1});
  EXPECT_EQ(am.build(4), (Texts{"1", "4", "6", "7"}));
}

TEST(AmRetransmission, HasTheSameContent) {
  AmSingle am(quiet());
  am.offer(30, 5);
  am.build();
  const Buffer first = am.pdu(1);
  am.offer(100);
  am.ack(1);
  am.status([&](StatusWriter& out) {
    const ListItem item{1, 0};
    out.list({&item, 1});
  });
  am.build(1);
  EXPECT_EQ(am.pdu(0), first);
  EXPECT_EQ(am.first_sdus[0], 1u);
}

TEST(AmRetransmission, EachNackCounts) {
  AmSingle am(quiet());
  am.offer(39, 2);
  am.build();
  am.ack(2, {0});
  EXPECT_EQ(am.build(), Texts{"0 {39}"});
  EXPECT_TRUE(am.build().empty());
  am.ack(2, {0});
  EXPECT_EQ(am.build(), Texts{"0 {39}"});
}

TEST(AmRetransmission, ANackMayBeHeldToHaveCrossedThePdu) {
  AmSingle am(quiet_but([](AmConfig& c) { c.nack_hold = ms(60); }));
  am.offer(39, 2);
  am.build();
  am.now += ms(60);
  am.ack(2, {0});
  EXPECT_EQ(am.build(), Texts{"0 {39}"});
  am.now += ms(59);
  am.ack(2, {0});
  EXPECT_TRUE(am.build().empty());
  am.now += ms(1);
  am.ack(2, {0});
  EXPECT_EQ(am.build(), Texts{"0 {39}"});
}

TEST(AmRetransmission, OfThePduThatIsLeftGoesOnInTheNextTti) {
  AmSingle am(quiet());
  am.offer(39, 5);
  am.build();
  am.ack(5, {0, 1, 2});
  EXPECT_EQ(am.build(2), (Texts{"0 {39}", "1 {39}"}));
  am.ack(5, {1, 2});
  EXPECT_EQ(am.build(), (Texts{"1 {39}", "2 {39}"}));
}

}  // namespace
}  // namespace dp::test
