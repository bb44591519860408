#include "control/plane/limits.h"

#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace control {
namespace {

// A leg of 10 Mbit/s that delivers `delivered`.
LegFacts leg(double delivered, double queued = 0) {
  LegFacts facts;
  facts.rate = 10e6;
  facts.delivered = delivered;
  facts.queued = queued;
  facts.busy_now = queued > 0;
  return facts;
}

TEST(Limits, EachCauseHasItsWord) {
  EXPECT_EQ(limit_of(leg(0)), Limit::idle);
  EXPECT_EQ(limit_of(leg(4e6)), Limit::source);
  EXPECT_EQ(limit_of(leg(9.7e6, 200'000)), Limit::rate);
  LegFacts facts = leg(9.7e6, 200'000);
  facts.of_another_class = true;
  EXPECT_EQ(limit_of(facts), Limit::class_rate);
  facts = leg(3e6, 100'000);
  facts.link = LinkKind::cell;
  EXPECT_EQ(limit_of(facts), Limit::cell);
  facts.link = LinkKind::radio;
  EXPECT_EQ(limit_of(facts), Limit::radio);
  facts = leg(3e6);
  facts.lost_ratio = 0.02;
  EXPECT_EQ(limit_of(facts), Limit::radio);
  facts = leg(3e6);
  facts.dropped_by_aqm = 30;
  EXPECT_EQ(limit_of(facts), Limit::aqm);
  facts.dropped_full = 40;
  EXPECT_EQ(limit_of(facts), Limit::full);
  facts = leg(3e6);
  facts.window_told = true;
  EXPECT_EQ(limit_of(facts), Limit::window);
  facts = leg(3e6);
  facts.core_rtt = 0.3;
  facts.radio_rtt = 0.05;
  EXPECT_EQ(limit_of(facts), Limit::far_side);
  facts.radio_rtt = 0.25;
  EXPECT_EQ(limit_of(facts), Limit::source) << "the radio is as far";
  facts = leg(0.1e6);
  facts.ue_silent = true;
  EXPECT_EQ(limit_of(facts), Limit::ue_silent);
  facts = leg(3e6);
  facts.worker_starved = true;
  EXPECT_EQ(limit_of(facts), Limit::worker);
  facts.port_drops = true;
  EXPECT_EQ(limit_of(facts), Limit::port);
  facts.gated = true;
  EXPECT_EQ(limit_of(facts), Limit::gate);
}

TEST(Limits, ALegAtItsRateIsExplainedByIt) {
  LegFacts facts = leg(9.6e6, 20'000);
  facts.dropped_by_aqm = 100;
  facts.worker_starved = facts.port_drops = facts.window_told = true;
  EXPECT_EQ(limit_of(facts), Limit::rate);
}

TEST(Limits, ASourceOfASteadyRateNearTheBearersIsNoLimitOfTheBearer) {
  EXPECT_EQ(limit_of(leg(9.5e6, 800)), Limit::source) << "no queue, no drops";
}

TEST(Limits, AUeThatIsAwayIsToldAlsoWhenNothingIsSentAnyMore) {
  LegFacts facts = leg(0);
  facts.ue_silent = true;
  EXPECT_EQ(limit_of(facts), Limit::ue_silent);
}

TEST(Limits, TheManualHasEachWord) {
  std::ifstream file(RNCD_SOURCE_ROOT "/control/manual/slow.md");
  const std::string manual((std::istreambuf_iterator<char>(file)), {});
  for (const std::string_view word : kLimitNames)
    EXPECT_NE(manual.find("| `" + std::string(word) + "` |"), std::string::npos) << word;
}

}  // namespace
}  // namespace control
