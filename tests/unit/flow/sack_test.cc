// SACK and D-SACK in the ACKs of a UE.
#include "tests/unit/flow/support.h"

namespace dp {
namespace {

using namespace test;

// Five kilobytes are in the pipe; their first is at 1001.
class SackTest : public FlowBench {
 protected:
  void SetUp() override {
    open(options({sack_permitted()}), options({sack_permitted()}));
    for (std::uint32_t i = 0; i < 5; ++i) data(1001 + 1000 * i, 1000);
  }
  Acknowledgement sack(std::uint32_t number,
                       std::initializer_list<std::pair<std::uint32_t, std::uint32_t>> list) {
    return ack(number, 65535, options({blocks(list)}));
  }
};

TEST_F(SackTest, BlocksTakeTheirBytesOutOfThePipe) {
  EXPECT_EQ(flow().pipe(), 5000);
  const auto seen = sack(1001, {{2001, 3001}});
  EXPECT_EQ(seen.kind, AckKind::sack);
  EXPECT_EQ(seen.newly, 0u);
  EXPECT_EQ(flow().pipe(), 4000);
  sack(1001, {{4001, 5001}, {2001, 3001}});
  EXPECT_EQ(flow().pipe(), 3000);
  EXPECT_EQ(flow().duplicates, 2u);
}

TEST_F(SackTest, AnAckWithBlocksMayAdvance) {
  sack(1001, {{2001, 4001}});
  const auto seen = sack(2001, {{2001, 4001}});
  EXPECT_EQ(seen.kind, AckKind::sack);
  EXPECT_EQ(seen.newly, 1000u);
  EXPECT_EQ(flow().duplicates, 0u);
  EXPECT_EQ(flow().pipe(), 2000);
  EXPECT_EQ(ack(5001).newly, 3000u);
  EXPECT_EQ(flow().sacked.bytes(), 0);
}

TEST_F(SackTest, AbsurdBlocksAreIgnored) {
  sack(1001, {{3001, 2001}, {6001, 7001}, {5001, 6002}, {0x80000000, 0x80000100}});
  sack(1001, {{0x70000000, 0x90000000}, {2001, 2001}, {501, 2001}});
  EXPECT_EQ(flow().sacked.bytes(), 0);
  EXPECT_EQ(flow().pipe(), 5000);
}

// RFC 2883 section 4.
TEST_F(SackTest, DuplicateBlocksAddNothing) {
  ack(3001);
  EXPECT_EQ(sack(3001, {{1001, 2001}}).kind, AckKind::sack);
  EXPECT_EQ(flow().sacked.bytes(), 0) << "below the cumulative ACK";
  sack(3001, {{2001, 3001}, {4001, 5001}});
  EXPECT_EQ(flow().sacked.bytes(), 1000);
  sack(3001, {{4001, 4501}, {4001, 5001}});
  EXPECT_EQ(flow().sacked.bytes(), 1000) << "within the second block";
}

TEST_F(SackTest, BlocksOfAnOldAckStillCount) {
  ack(2001);
  EXPECT_EQ(sack(1001, {{3001, 4001}}).kind, AckKind::old);
  EXPECT_EQ(flow().sacked.bytes(), 1000);
  EXPECT_EQ(flow().acked, 1001);
}

TEST_F(SackTest, OfDataItIsData) {
  const auto seen =
      up({.seq = 101, .ack = 1001, .payload = 10, .options = options({blocks({{2001, 3001}})})});
  EXPECT_EQ(seen.kind, AckKind::data);
  EXPECT_EQ(flow().sacked.bytes(), 1000);
}

}  // namespace
}  // namespace dp
