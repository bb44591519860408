// Which seed the papers' rows begin with: of the first fifty the one whose 20 runs have the most ordinary
// channel, looked at by itself, without traffic and before any result.
#include <cmath>
#include <variant>

#include <gtest/gtest.h>

#include "dataplane/link/am/channel_rng.h"
#include "dataplane/link/channel/markov.h"
#include "tools/lab/figures/embedded.h"
#include "tools/lab/run/simulation.h"
#include "tools/lab/scenario/scenario.h"

namespace lab {
namespace {

constexpr std::uint64_t kSeeds = 50;

Scenario papers_scenario() {
  const auto checked = load_scenario(embedded_file("papers-000-002.yaml"), "papers-000-002.yaml");
  EXPECT_TRUE(checked);
  return checked ? *checked : Scenario{};
}

struct Losses {
  double frames = 0, lost = 0, bursts = 0;

  void operator+=(const Losses& other) {
    frames += other.frames;
    lost += other.lost;
    bursts += other.bursts;
  }
  double fer() const { return lost / frames; }
  double burst() const { return lost / bursts; }
};

const dp::AmLinkConfig& air_of(const dp::LegSettings& leg) { return std::get<dp::AmLinkConfig>(leg.link); }

// Every frame of a run, in one direction.
Losses losses_of(const dp::AmLinkConfig& air, dp::Direction direction, dp::Duration duration) {
  dp::Markov channel(air.fading(), dp::channel_rng(air, 0, direction));
  Losses losses;
  bool before = false;
  for (std::uint64_t frame = 0; frame < static_cast<std::uint64_t>(duration / air.tti); ++frame) {
    const bool lost = channel.lost(frame);
    losses += {1, lost ? 1.0 : 0.0, lost && !before ? 1.0 : 0.0};
    before = lost;
  }
  return losses;
}

struct BothWays {
  Losses downlink, uplink;
};

BothWays run_of(const Scenario& scenario, std::uint64_t seed) {
  const dp::BearerSettings settings = settings_of_run(scenario, 0, seed);
  return {losses_of(air_of(settings.downlink), dp::Direction::downlink, scenario.duration),
          losses_of(air_of(settings.uplink), dp::Direction::uplink, scenario.duration)};
}

// Squares of the relative errors of frame error ratio and mean burst length, of both directions, summed.
double distance(const Losses& losses, const dp::AmLinkConfig& air) {
  const double nominal = 1 / dp::fading_rates(air.fer, air.doppler).to_good;
  return std::pow(losses.fer() / air.fer - 1, 2) + std::pow(losses.burst() / nominal - 1, 2);
}

TEST(PapersSeed, OfTheFirstFiftyIsTheOneWithTheMostOrdinaryChannel) {
  const Scenario scenario = papers_scenario();
  const dp::AmLinkConfig air = air_of(settings_of_run(scenario, 0, 1).downlink);
  std::vector<BothWays> runs;
  for (std::uint64_t seed = 1; seed < kSeeds + scenario.runs; ++seed) runs.push_back(run_of(scenario, seed));
  std::uint64_t nearest = 0;
  double least = 1e9;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    BothWays block;
    for (std::uint64_t i = 0; i < scenario.runs; ++i) {
      block.downlink += runs[seed - 1 + i].downlink;
      block.uplink += runs[seed - 1 + i].uplink;
    }
    const double off = distance(block.downlink, air) + distance(block.uplink, air);
    if (off < least) {
      least = off;
      nearest = seed;
    }
  }
  EXPECT_EQ(scenario.seed, nearest) << "distance " << least;
}

// 000 section 4 with Table 1, by the published model.
TEST(PapersChannel, LosesATenthOfItsFramesInBurstsOfThirteenPointSixSeven) {
  const Scenario scenario = papers_scenario();
  Losses all;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const BothWays run = run_of(scenario, seed);
    all += run.downlink;
    all += run.uplink;
  }
  EXPECT_NEAR(all.fer(), 0.1, 0.1 * 0.01);
  EXPECT_NEAR(all.burst(), 13.67, 13.67 * 0.01);
}

}  // namespace
}  // namespace lab
