// Profiles (dataplane/aqm/profile.h): the papers' values, those between and beyond, and legs that follow
// their rate.
#include "config/profiles.h"

#include <gtest/gtest.h>

#include "config/json.h"
#include "config/print.h"
#include "config/profile_rate.h"
#include "config/schema.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

using std::chrono::milliseconds;

dp::SbdSpec::Config sbd(const char* profile, std::uint64_t rate) {
  const auto found = find_profile({}, dp::AqmList::index_of("sbd"), profile);
  return std::get<dp::SbdSpec::Config>(at_rate(*found, rate));
}
dp::RedSpec::Config red(const char* profile, std::uint64_t rate) {
  const auto found = find_profile({}, dp::AqmList::index_of("red"), profile);
  return std::get<dp::RedSpec::Config>(at_rate(*found, rate));
}

struct Published {
  std::uint64_t rate;
  int t_r;
  std::uint32_t minth;
};

TEST(Profiles, OfSbdAreTables2And3) {
  for (const auto& [rate, t_r, minth] :
       {Published{384'000, 200, 20}, {256'000, 500, 20}, {128'000, 1300, 15}, {64'000, 2500, 10}}) {
    EXPECT_EQ(sbd("by-rate", rate), (dp::SbdSpec::Config{.minth = {minth}, .t_r = milliseconds{t_r}}))
        << rate;
  }
  for (const auto& [rate, t_r, minth] :
       {Published{384'000, 250, 30}, {256'000, 300, 25}, {128'000, 900, 20}, {64'000, 1500, 10}}) {
    EXPECT_EQ(sbd("max-goodput", rate), (dp::SbdSpec::Config{.minth = {minth}, .t_r = milliseconds{t_r}}))
        << rate;
  }
}

TEST(Profiles, OfRedAreTables4And5) {
  EXPECT_EQ(red("by-rate", 384'000), (dp::RedSpec::Config{.minth = {20}, .maxp = 0.05}));
  EXPECT_EQ(red("by-rate", 256'000), (dp::RedSpec::Config{.minth = {15}, .maxp = 0.06}));
  EXPECT_EQ(red("by-rate", 128'000), (dp::RedSpec::Config{.minth = {10}, .maxp = 0.2}));
  EXPECT_EQ(red("by-rate", 64'000), (dp::RedSpec::Config{.minth = {10}, .maxp = 0.3}));
  EXPECT_EQ(red("max-goodput", 384'000), (dp::RedSpec::Config{.minth = {25}, .maxp = 0.05}));
  EXPECT_EQ(red("max-goodput", 256'000), (dp::RedSpec::Config{.minth = {20}, .maxp = 0.08}));
  EXPECT_EQ(red("max-goodput", 128'000), (dp::RedSpec::Config{.minth = {10}, .maxp = 0.1}));
  EXPECT_EQ(red("max-goodput", 64'000), (dp::RedSpec::Config{.minth = {10}, .maxp = 0.1}));
}

// log(192 / 128) / log(256 / 128) = 0.58496 of the way from 1300 ms to 500 ms, from 15 to 20 SDUs.
TEST(Profiles, BetweenTwoRatesAreLinearInTheLogarithmOfTheRate) {
  const auto at = sbd("by-rate", 192'000);
  EXPECT_NEAR(static_cast<double>(at.t_r.count()) / 1e6, 832.03, 0.01);
  EXPECT_EQ(at.minth, dp::Amount{18}) << "17.92, rounded up";
  EXPECT_EQ(at.maxth, dp::Amount{40});
  EXPECT_NEAR(red("by-rate", 90'510).maxp, 0.25, 1e-4);
}

TEST(Profiles, BelowTheLowestRateTrGrowsAsTheQueuesTimeToDrain) {
  EXPECT_EQ(sbd("by-rate", 32'000).t_r, dp::Duration(milliseconds{5000}));
  EXPECT_EQ(sbd("by-rate", 32'000).minth, dp::Amount{10});
  EXPECT_EQ(sbd("by-rate", 1'000).t_r, dp::Duration(milliseconds{60'000})) << "the largest that there is";
}

// 2 x 250 ms x 768 kbit/s is 32 SDUs of 1500 bytes.
TEST(Profiles, AboveTheHighestRateTrStaysAndMinthIsTwiceTheBdp) {
  const auto at = sbd("by-rate", 768'000);
  EXPECT_EQ(at.t_r, dp::Duration(milliseconds{200}));
  EXPECT_EQ(at.minth, dp::Amount{32});
  EXPECT_EQ(at.maxth, dp::Amount{64}) << "in proportion";
}

Loaded load(const std::string& aqm, const std::string& rate = "384k", const std::string& more = "") {
  return load_text(
      testing::minimal(more + "classes: {a: {downlink: {rate: " + rate + ", aqm: " + aqm + "}}}\n"),
      "t.yaml");
}

TEST(Profiles, ALegFollowsItsRateButForTheKeysBesideTheProfile) {
  const auto loaded = load("{sbd: {profile: by-rate, alpha: 7sdu}}");
  ASSERT_TRUE(loaded) << testing::all_problems(loaded);
  const dp::BearerSettings start{.downlink = loaded->classes[0].downlink};
  EXPECT_EQ(std::get<dp::SbdSpec::Config>(start.downlink.aqm),
            (dp::SbdSpec::Config{.alpha = {7}, .t_r = milliseconds{200}}));
  const auto changed = read_settings({{"downlink", {{"rate", "128k"}}}}, "", start);
  ASSERT_TRUE(changed) << testing::all_problems(changed);
  EXPECT_EQ(std::get<dp::SbdSpec::Config>(changed->downlink.aqm),
            (dp::SbdSpec::Config{.minth = {15}, .alpha = {7}, .t_r = milliseconds{1300}}));
  const auto own = read_settings({{"downlink", {{"aqm", {{"sbd", {{"minth", "9sdu"}}}}}}}}, "", *changed);
  ASSERT_TRUE(own);
  EXPECT_FALSE(own->downlink.origin.profile) << "a policy named without a profile follows none";
}

TEST(Profiles, TheUplinkOfAnAirFollowsTheRateItTakesFromTheDownlink) {
  const auto loaded = load_text(
      testing::minimal(
          "classes: {a: {downlink: {rate: 128k, link: am}, uplink: {aqm: {sbd: {profile: by-rate}}}}}"),
      "t.yaml");
  ASSERT_TRUE(loaded) << testing::all_problems(loaded);
  EXPECT_EQ(std::get<dp::SbdSpec::Config>(loaded->classes[0].uplink.aqm).minth, dp::Amount{15});
}

TEST(Profiles, APrintedConfigurationShowsTheProfileAndReadsBackTheSame) {
  const std::string own =
      "profiles: {red: {mine: {source: here, rtt: 50ms, points: [{rate: 1M, maxp: 3%, minth: 30}]}}}\n";
  for (const char* aqm : {"{sbd: {profile: by-rate, alpha: 7sdu}}", "{red: {profile: mine}}"}) {
    const auto loaded = load(aqm, "200k", own);
    ASSERT_TRUE(loaded) << testing::all_problems(loaded);
    const std::string yaml = print_config(*loaded).dump();
    EXPECT_NE(yaml.find("\"profile\":"), std::string::npos) << yaml;
    EXPECT_EQ(yaml.find("\"t_r\":\"0"), std::string::npos) << "what the profile gives is not printed\n"
                                                           << yaml;
    const auto again = load_text(yaml, "again.yaml");
    ASSERT_TRUE(again) << testing::all_problems(again) << yaml;
    EXPECT_EQ(*again, *loaded) << yaml;
  }
}

TEST(Profiles, OfTheOperatorGoBeforeThoseOfTheProgramAndMayStandAnywhere) {
  const auto loaded =
      load_text(testing::minimal(
                    "classes: {a: {downlink: {rate: 384k, aqm: {sbd: {profile: by-rate}}}}}\n"
                    "profiles: {sbd: {by-rate: {rtt: 0s, points: [{rate: 1M, t_r: 90ms, minth: 3sdu}]}}}\n"),
                "t.yaml");
  ASSERT_TRUE(loaded) << testing::all_problems(loaded);
  const auto& values = std::get<dp::SbdSpec::Config>(loaded->classes[0].downlink.aqm);
  EXPECT_EQ(values.minth, dp::Amount{3});
  EXPECT_NEAR(static_cast<double>(values.t_r.count()) / 1e6, 234.375, 0.001) << "90 ms x 1000 / 384";
}

TEST(Profiles, WhatIsWrongWithThemIsNamed) {
  const auto expect = [](const Loaded& loaded, const char* words) {
    EXPECT_NE(testing::all_problems(loaded).find(words), std::string::npos) << words << "\n"
                                                                            << testing::all_problems(loaded);
  };
  expect(load("{sbd: {profile: by-rat}}"), "did you mean `by-rate`?");
  expect(load("{sbd: {profile: lab}}"), "expected a profile of sbd: by-rate or max-goodput");
  expect(load("{pdpc: {profile: lab}}"), "defined under `profiles.pdpc`; there is none");
  expect(load("{drop-tail: {profile: lab}}"), "unknown key `profile`");
  const auto profile = [](const std::string& points) {
    return load("red", "384k", "profiles: {red: {x: {points: " + points + "}}}\n");
  };
  expect(profile("[]"), "expected a list of maps");
  expect(profile("[{rate: 1M}]"), "found a rate alone");
  expect(profile("[{maxp: 1%}]"), "the key `rate` is missing");
  expect(profile("[{rate: 1M, maxp: 1%}, {rate: 2M, minth: 3}]"), "found other keys than in the first");
  expect(profile("[{rate: 1M, maxp: 1%}, {rate: 1M, maxp: 2%}]"), "found the rate 1M twice");
  expect(profile("[{rate: 1M, minth: 40sdu, maxth: 60000B}]"),
         "points[0]: found minth 40sdu (given) and maxth 60kB (given), expected minth below maxth");
  expect(load("red", "384k", "profiles: {rde: {}}\n"), "did you mean `red`?");
}

struct Unordered {
  const char* aqm;
  const char* rate;
  const char* says;
};

TEST(Thresholds, ThatAreNotInOrderAreRefusedWithBothValuesAndWhoGaveThem) {
  for (const auto& [aqm, rate, says] : {
           Unordered{"{red: {minth: 40sdu}}", "1M",
                     "3:41: classes.a.downlink.aqm.red: found minth 40sdu (given) and maxth 40sdu (the "
                     "default), expected minth below maxth; lower minth or raise maxth\n"},
           Unordered{"{sbd: {minth: 30sdu, maxth: 30kB}}", "1M",
                     "found minth 30sdu (given) and maxth 30kB (given)"},
           Unordered{"{pdpc: {form: two-thresholds, maxth: 10sdu}}", "1M",
                     "aqm.pdpc: found minth 10sdu (the default) and maxth 10sdu (given)"},
           Unordered{
               "{sbd: {profile: by-rate, maxth: 40sdu}}", "2M",
               "found minth 84sdu (profile by-rate at 2M) and maxth 40sdu (given), expected minth below "
               "maxth; raise maxth, or remove it: the profile gives one"},
           Unordered{"{red: {profile: by-rate, minth: 40sdu}}", "64k",
                     "found minth 40sdu (given) and maxth 40sdu (profile by-rate at 64k), expected minth "
                     "below maxth; lower minth, or remove it: the profile gives one"},
           Unordered{"{sbd: {profile: by-rate}}", "100G", "; give one of them beside the profile"},
       }) {
    const auto loaded = load(aqm, rate);
    EXPECT_EQ(loaded.problems.size(), 1u) << aqm;
    EXPECT_NE(testing::all_problems(loaded).find(says), std::string::npos) << says << "\n"
                                                                           << testing::all_problems(loaded);
  }
}

TEST(Thresholds, OneOfWhichTheFormDoesNotUseNeedNoOrder) {
  EXPECT_TRUE(load("{pdpc: {maxth: 10sdu}}"));
  EXPECT_TRUE(load("{red: {minth: 40sdu, maxth: 61kB}}"));
}

TEST(Thresholds, OfWhichOneCouldNotBeReadAreNotComparedToo) {
  const auto loaded = load("{red: {minth: 50sdu, maxth: many}}");
  EXPECT_EQ(loaded.problems.size(), 1u) << testing::all_problems(loaded);
}

TEST(Thresholds, ThatARateMovesAreComparedInBothLegsAndInRequestsToo) {
  const auto loaded = load_text(
      testing::minimal("classes: {a: {downlink: {rate: 128k, link: am, aqm: {red: {minth: 50sdu}}}, "
                       "uplink: {aqm: {sbd: {profile: by-rate, maxth: 12sdu}}}}}"),
      "t.yaml");
  EXPECT_NE(testing::all_problems(loaded).find("downlink.aqm.red: found minth 50sdu (given)"),
            std::string::npos);
  EXPECT_NE(testing::all_problems(loaded).find(
                "uplink.aqm.sbd: found minth 15sdu (profile by-rate at 128k) and maxth 12sdu (given)"),
            std::string::npos)
      << testing::all_problems(loaded);
  const auto low = load("{sbd: {profile: by-rate, maxth: 40sdu}}");
  ASSERT_TRUE(low) << testing::all_problems(low);
  const dp::BearerSettings start{.downlink = low->classes[0].downlink};
  const auto raised = read_settings({{"downlink", {{"rate", "8M"}}}}, "bearers[3]", start);
  EXPECT_FALSE(raised);
  EXPECT_NE(testing::all_problems(raised).find("bearers[3].downlink.aqm.sbd: found minth 334sdu (profile "
                                               "by-rate at 8M) and maxth 40sdu (given)"),
            std::string::npos)
      << testing::all_problems(raised);
}

}  // namespace
}  // namespace config
