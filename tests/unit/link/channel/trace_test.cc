#include "dataplane/link/channel/trace.h"

#include <gtest/gtest.h>

#include "dataplane/link/channel/engines.h"

namespace dp {
namespace {

ChannelSettings replaying(std::vector<bool> lost) {
  ChannelSettings settings;
  settings.trace = std::make_shared<const ErrorTrace>(ErrorTrace{"a.trace", std::move(lost)});
  return settings;
}

TEST(TraceChannel, LosesTheFramesThatTheTraceNamesAndBeginsAgainAtItsEnd) {
  Trace channel(replaying({false, true, true, false, false}), Rng(1));
  for (const std::uint64_t frame : {0u, 3u, 4u, 5u, 8u, 5'000'000u})
    EXPECT_FALSE(channel.lost(frame)) << frame;
  Trace other(replaying({false, true, true, false, false}), Rng(2));
  for (const std::uint64_t frame : {1u, 2u, 6u, 7u, 5'000'001u}) EXPECT_TRUE(other.lost(frame)) << frame;
}

TEST(TraceChannel, WithoutATraceOrWithAnEmptyOneNothingIsLost) {
  Trace none(ChannelSettings{}, Rng(1)), empty(replaying({}), Rng(1));
  for (std::uint64_t frame = 0; frame < 10; ++frame) EXPECT_FALSE(none.lost(frame) || empty.lost(frame));
}

TEST(TraceChannel, KeepsItsTraceWhoeverElseLetsItGo) {
  auto settings = std::make_unique<ChannelSettings>(replaying({true}));
  Trace channel(*settings, Rng(1));
  settings.reset();
  EXPECT_TRUE(channel.lost(41));
}

TEST(ChannelSettings, AreEqualWhenTheirTracesSayTheSame) {
  const ChannelSettings a = replaying({true, false}), b = replaying({true, false}), c = replaying({true});
  EXPECT_EQ(a, a);
  EXPECT_EQ(a, b);
  EXPECT_FALSE(a == c);
  EXPECT_FALSE(a == ChannelSettings{});
  ChannelSettings other_fer = a;
  other_fer.fer = 0.2;
  EXPECT_FALSE(a == other_fer);
}

TEST(ChannelList, MakesTheModelOfAnIndex) {
  for (std::size_t i = 0; i < ChannelList::kSize; ++i) {
    EXPECT_EQ(ChannelEngines::make_named(i, ChannelSettings{}, Rng(1)).index(), i);
  }
}

}  // namespace
}  // namespace dp
