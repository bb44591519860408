// A flood of SYNs against a bearer's flow table: who stays, and what it costs. Counts what the program
// allocates, so it is a program of its own.
#include <random>

#include "tests/support/counted_bytes.h"
#include "tests/unit/flow/support.h"

namespace dp {
namespace {

using namespace test;

TEST(FlowTableMemory, IsWhatBytesForSaysAndIsTakenAtConstruction) {
  for (const std::uint32_t flows : {0u, 1u, 2u, 3u, 63u, 64u, 65u, 1000u}) {
    const FlowLimits limits{.flows = flows};
    const std::size_t before = heap_bytes;
    const FlowTable table(limits, 1);
    const std::size_t taken = heap_bytes - before;
    EXPECT_EQ(taken, FlowTable::bytes_for(limits)) << flows;
  }
}

class SynFloodTest : public FlowBench {
 protected:
  static constexpr std::uint16_t kConnections = 10;

  Ends nth(std::uint16_t n) const { return {.ue_port = static_cast<std::uint16_t>(40'000 + n)}; }
  // A segment of data and its ACK on each.
  void exchange() {
    for (std::uint16_t n = 0; n < kConnections; ++n) {
      ends = nth(n);
      data(seq_, 100);
      ASSERT_EQ(ack(seq_ + 100).newly, 100u);
      ASSERT_TRUE(flow().scale_known()) << "followed since its handshake";
      ASSERT_EQ(flow().shift(), 7);
    }
    seq_ += 100;
  }

  std::uint32_t seq_ = 1001;
};

// SYNs of random sources, which the UE answers as a server would: only the UE pays for a SYN-ACK.
TEST_F(SynFloodTest, LeavesEstablishedConnectionsFollowedAndTakesNoMemory) {
  for (std::uint16_t n = 0; n < kConnections; ++n) {
    ends = nth(n);
    open(options({scale(7)}), options({scale(7)}));
  }
  exchange();
  std::vector<std::uint32_t> handles;
  for (std::uint16_t n = 0; n < kConnections; ++n) {
    ends = nth(n);
    handles.push_back(table.handle(flow()));
  }
  std::mt19937 rng(1);
  std::size_t refused = 0, taken = 0, forgotten = 0;
  for (int i = 0; i < 100'000; ++i) {
    now += 10us;
    const auto word = [&] { return static_cast<std::uint32_t>(rng()); };
    const auto port = [&] { return static_cast<std::uint16_t>(rng()); };
    const Ends attacker{.peer = Ip(word()), .peer_port = port(), .ue_port = port()};
    const Spoken syn(attacker, {.seq = word(), .flags = kSyn}, Direction::downlink);
    const Spoken answer(attacker, {.seq = word(), .ack = syn.segment().tcp.seq() + 1, .flags = kSyn | kAck},
                        Direction::uplink);
    const std::size_t before = heap_allocations;
    Flow* const flow = table.obtain(syn.segment().key, FlowClaim::none, now, [&](Flow&) { ++forgotten; });
    refused += flow == nullptr;
    track_downlink(*flow, syn.segment(), now);
    table.touch(*flow);
    if (i % 2 == 0) track_uplink(*flow, answer.segment(), now);
    table.touch(*flow);
    taken += heap_allocations - before;
    if (i % 10'000 == 0) exchange();
  }
  EXPECT_EQ(refused, 0u);
  EXPECT_EQ(taken, 0u) << "allocations";
  EXPECT_EQ(forgotten, 100'000 - (16 - kConnections)) << "each pushes out one of its like";
  EXPECT_EQ(table.size(), 16u);
  exchange();
  for (std::uint16_t n = 0; n < kConnections; ++n) {
    ends = nth(n);
    EXPECT_EQ(table.by_handle(handles[n]), &flow()) << "the same flow all the time";
  }
}

TEST_F(SynFloodTest, OfAFullTableGetsNoPlaceAtAll) {
  FlowTable small({.flows = 2}, 3);
  for (std::uint16_t port : {1, 2}) {
    Flow& flow = *small.obtain({.ue_port = port}, FlowClaim::opened, now, [](Flow&) {});
    flow.established = true;
    small.touch(flow);
  }
  std::mt19937 rng(2);
  for (int i = 0; i < 100'000; ++i) {
    const FlowKey key{.peer_lo = rng(), .ue_port = 5};
    ASSERT_EQ(small.obtain(key, FlowClaim::opened, now, [](Flow&) { FAIL(); }), nullptr);
  }
  EXPECT_EQ(small.size(), 2u);
}

}  // namespace
}  // namespace dp
