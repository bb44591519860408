// Reading the flows of a bearer through the mailbox: a sheet at a time, bounded for any number of flows.
#include <memory>
#include <set>

#include "dataplane/worker/flow_sheet.h"
#include "dataplane/worker/worker.h"
#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

constexpr UeAddress kFollowedUe = ue_ipv4(0x0a2d0002);

class ReadFlowsTest : public WorkerBench {
 protected:
  static BearerSettings following(std::uint32_t flows) {
    BearerSettings settings = bearer_at(10'000'000, 5000);
    settings.uplink.ack.stages = 1;
    settings.uplink.ack.flows.flows = flows;
    return settings;
  }
  void data(std::uint16_t port) {
    io.offer(Side::core,
             {.dst = Ip("10.45.0.2"), .sport = 80, .dport = port, .tcp_flags = 0x10, .payload = 10});
    settle();
  }
  Answer read(FlowSheet& sheet, UeAddress ue = kFollowedUe) { return command(ReadFlows{ue, &sheet}); }

  std::unique_ptr<FlowSheet> sheet = std::make_unique<FlowSheet>();
};

TEST_F(ReadFlowsTest, EveryFlowIsReadOnceASheetAtATime) {
  constexpr std::uint16_t kFlows = 2 * FlowSheet::kCapacity + 5;
  add(kFollowedUe, following(100));
  for (std::uint16_t port = 1; port <= kFlows; ++port) data(port);
  std::multiset<std::uint16_t> ports;
  std::size_t sheets = 0;
  do {
    sheet->size = 0;
    EXPECT_EQ(read(*sheet).sheet, sheet.get());
    EXPECT_TRUE(sheet->followed);
    EXPECT_EQ(sheet->now, clock.now());
    for (std::uint32_t i = 0; i < sheet->size; ++i) ports.insert(sheet->flows[i].key.ue_port);
    ++sheets;
  } while (sheet->more);
  EXPECT_EQ(sheets, 3u);
  EXPECT_EQ(ports.size(), kFlows);
  EXPECT_EQ(std::set(ports.begin(), ports.end()).size(), kFlows);
}

TEST_F(ReadFlowsTest, NoMoreAreReadThanAreWanted) {
  add(kFollowedUe, following(100));
  for (std::uint16_t port = 1; port <= 3; ++port) data(port);
  sheet->wanted = 2;
  read(*sheet);
  EXPECT_EQ(sheet->size, 2u);
  EXPECT_TRUE(sheet->more);
}

TEST_F(ReadFlowsTest, AnEmptyTableIsLookedThroughInPieces) {
  add(kFollowedUe, following(FlowSheet::kLooks + 1));
  read(*sheet);
  EXPECT_EQ(sheet->next, FlowSheet::kLooks);
  EXPECT_TRUE(sheet->more);
  read(*sheet);
  EXPECT_FALSE(sheet->more);
  EXPECT_EQ(sheet->size, 0u);
}

TEST_F(ReadFlowsTest, APlaceBeyondTheTableIsItsEnd) {
  add(kFollowedUe, following(4));
  data(1);
  sheet->next = ~std::uint32_t{0};
  read(*sheet);
  EXPECT_EQ(sheet->size, 0u);
  EXPECT_FALSE(sheet->more);
}

TEST_F(ReadFlowsTest, ABearerWithoutStagesFollowsNone) {
  add(kFollowedUe, bearer_at(8'000'000));
  EXPECT_EQ(read(*sheet).status, CommandStatus::done);
  EXPECT_FALSE(sheet->followed);
}

TEST_F(ReadFlowsTest, OfABearerThatIsGoneTheSheetComesHomeAllTheSame) {
  Bearer& bearer = add(kFollowedUe, following(4));
  data(1);
  command(RemoveBearer{&bearer});
  const Answer answer = read(*sheet);
  EXPECT_EQ(answer.status, CommandStatus::no_bearer);
  EXPECT_EQ(answer.sheet, sheet.get());
  EXPECT_EQ(sheet->size, 0u);
}

}  // namespace
}  // namespace dp::test
