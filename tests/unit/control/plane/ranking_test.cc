#include "control/plane/ranking.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "control/bearers/slab.h"
#include "dataplane/bearer/bearer.h"

namespace control {
namespace {

using namespace std::chrono_literals;

class RankingTest : public ::testing::Test {
 protected:
  // A bearer that delivers that many bytes in the second.
  void bearer(const char* ue, std::uint32_t bytes, dp::ClassId cls = 0) {
    const dp::LegSettings leg{.link = dp::ShaperSpec::Config{}, .rate = 8'000'000, .buffer = {}, .aqm = {}};
    const SharedSettings settings(dp::BearerSettings{.cls = cls, .downlink = leg, .uplink = leg});
    dp::Bearer& made = slab.make(*settings);
    made.ue = *dp::parse_ue(ue);
    made.downlink.count_in(stats.legs[0]);
    registry.insert(made.ue, {.settings = settings, .bearer = &made});
    dp::Sdu sdu{};
    sdu.ip_len = bytes;
    made.downlink.count_crossing(sdu);
  }
  std::vector<std::string> ranked(RankingQuery query) {
    std::vector<Ranked> rows;
    rank(registry, query, rows, of).finish();
    std::vector<std::string> ues;
    for (const Ranked& row : rows) ues.push_back(registry.text_of(row.ue));
    return ues;
  }
  void sample() {
    const auto now = BearerMeter::Clock::now() + 1s;
    while (registry.meter().proceed(now + 1h, now)) {
    }
  }

  BearerSlab slab;
  dp::ClassCounters stats;
  BearerRegistry registry;
  std::size_t of = 0;
};

using Ues = std::vector<std::string>;

TEST_F(RankingTest, TheFirstOnesComeInOrderAndEqualOnesByAddress) {
  bearer("10.45.0.3", 1600);
  bearer("10.45.0.2", 3200);
  bearer("10.45.0.1", 800);
  bearer("2001:db8:1:2::/64", 160, 1);
  sample();
  EXPECT_EQ(ranked({.limit = 2}), (Ues{"10.45.0.2", "10.45.0.3"}));
  EXPECT_EQ(of, 4u);
  EXPECT_EQ(ranked({.reverse = true, .limit = 2}), (Ues{"2001:db8:1:2::/64", "10.45.0.1"}));
  EXPECT_EQ(ranked({.by = RankedBy::used, .limit = 1}), Ues{"10.45.0.2"});
  EXPECT_EQ(ranked({.by = RankedBy::queue, .limit = 2}), (Ues{"10.45.0.1", "10.45.0.2"})) << "none has one";
  EXPECT_EQ(ranked({.limit = 0}), Ues{});
}

TEST_F(RankingTest, FiltersCountThoseThatFit) {
  bearer("10.45.0.1", 16);
  bearer("10.46.0.1", 32, 1);
  bearer("2001:db8:1:2::/64", 160, 1);
  sample();
  EXPECT_EQ(ranked({.cls = dp::ClassId{1}}), (Ues{"2001:db8:1:2::/64", "10.46.0.1"}));
  EXPECT_EQ(of, 2u);
  EXPECT_EQ(ranked({.prefix = *dp::parse_prefix("10.45.0.0/16")}), Ues{"10.45.0.1"});
  EXPECT_EQ(ranked({.prefix = *dp::parse_prefix("2001:db8::/32")}), Ues{"2001:db8:1:2::/64"});
}

TEST_F(RankingTest, ABearerThatGoesIsRankedNoMore) {
  bearer("10.45.0.1", 16);
  bearer("10.45.0.2", 32);
  sample();
  registry.erase(*dp::parse_ue("10.45.0.2"));
  EXPECT_EQ(ranked({}), Ues{"10.45.0.1"});
}

}  // namespace
}  // namespace control
