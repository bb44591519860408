// Flows whose segments passed unseen for a time, as in the mode `bypass`.
#include "tests/unit/flow/support.h"

namespace dp {
namespace {

using namespace test;

class FlowInDoubtTest : public FlowBench {
 protected:
  void SetUp() override {
    open(options({scale(2)}), options({scale(4)}));
    data(1001, 1000);
    up({.seq = 101, .ack = 2001, .payload = 100});
    down({.seq = 2001, .ack = 201});
  }
};

TEST_F(FlowInDoubtTest, TakesItsPlaceFromTheNextSegmentsIfTheFirstDoesNotFit) {
  constexpr std::uint32_t kSeq = 0x90000000;
  const std::uint32_t handle = table.handle(flow());
  for (const Direction first : {Direction::downlink, Direction::uplink}) {
    const std::uint32_t seq = kSeq + 10'000'000 * index(first);
    now += 1s;
    table.doubt(now);
    if (first == Direction::uplink) up({.seq = 7000, .ack = seq, .payload = 100});
    data(seq, 1000);
    up({.seq = 7100, .ack = seq + 1000});
    data(seq + 1000, 1000);
    const auto seen = up({.seq = 7100, .ack = seq + 2000});
    EXPECT_EQ(seen.kind, AckKind::advance);
    EXPECT_EQ(seen.newly, 1000u);
    EXPECT_EQ(table.handle(flow()), handle);
    EXPECT_EQ(flow().shift(), 2) << "what the SYNs said stays";
    EXPECT_TRUE(flow().established);
  }
}

TEST_F(FlowInDoubtTest, AnAckOfDataThatPassedUnseenDoesNotFit) {
  table.doubt(now);
  EXPECT_NE(up({.seq = 201, .ack = 5001}).kind, AckKind::ahead);
  data(5001, 1000);
  EXPECT_EQ(up({.seq = 201, .ack = 6001}).newly, 1000u);
}

TEST_F(FlowInDoubtTest, KeepsWhatItKnowsIfTheFirstFits) {
  const Offset edge = flow().advertised_edge;
  table.doubt(now);
  EXPECT_EQ(up({.seq = 201, .ack = 2001, .window = 1}).kind, AckKind::window_update);
  EXPECT_EQ(flow().advertised_edge, edge);
  EXPECT_EQ(flow().acked, 1001);
  EXPECT_TRUE(up({.seq = 201, .ack = 2001 + 900'000'000}).unacceptable) << "the doubt is over";
  EXPECT_EQ(flow().acked, 1001);
}

TEST_F(FlowInDoubtTest, StaysOverIfItWas) {
  down({.seq = 2001, .ack = 201, .flags = kFin | kAck});
  up({.seq = 201, .ack = 2002, .flags = kFin | kAck});
  down({.seq = 2002, .ack = 202});
  table.doubt(now);
  down({.seq = 0x90000000, .ack = 202, .payload = 100});
  EXPECT_TRUE(flow().over());
}

}  // namespace
}  // namespace dp
