#include "tests/unit/flow/support.h"

namespace dp {
namespace {

using namespace test;

class HandshakeTest : public FlowBench {};

TEST_F(HandshakeTest, TheUeConnects) {
  up({.seq = 100, .flags = kSyn, .window = 500, .options = options({mss(1400), sack_permitted(), scale(7)})});
  EXPECT_FALSE(flow().scale_known());
  EXPECT_FALSE(flow().established);
  down({.seq = 1000,
        .ack = 101,
        .flags = kSyn | kAck,
        .options = options({mss(1460), sack_permitted(), stamps(1, 0), scale(2)})});
  EXPECT_TRUE(flow().scale_known());
  EXPECT_FALSE(flow().established) << "the source may have made up its SYN";
  EXPECT_EQ(flow().advertised_edge, 1 + 500) << "what the SYN offered, not scaled";
  const auto third = up({.seq = 101, .ack = 1001, .window = 600});
  EXPECT_EQ(third.kind, AckKind::window_update) << "no data is acknowledged";
  EXPECT_EQ(third.newly, 0u);
  EXPECT_TRUE(flow().established);
  EXPECT_EQ(flow().shift(), 7);
  EXPECT_EQ(flow().window_of(600), 600u << 7);
  EXPECT_EQ(flow().mss(), 1400u);
  EXPECT_TRUE(flow().syn[0].sack && flow().syn[1].sack);
  EXPECT_TRUE(flow().syn[0].timestamps);
  EXPECT_FALSE(flow().syn[1].timestamps);
  EXPECT_EQ(flow().advertised_edge, 1 + (600 << 7));
  EXPECT_FALSE(flow().asymmetric);
}

TEST_F(HandshakeTest, TheSourceConnects) {
  down({.seq = 1000, .flags = kSyn, .options = options({mss(1460), scale(5)})});
  const auto second = up({.seq = 100,
                          .ack = 1001,
                          .flags = kSyn | kAck,
                          .window = 700,
                          .options = options({mss(1300), scale(9)})});
  EXPECT_EQ(second.kind, AckKind::syn);
  EXPECT_EQ(second.ack, 1);
  EXPECT_FALSE(flow().established) << "whoever spoofs SYNs gets SYN-ACKs too";
  EXPECT_EQ(flow().advertised_edge, 1 + 700);
  down({.seq = 1001, .ack = 101});
  EXPECT_TRUE(flow().established);
  EXPECT_EQ(flow().shift(), 9);
  EXPECT_EQ(flow().mss(), 1300u);
}

TEST_F(HandshakeTest, BothConnectAtOnce) {
  down({.seq = 1000, .flags = kSyn, .options = options({scale(3)})});
  up({.seq = 100, .flags = kSyn, .options = options({scale(4)})});
  down({.seq = 1000, .ack = 101, .flags = kSyn | kAck, .options = options({scale(3)})});
  up({.seq = 100, .ack = 1001, .flags = kSyn | kAck, .options = options({scale(4)})});
  EXPECT_EQ(restarts, 0u);
  EXPECT_EQ(flow().shift(), 4);
  EXPECT_EQ(flow().acked, 1);
  EXPECT_EQ(flow().ue.acked, 1);
  data(1001, 100);
  ack(1101);
  EXPECT_TRUE(flow().established);
}

TEST_F(HandshakeTest, ScaleIsInForceOnlyWhenBothOffered) {
  open(options({scale(7)}), options({mss(1460)}));
  EXPECT_TRUE(flow().scale_known());
  EXPECT_EQ(flow().shift(), 0);
}

TEST_F(HandshakeTest, OfferedByTheSourceAloneNothingIsScaled) {
  open({}, options({scale(7)}));
  EXPECT_EQ(flow().shift(), 0);
  EXPECT_EQ(flow().window_of(1000), 1000u);
}

TEST_F(HandshakeTest, AScaleBeyondFourteenIsFourteen) {
  open(options({scale(200)}), options({scale(1)}));
  EXPECT_EQ(flow().shift(), 14);
}

TEST_F(HandshakeTest, OptionsThatNobodyKnowsAreNoHindrance) {
  const Buffer odd = bytes({254, 6, 1, 2, 3, 4});
  open(options({odd, mss(1200), bytes({30, 4, 0, 0}), scale(6)}), options({odd, scale(1)}));
  EXPECT_EQ(flow().shift(), 6);
  EXPECT_EQ(flow().mss(), 1200u);
}

TEST_F(HandshakeTest, OptionsCutShortAreNotRead) {
  open(bytes({3, 3, 6, 2, 40, 0, 0, 0}), options({scale(1)}));
  EXPECT_EQ(flow().shift(), 6);
  EXPECT_EQ(flow().mss(), 536u);
}

TEST_F(HandshakeTest, ASynSentAgainIsTheSameConnection) {
  up({.seq = 100, .flags = kSyn, .options = options({scale(7), sack_permitted()})});
  const std::uint32_t handle = table.handle(flow());
  up({.seq = 100, .flags = kSyn});  // without the options that may have been what was in the way
  down({.seq = 1000, .ack = 101, .flags = kSyn | kAck, .options = options({scale(2)})});
  down({.seq = 1000, .ack = 101, .flags = kSyn | kAck, .options = options({scale(2)})});
  up({.seq = 101, .ack = 1001});
  EXPECT_EQ(table.handle(flow()), handle);
  EXPECT_EQ(flow().shift(), 7) << "the SYN-ACK answers the one with the options";
  EXPECT_TRUE(flow().syn[1].sack);
  EXPECT_EQ(flow().arrived, 1);
  EXPECT_TRUE(flow().established);
}

TEST_F(HandshakeTest, ASynMayCarryData) {
  down({.seq = 1000, .flags = kSyn, .payload = 300});
  EXPECT_EQ(flow().arrived, 301);
  const auto part = up({.seq = 100, .ack = 1001, .flags = kSyn | kAck});
  EXPECT_EQ(part.newly, 0u) << "the UE did not take the data";
  down({.seq = 1001, .ack = 101, .payload = 300});
  const auto all = up({.seq = 101, .ack = 1301});
  EXPECT_EQ(all.kind, AckKind::advance);
  EXPECT_EQ(all.newly, 300u);
  EXPECT_FALSE(flow().asymmetric);
}

TEST_F(HandshakeTest, DataOfTheUesSynAreAcknowledgedByTheSynAck) {
  up({.seq = 100, .flags = kSyn, .payload = 50});
  down({.seq = 1000, .ack = 151, .flags = kSyn | kAck});
  EXPECT_TRUE(flow().scale_known());
  EXPECT_EQ(flow().ue.acked, 51);
  up({.seq = 151, .ack = 1001});
  EXPECT_TRUE(flow().established);
}

TEST_F(HandshakeTest, ASynAckToAnotherSynIsIgnored) {
  up({.seq = 100, .flags = kSyn});
  down({.seq = 5000, .ack = 4711, .flags = kSyn | kAck});
  EXPECT_FALSE(flow().syn[0].seen);
  EXPECT_FALSE(flow().anchored);
  down({.seq = 1000, .ack = 101, .flags = kSyn | kAck});
  EXPECT_EQ(flow().space.wire(0), 1000u);
}

// The source ignores it, and so what it acknowledges.
TEST_F(HandshakeTest, ASynAckOfTheUeThatOpensNothingTellsTheSourceNothing) {
  up({.seq = 201, .flags = TcpView::kPsh, .payload = 100});
  down({.seq = 61'000, .ack = 251});
  ASSERT_TRUE(flow().established);
  ASSERT_FALSE(flow().heard);
  up({.seq = 5, .ack = 1'000, .flags = kSyn | kAck, .payload = 40, .window = 125});
  EXPECT_FALSE(flow().ack_forwarded);
  ack(900);
  EXPECT_EQ(flow().forwarded_ack, flow().acked);
  EXPECT_EQ(flow().acked, Offset{900} - 61'000);
}

TEST_F(HandshakeTest, ASynWithAnotherNumberBeforeTheHandshakeIsDoneBeginsAnew) {
  up({.seq = 100, .flags = kSyn, .options = options({scale(7)})});
  down({.seq = 1000, .ack = 101, .flags = kSyn | kAck, .options = options({scale(1)})});
  up({.seq = 70'000, .flags = kSyn, .options = options({scale(3)})});
  EXPECT_EQ(restarts, 1u);
  EXPECT_FALSE(flow().syn[0].seen);
  down({.seq = 80'000, .ack = 70'001, .flags = kSyn | kAck, .options = options({scale(1)})});
  up({.seq = 70'001, .ack = 80'001});
  EXPECT_EQ(flow().shift(), 3);
  EXPECT_TRUE(flow().established);
}

TEST_F(HandshakeTest, APortUsedAgainAfterTheCloseIsANewConnection) {
  open();
  down({.seq = 1001, .ack = 101, .flags = kFin | kAck});
  up({.seq = 101, .ack = 1002, .flags = kFin | kAck});
  down({.seq = 1002, .ack = 102});
  ASSERT_TRUE(flow().over());
  const std::uint32_t handle = table.handle(flow());
  up({.seq = 900'000, .flags = kSyn});
  EXPECT_EQ(restarts, 1u);
  EXPECT_NE(table.handle(flow()), handle);
  EXPECT_FALSE(flow().over());
  EXPECT_EQ(flow().syn[1].initial, 900'000u);
}

// RFC 5961 section 4.2: the other end sends a challenge ACK first.
TEST_F(HandshakeTest, ASynAmidALiveConnectionChangesNothingByItself) {
  open(options({scale(7)}), options({scale(2)}));
  data(1001, 1000);
  down({.seq = 777'777, .flags = kSyn});
  down({.seq = 999'999, .ack = 4711, .flags = kSyn | kAck});
  EXPECT_EQ(restarts, 0u);
  EXPECT_EQ(flow().arrived, 1001);
  EXPECT_EQ(flow().shift(), 7);
  EXPECT_EQ(ack(2001).newly, 1000u);
}

TEST_F(HandshakeTest, ASynAmidALiveConnectionOpensAnotherOnceItIsAnswered) {
  open(options({scale(7)}), options({scale(2)}));
  data(1001, 1000);
  up({.seq = 500'000, .flags = kSyn, .window = 900, .options = options({scale(5), mss(1111)})});
  EXPECT_EQ(restarts, 0u);
  down({.seq = 600'000, .ack = 500'001, .flags = kSyn | kAck, .options = options({scale(2)})});
  EXPECT_EQ(restarts, 1u);
  EXPECT_EQ(flow().advertised_edge, 1 + 900);
  up({.seq = 500'001, .ack = 600'001});
  EXPECT_EQ(flow().shift(), 5) << "of the SYN that came before the restart";
  EXPECT_EQ(flow().mss(), 1111u);
  EXPECT_TRUE(flow().established);
  EXPECT_FALSE(flow().asymmetric);
}

TEST_F(HandshakeTest, TheSourceMayConnectAgainAmidALiveConnectionToo) {
  open();
  down({.seq = 600'000, .flags = kSyn, .payload = 40});
  up({.seq = 500'000, .ack = 600'041, .flags = kSyn | kAck});
  EXPECT_EQ(restarts, 1u);
  EXPECT_TRUE(flow().scale_known());
  EXPECT_EQ(flow().arrived, 41);
  EXPECT_EQ(flow().acked, 41);
  down({.seq = 600'041, .ack = 500'001});
  EXPECT_TRUE(flow().established);
}

TEST_F(HandshakeTest, ASynAckAfterTheCloseIsANewConnection) {
  open();
  down({.seq = 1001, .flags = kRst});
  down({.seq = 40'000, .ack = 30'001, .flags = kSyn | kAck});
  EXPECT_EQ(restarts, 1u);
  EXPECT_FALSE(flow().scale_known()) << "the SYN was missed";
  EXPECT_FALSE(flow().over());
}

}  // namespace
}  // namespace dp
