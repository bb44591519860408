#include "dataplane/ack/stages/shares.h"

#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/ack/stages/in_transit.h"

namespace dp {
namespace {

using namespace std::chrono_literals;

struct Member {
  AgeList<Member>::Node node{};
};

TEST(AgeList, KeepsAnyMembersInTheOrderOfTheirTimes) {
  std::mt19937 rng(7);
  std::vector<Member> members(20);
  AgeList<Member> list;
  std::set<Member*> in;
  for (int i = 0; i < 5'000; ++i) {
    Member& m = members[rng() % members.size()];
    if (rng() % 3 == 0) {
      list.remove(m.node);
      in.erase(&m);
    } else {
      list.put(m, m.node, time_ns(static_cast<std::int64_t>(rng() % 50)));
      in.insert(&m);
    }
    ASSERT_EQ(list.size(), in.size());
    Time least = kNever;
    for (const Member* one : in) least = std::min(least, one->node.at);
    ASSERT_EQ(list.oldest_at(), least);
    ASSERT_EQ(list.oldest() != nullptr, !in.empty());
  }
  for (Time last{}; list.size() > 0;) {
    ASSERT_GE(list.oldest_at(), last);
    last = list.oldest_at();
    ASSERT_EQ(in.erase(list.oldest()), 1u);
    list.remove(list.oldest()->node);
  }
  EXPECT_TRUE(in.empty());
}

TEST(AgeList, PostponementMovesAll) {
  std::vector<Member> members(2);
  AgeList<Member> list;
  list.put(members[0], members[0].node, time_ns(5));
  list.put(members[1], members[1].node, time_ns(3));
  list.postpone(Duration{10});
  EXPECT_EQ(list.oldest(), &members[1]);
  EXPECT_EQ(list.oldest_at(), time_ns(13));
  EXPECT_EQ(members[0].node.at, time_ns(15));
}

Flow flow_with(std::uint16_t source_mss, std::uint16_t ue_mss, bool stamps) {
  Flow flow{};
  flow.syn[0] = {.seen = true, .mss = source_mss, .timestamps = stamps};
  flow.syn[1] = {.seen = true, .mss = ue_mss, .timestamps = true};
  return flow;
}

TEST(FullSegment, IsTheSmallerMssLessTheTimestamps) {
  EXPECT_EQ(full_segment(flow_with(1460, 1400, false)), 1400);
  EXPECT_EQ(full_segment(flow_with(1000, 1400, true)), 988);
  EXPECT_EQ(full_segment(Flow{}), 1460) << "no handshake was seen";
  EXPECT_EQ(full_segment(flow_with(5, 5, true)), 1);
}

TEST(RoomIn, IsWhatEitherLimitLeavesBesideWhatIsInTransmission) {
  const Flow flow = flow_with(1000, 1000, false);
  BufferReading buffer{.sdus = 7, .bytes = 7 * 1040, .waiting_sdus = 5, .waiting_bytes = 5 * 1040};
  buffer.limit_sdus = 20;
  buffer.limit_bytes = 1 << 20;
  EXPECT_EQ(space_in(buffer, flow), 18'000);
  buffer.limit_bytes = 12 * 1040;
  EXPECT_EQ(space_in(buffer, flow), 10'000);
  buffer.limit_sdus = 1;
  EXPECT_EQ(space_in(buffer, flow), 0) << "a limit that was lowered";
  Flow ipv6 = flow;
  ipv6.key.ipv6 = true;
  buffer.limit_sdus = 20;
  EXPECT_EQ(space_in(buffer, ipv6), 10 * 1040 * 1'000 / 1'060);
}

constexpr Duration kHorizon = 150ms;

TEST(InTransit, CountsWhatWasClockedOutUntilItComesTheOldestFirst) {
  InTransit t;
  t.clocked_out(1'000, Time{} + 1s, kHorizon);
  t.clocked_out(2'000, Time{} + 1'100ms, kHorizon);
  EXPECT_EQ(t.bytes(Time{} + 1'100ms, kHorizon), 3'000u);
  t.arrived(1'500);
  EXPECT_EQ(t.bytes(Time{} + 1'200ms, kHorizon), 1'500u) << "of the second: the first has come";
  t.arrived(9'000);
  EXPECT_EQ(t.bytes(Time{} + 1'200ms, kHorizon), 0u);
}

TEST(InTransit, WaitsForTheHorizonAndHardlyLonger) {
  for (std::int64_t start = 1'000; start < 1'020; ++start) {
    InTransit t;
    const Time at = Time{} + std::chrono::milliseconds(start);
    t.clocked_out(1'000, at, kHorizon);
    EXPECT_EQ(t.bytes(at + kHorizon - 1ms, kHorizon), 1'000u) << start;
    EXPECT_EQ(t.bytes(at + kHorizon + kHorizon / 10, kHorizon), 0u) << start;
  }
}

TEST(InTransit, ForgetsEverythingInALongSilence) {
  InTransit t;
  t.clocked_out(1'000, Time{}, kHorizon);
  t.clocked_out(500, Time{} + 1h, kHorizon);
  EXPECT_EQ(t.bytes(Time{} + 1h, kHorizon), 500u);
}

TEST(InTransit, TimeThatStandsALittleBackDoesNoHarm) {
  InTransit t;
  t.clocked_out(1'000, Time{} + 1s, kHorizon);
  t.clocked_out(1'000, Time{} + 990ms, kHorizon);
  EXPECT_EQ(t.bytes(Time{} + 1s, kHorizon), 2'000u);
}

TEST(InTransit, WithoutAHorizonNothingIsAwaited) {
  InTransit t;
  t.clocked_out(1'000, Time{} + 1s, Duration{});
  EXPECT_EQ(t.bytes(Time{} + 1'001ms, Duration{}), 0u);
}

}  // namespace
}  // namespace dp
