// Also the samples of bearers that somebody looks at (control/bearers/queue_samples.h).
#include "control/bearers/bearer_meter.h"

#include <chrono>
#include <memory>

#include <gtest/gtest.h>

#include "control/bearers/slab.h"
#include "dataplane/bearer/bearer.h"

namespace control {
namespace {

using namespace std::chrono_literals;
using Span = BearerMeter::Span;
constexpr dp::Direction kDown = dp::Direction::downlink, kUp = dp::Direction::uplink;

class BearerMeterTest : public ::testing::Test {
 protected:
  dp::Bearer& bearer() {
    const dp::LegSettings leg{.link = dp::ShaperSpec::Config{},
                              .rate = 8'000'000,
                              .buffer = {.sdus = 3, .bytes = 10'000},
                              .aqm = {}};
    dp::Bearer& made = slab.make({.downlink = leg, .uplink = leg});
    made.count_parts_in(*classes);
    made.downlink.count_in(classes->legs[0]);
    made.uplink.count_in(classes->legs[1]);
    return made;
  }
  static dp::UeAddress ue(std::uint32_t n) { return dp::ue_ipv4(0x0a2d0000 + n); }
  static void deliver(dp::Bearer& bearer, dp::Direction direction, std::uint32_t bytes) {
    dp::Sdu sdu{};
    sdu.ip_len = bytes;
    bearer.leg(direction).count_crossing(sdu);
  }
  dp::Sdu& sdu(std::uint32_t bytes) {
    sdus.push_back(std::make_unique<dp::Sdu>(dp::Sdu{}));
    sdus.back()->ip_len = bytes;
    sdus.back()->segments = 1;
    return *sdus.back();
  }
  void second() {
    now += 1s;
    while (meter.proceed(now + 1h, now)) {
    }
  }

  BearerSlab slab;
  std::unique_ptr<dp::ClassCounters> classes = std::make_unique<dp::ClassCounters>();
  std::unique_ptr<dp::Context> context = std::make_unique<dp::Context>();
  std::vector<std::unique_ptr<dp::Sdu>> sdus;
  BearerMeter meter;
  BearerMeter::Clock::time_point now{1h};
};

TEST_F(BearerMeterTest, ASteadyRateIsToldAlikeOverAllSpans) {
  dp::Bearer& one = bearer();
  const auto seat = meter.add(ue(1), one, now);
  EXPECT_EQ(meter.growth(seat, kDown, Span::second).seconds, 0) << "nothing is known yet";
  for (int n = 0; n < 200; ++n) {
    deliver(one, kDown, 16'000);
    second();
    for (const Span span : {Span::second, Span::ten, Span::half_minute, Span::minute})
      ASSERT_NEAR(meter.growth(seat, kDown, span).rate(), 128'000, 1) << n;
  }
  EXPECT_EQ(meter.growth(seat, kUp, Span::minute).bytes, 0u);
  EXPECT_EQ(meter.growth(seat, kDown, Span::second).seconds, 1);
  for (const auto& [span, least, most] :
       {std::tuple{Span::ten, 10.0, 12.0}, {Span::half_minute, 15.0, 30.0}, {Span::minute, 60.0, 75.0}}) {
    EXPECT_GE(meter.growth(seat, kDown, span).seconds, least);
    EXPECT_LE(meter.growth(seat, kDown, span).seconds, most);
  }
}

TEST_F(BearerMeterTest, SpansForgetWhatIsOlder) {
  dp::Bearer& one = bearer();
  const auto seat = meter.add(ue(1), one, now);
  deliver(one, kUp, 1600);
  second();
  EXPECT_EQ(meter.growth(seat, kUp, Span::second).bytes, 1600u);
  second();
  EXPECT_EQ(meter.growth(seat, kUp, Span::second).bytes, 0u);
  EXPECT_EQ(meter.growth(seat, kUp, Span::ten).bytes, 1600u);
  for (int n = 0; n < 12; ++n) second();
  EXPECT_EQ(meter.growth(seat, kUp, Span::ten).bytes, 0u);
  EXPECT_EQ(meter.growth(seat, kUp, Span::minute).bytes, 1600u);
  for (int n = 0; n < 75; ++n) second();
  EXPECT_EQ(meter.growth(seat, kUp, Span::minute).bytes, 0u);
}

TEST_F(BearerMeterTest, ABearerThatComesLaterIsToldOverItsOwnTime) {
  for (int n = 0; n < 100; ++n) second();
  dp::Bearer& one = bearer();
  deliver(one, kDown, 5000);
  now += 500ms;
  const auto seat = meter.add(ue(1), one, now);
  now -= 500ms;
  deliver(one, kDown, 1000 * 16);
  second();
  const auto growth = meter.growth(seat, kDown, Span::minute);
  EXPECT_EQ(growth.bytes, 16'000u) << "what it delivered before is not its growth";
  EXPECT_EQ(growth.seconds, 0.5);
}

TEST_F(BearerMeterTest, DropsAndTheQueueAreTold) {
  dp::Bearer& one = bearer();
  const auto seat = meter.add(ue(1), one, now);
  for (int n = 0; n < 5; ++n) one.downlink.enqueue(sdu(1500), *context);
  second();
  EXPECT_EQ(meter.growth(seat, kDown, Span::minute).dropped_full, 2u);
  EXPECT_EQ(meter.growth(seat, kDown, Span::minute).dropped_by_aqm, 0u);
  EXPECT_EQ(meter.queued(seat, kDown), 4500u);
  EXPECT_NEAR(meter.set_rate(seat, kDown), 8e6, 1);
  for (int n = 0; n < 60; ++n) second();
  EXPECT_NEAR(meter.mean_queued(seat, kDown), 4500, 20);
}

TEST_F(BearerMeterTest, ASeatIsUsedAgainAndTellsNothingOfItsFormerBearer) {
  dp::Bearer &one = bearer(), &two = bearer();
  const auto seat = meter.add(ue(1), one, now);
  deliver(one, kDown, 32'000);
  second();
  meter.remove(seat);
  second();
  ASSERT_EQ(meter.add(ue(2), two, now), seat);
  second();
  for (const Span span : {Span::second, Span::ten, Span::minute})
    EXPECT_EQ(meter.growth(seat, kDown, span).bytes, 0u);
}

TEST_F(BearerMeterTest, ManyBearersAreSampledInPieces) {
  constexpr std::uint32_t kMany = 5000;
  std::vector<BearerMeter::Seat> seats;
  std::vector<dp::Bearer*> bearers;
  for (std::uint32_t n = 0; n < kMany; ++n)
    seats.push_back(meter.add(ue(n), *bearers.emplace_back(&bearer()), now));
  for (dp::Bearer* one : bearers) deliver(*one, kDown, 160);
  now += 1s;
  int pieces = 1;
  while (meter.proceed(now, now)) ++pieces;
  EXPECT_GE(pieces, 4);
  std::size_t seen = 0;
  for (std::size_t block = 0; block < meter.blocks(); ++block) {
    meter.for_each(block, [&](BearerMeter::Seat seat, const dp::UeAddress& who) {
      EXPECT_EQ(who, ue(seat));
      ++seen;
    });
  }
  EXPECT_EQ(seen, kMany);
  for (const auto seat : seats) EXPECT_EQ(meter.growth(seat, kDown, Span::second).bytes, 160u);
}

TEST_F(BearerMeterTest, TheTailOfAQueueIsToldOfBearersThatAreLookedAt) {
  dp::Bearer& one = bearer();
  const auto seat = meter.add(ue(1), one, now);
  EXPECT_EQ(meter.p99_queued(seat, kDown), std::nullopt);
  meter.attend(seat, now);
  for (int n = 0; n < 200; ++n) {
    if (n == 100) one.downlink.enqueue(sdu(1200), *context);
    now += QueueSamples::kInterval;
    meter.proceed(now, now);
  }
  EXPECT_EQ(meter.p99_queued(seat, kDown), 1200u);
  EXPECT_EQ(meter.p99_queued(seat, kUp), 0u);
  now += QueueSamples::kAttention + 1s;
  meter.proceed(now, now);
  EXPECT_EQ(meter.p99_queued(seat, kDown), std::nullopt) << "nobody looks any more";
}

TEST_F(BearerMeterTest, ABearerThatGoesIsLookedAtNoMore) {
  dp::Bearer& one = bearer();
  const auto seat = meter.add(ue(1), one, now);
  for (std::uint32_t n = 0; n < 2 * QueueSamples::kMost; ++n)
    meter.attend(meter.add(ue(2 + n), bearer(), now), now);
  meter.attend(seat, now);
  meter.remove(seat);
  second();
  EXPECT_EQ(meter.p99_queued(seat, kDown), std::nullopt);
}

}  // namespace
}  // namespace control
