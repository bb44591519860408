#include "dataplane/flow/table.h"

#include <cstddef>
#include <set>

#include "tests/unit/flow/support.h"

namespace dp {
namespace {

using namespace test;

FlowKey key(std::uint16_t port) {
  return {.ue_lo = 0x0a2d0002, .peer_lo = 0xc0000201, .ue_port = port, .peer_port = 80};
}

TEST(Flow, WhatASegmentInOrderLooksAtIsFetchedForIt) {
  const Flow flow;
  const auto behind = [&](const auto& member) {
    return reinterpret_cast<const std::byte*>(&member + 1) - reinterpret_cast<const std::byte*>(&flow);
  };
  const auto hot = static_cast<std::ptrdiff_t>(Flow::kHotBytes);
  EXPECT_LE(behind(flow.key), 64) << "it is compared before anything else is known";
  EXPECT_LE(behind(flow.unacceptable), hot);
  EXPECT_LE(behind(flow.acked), hot);
  EXPECT_LE(behind(flow.ue), hot);
  EXPECT_LE(behind(flow.core), hot);
  EXPECT_LE(behind(flow.timed_at), hot);
  EXPECT_LE(behind(flow.sacked) - static_cast<std::ptrdiff_t>(sizeof(flow.sacked) - 16), hot)
      << "how many ranges and how many bytes";
}

// Results of obtain() for the flow of a port; flows that were forgotten for it stand in `forgotten`.
class FlowTableTest : public testing::Test {
 protected:
  Flow* obtain(std::uint16_t port, FlowClaim claim = FlowClaim::opened) {
    return table.obtain(key(port), claim, now, [&](Flow& flow) {
      EXPECT_EQ(table.find(flow.key), &flow) << "still there when it is told";
      forgotten.push_back(flow.key.ue_port);
    });
  }
  // A segment of its own makes it so.
  Flow& seen(std::uint16_t port, bool established = false, FlowClaim claim = FlowClaim::opened) {
    Flow& flow = *obtain(port, claim);
    flow.established = established;
    flow.last_seen = now;
    table.touch(flow);
    now += 1s;
    return flow;
  }
  std::vector<std::uint16_t> ports() {
    std::vector<std::uint16_t> out;
    table.for_each([&](const Flow& flow) { out.push_back(flow.key.ue_port); });
    return out;
  }

  using Ports = std::vector<std::uint16_t>;
  Time now{};
  FlowTable table{{.flows = 4, .idle = 100s, .idle_embryonic = 10s}, 5};
  Ports forgotten;
};

TEST_F(FlowTableTest, FindsAFlowOnceItWasObtained) {
  EXPECT_EQ(table.find(key(1)), nullptr);
  Flow* const flow = obtain(1);
  ASSERT_NE(flow, nullptr);
  EXPECT_EQ(flow->key, key(1));
  EXPECT_EQ(table.find(key(1)), flow);
  EXPECT_EQ(obtain(1), flow);
  EXPECT_EQ(&table.at(flow->index), flow);
  EXPECT_EQ(table.find(key(2)), nullptr);
  EXPECT_EQ(table.size(), 1u);
}

TEST_F(FlowTableTest, PushesOutTheLongestIdleThatIsNotEstablished) {
  seen(1, true);
  seen(2);
  seen(3);
  seen(4);
  seen(2);
  seen(5);
  EXPECT_EQ(forgotten, Ports({3}));
  EXPECT_EQ(table.find(key(3)), nullptr);
  EXPECT_NE(table.find(key(1)), nullptr);
  EXPECT_EQ(table.size(), 4u);
}

TEST_F(FlowTableTest, HasNoRoomWhenAllAreEstablishedAndNoneIsIdleForLong) {
  for (std::uint16_t port = 1; port <= 4; ++port) seen(port, true);
  now = Time{100s};
  EXPECT_EQ(obtain(5), nullptr);
  EXPECT_TRUE(forgotten.empty());
  EXPECT_EQ(table.size(), 4u);
  EXPECT_NE(obtain(1), nullptr) << "who is in it stays in it";
  now = Time{100s} + 1ns;
  EXPECT_NE(obtain(5), nullptr);
  EXPECT_EQ(forgotten, Ports({1})) << "idle for longer than 100 s";
}

TEST_F(FlowTableTest, PrefersToLoseWhatIsIdleForTooLong) {
  seen(1, true);
  now += 200s;
  seen(2);
  seen(3);
  seen(4);
  seen(5);
  EXPECT_EQ(forgotten, Ports({1})) << "before a handshake of a few seconds";
  now += 11s;
  seen(6);
  EXPECT_EQ(forgotten, Ports({1, 2})) << "a handshake that came to nothing";
}

TEST_F(FlowTableTest, LosesAFlowThatIsOverLikeOneNotEstablished) {
  for (std::uint16_t port = 1; port <= 4; ++port) seen(port, true);
  Flow& over = *table.find(key(3));
  over.reset[0] = true;
  table.touch(over);
  seen(5);
  EXPECT_EQ(forgotten, Ports({3}));
}

TEST_F(FlowTableTest, PushesOutWhatWasClaimedLeastHoweverLateItWasSeen) {
  seen(1);
  seen(2, false, FlowClaim::answered);
  seen(3, false, FlowClaim::none);
  seen(4, false, FlowClaim::answered);
  seen(5);
  EXPECT_EQ(forgotten, Ports({3}));
  seen(6);
  EXPECT_EQ(forgotten, Ports({3, 2})) << "the longest idle of those that the UE answered";
  seen(7);
  seen(8);
  EXPECT_EQ(forgotten, Ports({3, 2, 4, 1})) << "then of those that it opened";
}

TEST_F(FlowTableTest, ANewcomerPushesOutNothingThatWasClaimedByMore) {
  for (std::uint16_t port = 1; port <= 3; ++port) seen(port);
  seen(4, false, FlowClaim::answered);
  EXPECT_EQ(obtain(5, FlowClaim::none), nullptr);
  EXPECT_TRUE(forgotten.empty());
  EXPECT_NE(obtain(6, FlowClaim::answered), nullptr);
  EXPECT_EQ(forgotten, Ports({4}));
  now += 11s;
  EXPECT_NE(obtain(7, FlowClaim::none), nullptr) << "but what is idle for too long";
  EXPECT_EQ(forgotten, Ports({4, 6}));
}

TEST_F(FlowTableTest, AFlowIsWorthTheMostThatASegmentOfItsConnectionClaimed) {
  seen(1, false, FlowClaim::none);
  seen(2, false, FlowClaim::none);
  seen(3, false, FlowClaim::none);
  seen(4, false, FlowClaim::none);
  seen(1, false, FlowClaim::opened);
  seen(1, false, FlowClaim::none);
  seen(2, false, FlowClaim::answered);
  for (std::uint16_t port = 5; port <= 9; ++port) seen(port, false, FlowClaim::none);
  EXPECT_EQ(forgotten, Ports({3, 4, 5, 6, 7}));
  table.restart(*table.find(key(1)), FlowClaim::none, now);
  table.restart(*table.find(key(9)), FlowClaim::none, now += 1s);
  seen(10, false, FlowClaim::none);
  seen(11, false, FlowClaim::none);
  EXPECT_EQ(forgotten, Ports({3, 4, 5, 6, 7, 8, 1})) << "of the connection before nothing counts";
}

TEST_F(FlowTableTest, ASegmentClaimsByWhoSendsItAndWhatItIs) {
  const auto claim = [](std::uint8_t flags, Direction direction) {
    const Spoken spoken({}, {.flags = flags}, direction);
    return claim_of(spoken.segment().tcp, direction);
  };
  for (const std::uint8_t flags : {kSyn, kAck, kFin, kRst}) {
    EXPECT_EQ(claim(flags, Direction::downlink), FlowClaim::none);
  }
  EXPECT_EQ(claim(kSyn, Direction::uplink), FlowClaim::opened);
  EXPECT_EQ(claim(kSyn | kAck, Direction::uplink), FlowClaim::answered) << "anybody can have it sent";
  EXPECT_EQ(claim(kAck, Direction::uplink), FlowClaim::answered);
  EXPECT_EQ(claim(kRst, Direction::uplink), FlowClaim::none);
  EXPECT_EQ(claim(kSyn | kRst, Direction::uplink), FlowClaim::none);
}

TEST_F(FlowTableTest, WithoutRoomForAllThoseStayBehindThatWouldLeaveFirst) {
  seen(1, true);
  seen(2);
  seen(3, false, FlowClaim::answered);
  seen(4, false, FlowClaim::none);
  FlowTable smaller({.flows = 2}, 6);
  smaller.take_over(table);
  EXPECT_NE(smaller.find(key(1)), nullptr);
  EXPECT_NE(smaller.find(key(2)), nullptr);
  EXPECT_EQ(smaller.obtain(key(5), FlowClaim::answered, now, [](Flow&) { FAIL(); }), nullptr);
  EXPECT_NE(smaller.obtain(key(5), FlowClaim::opened, now, [](const Flow&) {}), nullptr);
  EXPECT_EQ(smaller.find(key(2)), nullptr) << "claims come along";
}

TEST_F(FlowTableTest, NewIdleTimesCountAtOnceButTheNumberOfFlowsStays) {
  for (std::uint16_t port = 1; port <= 4; ++port) seen(port, true);
  table.set_idle({.flows = 1000, .idle = 1s, .idle_embryonic = 1s});
  EXPECT_EQ(table.limits().flows, 4u);
  EXPECT_NE(obtain(5), nullptr);
  EXPECT_EQ(forgotten, Ports({1}));
}

TEST_F(FlowTableTest, InDoubtAFlowMayLeaveUntilItIsSeenAgain) {
  for (std::uint16_t port = 1; port <= 4; ++port) seen(port, true);
  table.doubt(now);
  seen(1, true);
  EXPECT_NE(obtain(5), nullptr);
  EXPECT_EQ(forgotten, Ports({2})) << "the longest idle";
  FlowTable larger({.flows = 5, .idle = 100s}, 6);
  larger.take_over(table);
  Ports left;
  for (std::uint16_t port = 6; port <= 8; ++port)
    larger.obtain(key(port), FlowClaim::none, now,
                  [&](const Flow& flow) { left.push_back(flow.key.ue_port); });
  EXPECT_EQ(left, Ports({3, 4})) << "one place was free; doubt stays with a larger table";
}

TEST_F(FlowTableTest, NamesItsFlowsMostRecentlySeenFirst) {
  seen(1, true);
  seen(2);
  seen(3, true);
  seen(4);
  EXPECT_EQ(ports(), Ports({4, 3, 2, 1}));
  seen(1, true);
  seen(2, true);
  EXPECT_EQ(ports(), Ports({2, 1, 4, 3}));
}

TEST_F(FlowTableTest, TheLatestIsTheEstablishedFlowThatWasSeenLastWhileThereIsOne) {
  EXPECT_EQ(table.latest(), nullptr);
  seen(1);
  EXPECT_EQ(table.latest(), nullptr) << "not established";
  seen(2, true);
  Flow& third = seen(3, true);
  EXPECT_EQ(table.latest(), &third);
  EXPECT_EQ(table.slot_of(third), third.index);
  EXPECT_EQ(table.find(key(2))->key, key(2)) << "not the latest, and found";
  third.reset[0] = true;
  table.touch(third);
  EXPECT_EQ(table.latest(), table.find(key(2))) << "one that is over is not";
  table.restart(*table.find(key(2)), FlowClaim::opened, now);
  EXPECT_EQ(table.latest(), nullptr);
}

TEST_F(FlowTableTest, AHandleLeadsToItsFlowUntilThatLeaves) {
  std::set<std::uint32_t> handles;
  for (std::uint16_t port = 1; port <= 4; ++port) handles.insert(table.handle(seen(port)));
  EXPECT_EQ(handles.size(), 4u);
  EXPECT_FALSE(handles.contains(0));
  const std::uint32_t first = table.handle(*table.find(key(1)));
  EXPECT_EQ(table.by_handle(first), table.find(key(1)));
  Flow& fifth = seen(5);
  EXPECT_EQ(forgotten, Ports({1}));
  EXPECT_EQ(table.by_handle(first), nullptr) << "the fifth has its place";
  EXPECT_EQ(table.by_handle(table.handle(fifth)), &fifth);
}

TEST_F(FlowTableTest, HandlesOfNoFlowLeadNowhere) {
  for (std::uint32_t handle = 0; handle < 256; ++handle) EXPECT_EQ(table.by_handle(handle), nullptr);
  for (std::uint32_t bit = 0; bit < 32; ++bit) EXPECT_EQ(table.by_handle(1u << bit), nullptr);
  EXPECT_EQ(table.by_handle(~0u), nullptr);
}

TEST_F(FlowTableTest, ARestartedFlowIsNewButForItsKey) {
  Flow& flow = seen(7, true);
  const std::uint32_t before = table.handle(flow);
  flow.syn[0].seen = flow.anchored = true;
  flow.arrived = 5000;
  now += 5s;
  table.restart(flow, FlowClaim::opened, now);
  EXPECT_EQ(table.find(key(7)), &flow);
  EXPECT_EQ(flow.first_seen, now);
  EXPECT_FALSE(flow.established || flow.anchored || flow.syn[0].seen);
  EXPECT_EQ(flow.arrived, 0);
  EXPECT_EQ(table.by_handle(before), nullptr) << "what is queued of the old connection is not of this one";
  EXPECT_EQ(table.by_handle(table.handle(flow)), &flow);
  for (std::uint16_t port = 1; port <= 4; ++port) seen(port);
  EXPECT_EQ(forgotten, Ports({7})) << "it has to prove itself again";
}

TEST_F(FlowTableTest, OfNoFlowsFollowsNone) {
  FlowTable none({.flows = 0}, 1);
  EXPECT_EQ(none.obtain(key(1), FlowClaim::opened, now, [](Flow&) { FAIL(); }), nullptr);
  EXPECT_EQ(none.find(key(1)), nullptr);
  EXPECT_EQ(none.by_handle(1), nullptr);
  EXPECT_EQ(none.size(), 0u);
}

TEST_F(FlowTableTest, GenerationsGoRoundWithoutAHandleOfZero) {
  FlowTable one({.flows = 0xffff}, 1);  // generations of sixteen bits
  Flow& flow = *one.obtain(key(1), FlowClaim::opened, now, [](Flow&) {});
  std::uint32_t last = 0;
  for (int i = 0; i < 70'000; ++i) {
    const std::uint32_t handle = one.handle(flow);
    ASSERT_NE(handle, 0u);
    ASSERT_NE(handle, last);
    ASSERT_EQ(one.by_handle(handle), &flow);
    ASSERT_EQ(one.by_handle(last), nullptr);
    last = handle;
    one.restart(flow, FlowClaim::opened, now);
  }
}

TEST_F(FlowTableTest, OneTakesOverTheFlowsOfAnother) {
  for (std::uint32_t flows : {3u, 4u, 8u}) {
    SCOPED_TRACE(flows);
    FlowTable old({.flows = 4}, 9), next({.flows = flows, .idle = 7s}, 10);
    for (std::uint16_t port = 1; port <= 4; ++port) {
      Flow& flow = *old.obtain(key(port), FlowClaim::opened, Time{1s * port}, [](Flow&) {});
      flow.arrived = port;
      flow.established = port % 2 == 0;
      old.touch(flow);
    }
    next.take_over(old);
    EXPECT_EQ(next.limits(), (FlowLimits{.flows = flows, .idle = 7s}));
    EXPECT_EQ(next.size(), std::min(flows, 4u));
    Ports found;
    next.for_each([&](const Flow& flow) {
      EXPECT_EQ(flow.arrived, flow.key.ue_port);
      EXPECT_EQ(next.find(flow.key), &flow);
      EXPECT_EQ(&next.at(flow.index), &flow);
      EXPECT_EQ(next.by_handle(next.handle(flow)), &flow);
      found.push_back(flow.key.ue_port);
    });
    EXPECT_EQ(found, flows == 3 ? Ports({4, 3, 2}) : Ports({4, 3, 2, 1}));
  }
}

// The tuple of a segment is what the sender chose; who it is among the bearer's flows must not be.
TEST_F(FlowTableTest, FollowsConnectionsOfBothFamiliesWithTheSameNumbers) {
  FlowKey v4 = key(1), v6 = key(1);
  v6.ipv6 = true;
  Flow* const first = table.obtain(v4, FlowClaim::opened, now, [](Flow&) {});
  Flow* const second = table.obtain(v6, FlowClaim::opened, now, [](Flow&) {});
  EXPECT_NE(first, second);
  EXPECT_EQ(table.find(v4), first);
  EXPECT_EQ(table.find(v6), second);
}

}  // namespace
}  // namespace dp
