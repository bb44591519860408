#include "control/capture/frame_pairs.h"

#include <gtest/gtest.h>

#include "dataplane/packet/account.h"
#include "dataplane/packet/ecn.h"
#include "dataplane/packet/parse.h"
#include "tests/support/frames.h"

namespace control {
namespace {

using dp::TapPoint;
using dp::TapRecord;

const dp::test::FrameSpec kAck{.src = dp::test::Ip("10.45.0.2"), .dst = dp::test::Ip("192.0.2.1")};

TapRecord record(TapPoint point, std::uint64_t frame, std::int64_t ms) {
  TapRecord one;
  one.point = point;
  one.frame = frame;
  one.at = dp::time_ns(ms * 1'000'000);
  one.direction = point == TapPoint::core_in || point == TapPoint::radio_out ? dp::Direction::downlink
                                                                             : dp::Direction::uplink;
  return one;
}

// With the offsets and the bytes of a frame.
FramePairs::Seen see(FramePairs& pairs, TapRecord one, dp::test::TestFrame& frame) {
  dp::Sdu& sdu = frame.sdu();
  dp::parse(sdu);
  one.l3_offset = sdu.l3_offset;
  one.l4_offset = sdu.l4_offset;
  one.protocol = sdu.l4_protocol;
  return pairs.see(one, sdu.head());
}

TEST(FramePairsTest, TheCopiesOfAFrameHaveOneIdAndTheTimeBetweenThem) {
  FramePairs pairs;
  const auto first = pairs.see(record(TapPoint::core_in, 100, 1), {});
  const auto second = pairs.see(record(TapPoint::core_in, 200, 2), {});
  EXPECT_EQ(pairs.inside(), 2u);
  TapRecord out = record(TapPoint::radio_out, 100, 24);
  out.queued_sdus = 21;
  const auto left = pairs.see(out, {});
  EXPECT_NE(first.id, second.id);
  EXPECT_EQ(left.id, first.id);
  EXPECT_EQ(first.comment, "");
  EXPECT_EQ(left.comment, "waited 23.000 ms, BO 21");
  EXPECT_EQ(pairs.inside(), 1u);
}

TEST(FramePairsTest, ADropHasItsReasonItsPolicyAndTheQueue) {
  FramePairs pairs;
  const auto in = pairs.see(record(TapPoint::core_in, 100, 1), {});
  TapRecord drop = record(TapPoint::dropped, 100, 24);
  drop.direction = dp::Direction::downlink;
  drop.reason = dp::DropReason::aqm;
  drop.policy = 1;
  drop.queued_sdus = 21;
  const auto dropped = pairs.see(drop, {});
  EXPECT_EQ(dropped.id, in.id);
  EXPECT_EQ(dropped.comment.rfind("dropped: aqm ", 0), 0u) << dropped.comment;
  EXPECT_NE(dropped.comment.find(", waited 23.000 ms, BO 21"), std::string::npos) << dropped.comment;
  EXPECT_EQ(pairs.inside(), 0u);
}

TEST(FramePairsTest, AnAckThatWasHeldAndChangedSaysSo) {
  FramePairs pairs;
  dp::test::TestFrame frame(kAck);
  see(pairs, record(TapPoint::radio_in, 100, 1), frame);
  std::byte* const tcp = frame.sdu().data + frame.sdu().l4_offset;
  const unsigned window = dp::load16(tcp + 14);
  dp::store16(tcp + 14, 20);
  dp::write_ecn(frame.sdu(), dp::kCe);
  const auto out = see(pairs, record(TapPoint::core_out, 100, 5), frame);
  EXPECT_EQ(out.comment,
            "held 4.000 ms, changed: ECN not-ECT to CE, window " + std::to_string(window) + " to 20");
}

TEST(FramePairsTest, AFrameThatTheBoxMadeSaysSoAndKeepsTheIdOfTheOneItRepeats) {
  FramePairs pairs;
  const auto in = pairs.see(record(TapPoint::core_in, 100, 1), {});
  pairs.see(record(TapPoint::radio_out, 100, 2), {});
  TapRecord again = record(TapPoint::radio_out, 100, 9);
  again.made = static_cast<std::uint8_t>(dp::Creation::local_retransmission);
  const auto repeated = pairs.see(again, {});
  EXPECT_EQ(repeated.id, in.id);
  EXPECT_EQ(repeated.comment, "made: local_retransmission");
  TapRecord ack = record(TapPoint::core_out, 300, 9);
  ack.made = static_cast<std::uint8_t>(dp::Creation::forced_ack);
  EXPECT_NE(pairs.see(ack, {}).id, in.id);
}

TEST(FramePairsTest, AnAddressThatIsUsedAgainIsAnotherFrame) {
  FramePairs pairs;
  const auto first = pairs.see(record(TapPoint::core_in, 100, 1), {});
  pairs.see(record(TapPoint::radio_out, 100, 2), {});
  EXPECT_NE(pairs.see(record(TapPoint::radio_out, 100, 3), {}).id, first.id) << "its arrival is missing";
  EXPECT_NE(pairs.see(record(TapPoint::core_in, 100, 4), {}).id, first.id);
}

TEST(FramePairsTest, RemembersABoundedNumberOfFrames) {
  FramePairs pairs;
  for (std::uint64_t i = 0; i < 3 * FramePairs::kMost; ++i)
    pairs.see(record(TapPoint::core_in, 64 * i, 1), {});
  EXPECT_LE(pairs.inside(), FramePairs::kMost);
}

TEST(FramePairsTest, CutFramesAreReadNoFurtherThanTheyReach) {
  dp::test::TestFrame frame(kAck);
  dp::parse(frame.sdu());
  TapRecord one = record(TapPoint::radio_in, 100, 1);
  one.l3_offset = frame.sdu().l3_offset;
  one.l4_offset = frame.sdu().l4_offset;
  one.protocol = frame.sdu().l4_protocol;
  const dp::test::Buffer all(frame.sdu().head().begin(), frame.sdu().head().end());
  for (std::size_t size = 0; size <= all.size(); ++size) {
    const dp::test::Buffer cut(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size));
    FramePairs().see(one, cut);
  }
}

}  // namespace
}  // namespace control
