// A cell is one worker's: bearers whose UEs other workers have come to it, and go home again, with what
// waits.
#include "tests/support/mesh_bench.h"
#include "tests/unit/sched/cell_bench.h"

namespace dp::test {
namespace {

struct CellOfAWorker {
  explicit CellOfAWorker(Box& box, unsigned worker, std::uint32_t members)
      : cell(CellSettings{.members = members}, worker) {
    box.command(worker, AddCell{&cell});
  }
  Cell cell;
};

// The bearer of a UE whose home is another worker than 1, with a room in the cell of worker 1.
std::uint32_t elsewhere(const Box& box) {
  std::uint32_t n = 0;
  while (box.owner(n) == 1) ++n;
  return n;
}

TEST(CellRoaming, ABearerHasAPlaceOnlyWhereItsCellIs) {
  Box box(2);
  CellOfAWorker of(box, 1, 2);
  const std::uint32_t n = elsewhere(box);
  const unsigned home = box.owner(n);
  box.bearers.push_back(prepare_bearer(
      BearerSettings{.downlink = {.link = constant_radio(), .rate = kMaxRate, .buffer = {100, 1u << 20}}}));
  Bearer& bearer = *box.bearers.back();
  bearer.ue = ue_ipv4(kFirstUe + n);
  CellMember& member = *bearer.downlink.member();
  ASSERT_TRUE(of.cell.admit(member));
  box.command(home, AddBearer{&bearer});
  EXPECT_FALSE(member.entered()) << "the cell is not that worker's";
  for (int i = 0; i < 10; ++i) box.offer(Side::core, n, 1000);
  box.run(10 * kMs);
  EXPECT_EQ(box.io.sent.size(), 0u);
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 10u);
  box.command(home, LendBearer{&bearer, 1});
  box.run(100 * kMs);
  EXPECT_TRUE(member.entered());
  EXPECT_EQ(box.io.sent.size(), 10u) << "what waited has been sent, slot by slot";
  for (int i = 0; i < 100; ++i) box.offer(Side::core, n, 1000);
  box.run(20 * kMs);
  box.command(home, CallHome{&bearer, 1});
  box.run(50 * kMs);
  EXPECT_FALSE(member.entered());
  EXPECT_EQ(of.cell.reserved(), 1u) << "it may come back";
  const std::size_t sent = box.io.sent.size();
  box.run(100 * kMs);
  EXPECT_EQ(box.io.sent.size(), sent);
  box.command(home, RemoveBearer{&bearer});
  EXPECT_EQ(of.cell.reserved(), 0u);
  box.run(10 * kMs);
  EXPECT_EQ(box.io.sent.size(), 110u);
  box.command(1, RemoveCell{&of.cell});
}

}  // namespace
}  // namespace dp::test
