// Whose frame errors are whose: streams of one seed for bearers and directions.
#include "dataplane/link/am/channel_rng.h"

#include <vector>

#include <gtest/gtest.h>

#include "dataplane/link/channel/markov.h"

namespace dp {
namespace {

std::vector<bool> losses(const AmLinkConfig& config, std::uint64_t number, Direction direction) {
  Markov channel(config.fading(), channel_rng(config, number, direction));
  std::vector<bool> lost;
  for (std::uint64_t frame = 0; frame < 2000; ++frame) lost.push_back(channel.lost(frame));
  return lost;
}

TEST(ChannelRng, EachBearerAndEachDirectionHasErrorsOfItsOwn) {
  const AmLinkConfig config;
  EXPECT_NE(losses(config, 0, Direction::downlink), losses(config, 1, Direction::downlink));
  EXPECT_NE(losses(config, 0, Direction::downlink), losses(config, 0, Direction::uplink));
}

TEST(ChannelRng, BearersThatShareErrorsLoseTheFramesOfTheFirstOne) {
  const AmLinkConfig own;
  AmLinkConfig shared;
  shared.shared_errors = true;
  for (const Direction d : kDirections) {
    EXPECT_EQ(losses(shared, 3, d), losses(own, 0, d));
    EXPECT_EQ(losses(shared, 3, d), losses(shared, 8, d));
  }
  EXPECT_NE(losses(shared, 3, Direction::downlink), losses(shared, 3, Direction::uplink));
  AmLinkConfig other_seed = shared;
  other_seed.seed = 2;
  EXPECT_NE(losses(shared, 3, Direction::downlink), losses(other_seed, 3, Direction::downlink));
}

}  // namespace
}  // namespace dp
