// The window growth of each congestion control by itself, against its paper's or RFC's equations.
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "dataplane/base/fields.h"
#include "dataplane/tcp/registry.h"

namespace dp {
namespace {

constexpr std::uint32_t kMss = 1000;

CongestionWindow window(double segments, double ssthresh = 1e6) {
  return {segments * kMss, ssthresh * kMss, kMss};
}

AckSample ack(double seconds, Offset segments = 1, Duration srtt = {}) {
  return {Time{} + Duration{static_cast<std::int64_t>(seconds * 1e9)}, segments * kMss, std::nullopt, srtt};
}

TEST(CongestionList, NamesEachMemberOnceAndSaysWhatItDoes) {
  const std::set<std::string_view> names(CongestionList::kNames.begin(), CongestionList::kNames.end());
  EXPECT_EQ(names.size(), CongestionList::kSize);
  CongestionList::for_each([]<class Tag>(Tag) { EXPECT_FALSE(Tag::type::kDoc.empty()); });
}

TEST(CongestionList, MembersGrowAndShrinkAWindowOfAnySizeWithinTheirFieldsLimits) {
  CongestionList::for_each([]<class Tag>(Tag) {
    using C = typename Tag::type;
    for_each_field<typename C::Config>([](const auto& field) {
      for (auto value : {field.min, field.max}) {
        typename C::Config config{};
        config.*field.member = value;
        C control(config);
        CongestionWindow w = window(1);
        for (int i = 0; i < 200; ++i) {
          const double before = w.cwnd;
          control.observe(w, ack(i * 0.01));
          control.on_ack(w, ack(i * 0.01));
          EXPECT_GE(w.cwnd, before) << C::kName << " " << field.name;
          EXPECT_TRUE(std::isfinite(w.cwnd));
          if (i % 50 == 49) {
            w.ssthresh = w.cwnd = control.after_loss(w, w.cwnd);
            EXPECT_GE(w.ssthresh, 2 * kMss) << C::kName << " " << field.name;
          }
        }
        EXPECT_GE(control.after_timeout(w, 0), 2 * kMss);
      }
    });
  });
}

TEST(RenoGrowth, IsASegmentAnAckInSlowStartWhateverItAcknowledges) {
  RenoGrowth reno({});
  CongestionWindow w = window(1);
  reno.on_ack(w, ack(0, 1));
  reno.on_ack(w, ack(0, 2));
  EXPECT_EQ(w.cwnd, 3 * kMss);
  // RFC 5681 equation 2: no more than was acknowledged.
  reno.on_ack(w, {Time{}, 10, std::nullopt, {}});
  EXPECT_EQ(w.cwnd, 3 * kMss + 10);
}

TEST(RenoGrowth, IsAPartOfASegmentAnAckAboveSsthresh) {
  RenoGrowth reno({});
  CongestionWindow w = window(4, 4);
  reno.on_ack(w, ack(0, 2));
  EXPECT_DOUBLE_EQ(w.cwnd, 4250);
  reno.on_ack(w, ack(0, 1));
  EXPECT_DOUBLE_EQ(w.cwnd, 4250 + 1e6 / 4250);
}

TEST(RenoGrowth, WithBytesCountedIsASegmentAWindowAndTwoAnAckInSlowStart) {
  RenoGrowth reno({.abc_limit = 2});
  CongestionWindow w = window(2, 10);
  reno.on_ack(w, ack(0, 3));
  EXPECT_EQ(w.cwnd, 4 * kMss);
  w = window(4, 4);
  reno.on_ack(w, ack(0, 2));
  EXPECT_EQ(w.cwnd, 4 * kMss);
  reno.on_ack(w, ack(0, 2));
  EXPECT_EQ(w.cwnd, 5 * kMss);
}

TEST(RenoGrowth, HalvesWhatIsInFlightButNotBelowTwoSegments) {
  RenoGrowth reno({});
  EXPECT_EQ(reno.after_loss(window(20), 15'000), 7'500);
  EXPECT_EQ(reno.after_timeout(window(20), 3'000), 2'000);
}

// RFC 9438 section 4.2: W_max 100, beta 0.7, so K = cbrt(100 * 0.3 / 0.4) = 4.2172 s.
TEST(Cubic, AfterALossReturnsToItsOldWindowInKSecondsAlongTheCubic) {
  Cubic cubic({.fast_convergence = false});
  CongestionWindow w = window(100, 100);
  w.cwnd = w.ssthresh = cubic.after_loss(w, 100'000);
  EXPECT_DOUBLE_EQ(w.cwnd, 70'000);
  const double rtt = 0.5;  // long, so that Reno is far behind
  double now = 0;
  for (; now < 12; now += rtt) {
    for (int i = 0; i < static_cast<int>(w.cwnd / kMss); ++i)
      cubic.on_ack(w, ack(now, 1, Duration{500'000'000}));
  }
  EXPECT_NEAR(cubic.k(), 4.2172, 1e-4);
  // A round trip's ACKs bring the window about two thirds of the way to where the cubic is one later.
  const double last = now - rtt;
  EXPECT_NEAR(cubic.at(cubic.k()), 100, 1e-9);
  EXPECT_NEAR(cubic.at(0), 70, 1e-9);
  EXPECT_GT(w.cwnd / kMss, cubic.at(last));
  EXPECT_LT(w.cwnd / kMss, cubic.at(last + rtt));
}

TEST(Cubic, GrowsByTheWayToItsTargetOverTheWindowAnAck) {
  Cubic cubic({.fast_convergence = false});
  CongestionWindow w = window(100, 100);
  w.cwnd = w.ssthresh = cubic.after_loss(w, 100'000);
  cubic.on_ack(w, ack(50, 1, Duration{500'000'000}));  // time 0
  const double before = w.cwnd / kMss;
  // W_cubic(0.5 s + 0.5 s) = 0.4 (1 - 4.21716)^3 + 100 = 86.680.
  cubic.on_ack(w, ack(50.5, 1, Duration{500'000'000}));
  EXPECT_NEAR(w.cwnd / kMss, before + (86.680 - before) / before, 1e-4);
}

TEST(Cubic, AimsAtHalfAsMuchAgainAtMost) {
  Cubic cubic({.fast_convergence = false});
  CongestionWindow w = window(100, 100);
  w.cwnd = w.ssthresh = cubic.after_loss(w, 100'000);
  cubic.on_ack(w, ack(0, 1, Duration{}));
  const double before = w.cwnd;
  cubic.on_ack(w, ack(100, 1, Duration{}));
  EXPECT_NEAR(w.cwnd, before + 0.5 * kMss, 1e-6);
}

// Section 4.3: with a short round trip Reno's average window leads; alpha = 3 * 0.3 / 1.7 = 0.5294 a round
// trip.
TEST(Cubic, IsNoSlowerThanRenoWouldBe) {
  Cubic cubic({.fast_convergence = false});
  CongestionWindow w = window(10, 10);
  w.cwnd = w.ssthresh = cubic.after_loss(w, 10'000);
  EXPECT_DOUBLE_EQ(w.cwnd, 7'000);
  cubic.on_ack(w, ack(0, 7, Duration{1'000'000}));
  EXPECT_NEAR(w.cwnd / kMss, 7 + 0.5294, 1e-3);
}

// Section 4.7: 0.85 of a window that is smaller than the one before.
TEST(Cubic, ThatLosesTwiceGivesRoomToOthers) {
  Cubic cubic({});
  CongestionWindow w = window(100, 100);
  cubic.after_loss(w, 100'000);
  EXPECT_DOUBLE_EQ(cubic.w_max(), 100);
  w = window(80, 80);
  cubic.after_loss(w, 80'000);
  EXPECT_DOUBLE_EQ(cubic.w_max(), 68);
}

// Section 4.8.
TEST(Cubic, AfterATimeoutStartsFromTheFlatPlace) {
  Cubic cubic({});
  CongestionWindow w = window(100, 100);
  w.ssthresh = cubic.after_timeout(w, 100'000);
  EXPECT_DOUBLE_EQ(w.ssthresh, 70'000);
  w.cwnd = 70'000;
  cubic.on_ack(w, ack(3, 1, Duration{1'000'000}));
  EXPECT_DOUBLE_EQ(cubic.k(), 0);
  EXPECT_DOUBLE_EQ(cubic.w_max(), 70);
}

// 40 segments of 1000 bytes a second for a long time: the filter forgets its start.
TEST(WestwoodNr, SeesTheRateAtWhichAcksComeAndTakesTheShortestRoundTrip) {
  WestwoodNr westwood({});
  const CongestionWindow w = window(20);
  for (int i = 0; i < 400; ++i) {
    AckSample sample = ack(i * 0.025);
    if (i % 10 == 0) sample.rtt = Duration{i == 200 ? 250'000'000 : 400'000'000};
    westwood.observe(w, sample);
  }
  EXPECT_NEAR(westwood.bandwidth(), 40'000, 1);
  EXPECT_NEAR(westwood.after_loss(w, 1e6), 40'000 * 0.25, 1);
}

// One filter step: 2000 bytes in 100 ms against tau 500 ms.
TEST(WestwoodNr, FiltersEachGapByItsLength) {
  WestwoodNr westwood({});
  const CongestionWindow w = window(20);
  westwood.observe(w, ack(1.0, 1));
  westwood.observe(w, ack(1.1, 1));
  EXPECT_NEAR(westwood.bandwidth(), (1 - std::exp(-0.2)) * 20'000, 1e-6);
  westwood.observe(w, ack(1.3, 2));
  EXPECT_NEAR(westwood.bandwidth(),
              std::exp(-0.4) * (1 - std::exp(-0.2)) * 20'000 + (1 - std::exp(-0.4)) * 10'000, 1e-6);
}

TEST(WestwoodNr, CountsWhatDuplicatesStoodForOnce) {
  WestwoodNr with({}), without({});
  const CongestionWindow w = window(20);
  for (int i = 0; i < 200; ++i) {
    without.observe(w, ack(i * 0.01));
    // Ten segments by nine duplicates and the ACK of them all.
    with.observe(w, ack(i * 0.01, i % 10 == 9 ? 10 : 0));
  }
  EXPECT_NEAR(with.bandwidth(), without.bandwidth(), without.bandwidth() * 1e-9);
}

TEST(WestwoodNr, NeverAimsBelowTwoSegments) {
  WestwoodNr westwood({});
  EXPECT_EQ(westwood.after_timeout(window(20), 1e6), 2 * kMss);
}

}  // namespace
}  // namespace dp
