// Profiles of classes: the settings that a class takes from one, those that override it, and its printing.
#include "config/class_profiles.h"

#include <gtest/gtest.h>

#include "config/help.h"
#include "config/print.h"
#include "config/schema.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

Loaded load_class(const std::string& keys, const std::string& uplink = "") {
  return load_text(testing::minimal("classes: {a: {" + keys + ", downlink: {rate: 384k}" + uplink + "}}\n"),
                   "t.yaml");
}

const Class& only_class(const Loaded& loaded) {
  EXPECT_TRUE(loaded) << testing::all_problems(loaded);
  return loaded->classes.at(0);
}

TEST(ClassProfiles, LowDelayRegulatesTheWindowDynamicallyByATargetAndFollowsManyFlows) {
  const ClassProfile* profile = find_class_profile("low-delay");
  ASSERT_NE(profile, nullptr);
  ASSERT_EQ(profile->uplink.ack.stages, 1u);
  const auto& stage = std::get<dp::WindowRegulatorSpec::Config>(profile->uplink.ack.stage[0]);
  EXPECT_EQ(stage.form, dp::WindowRegulatorSpec::Form::dynamic);
  EXPECT_GT(stage.target, dp::Duration{0});
  EXPECT_FALSE(profile->doc.empty());
}

TEST(ClassProfiles, AClassTakesBothLegsFromItsProfile) {
  const ClassProfile* profile = find_class_profile("low-delay");
  ASSERT_NE(profile, nullptr);
  for (const char* uplink : {"", ", uplink: {rate: 64k}", ", uplink: {link: wire}"}) {
    const auto loaded = load_class("profile: low-delay", uplink);
    const Class& c = only_class(loaded);
    EXPECT_EQ(c.profile, "low-delay");
    EXPECT_TRUE(std::holds_alternative<dp::SbdSpec::Config>(c.downlink.aqm));
    EXPECT_EQ(c.downlink.origin, profile->downlink.origin);
    EXPECT_EQ(c.uplink.ack, profile->uplink.ack) << uplink;
  }
}

TEST(ClassProfiles, WithTheLinkAmToo) {
  const auto loaded = load_text(
      testing::minimal("classes: {a: {profile: low-delay, downlink: {rate: 384k, link: am}}}\n"), "t.yaml");
  EXPECT_EQ(only_class(loaded).uplink.ack, find_class_profile("low-delay")->uplink.ack);
}

TEST(ClassProfiles, TheAqmBeneathFollowsTheRateOfTheLeg) {
  const auto loaded =
      load_text(testing::minimal("classes: {a: {profile: low-delay, downlink: {rate: 64k}}}\n"), "t.yaml");
  EXPECT_EQ(std::get<dp::SbdSpec::Config>(only_class(loaded).downlink.aqm).t_r,
            dp::Duration(std::chrono::milliseconds{2500}));
}

TEST(ClassProfiles, WhatTheLegsSayGoesFirstWhereverTheProfileStands) {
  const auto loaded = load_text(testing::minimal("classes: {a: {downlink: {rate: 384k, aqm: red}, uplink: "
                                                 "{ack: [ack-rate]}, profile: low-delay}}\n"),
                                "t.yaml");
  const Class& c = only_class(loaded);
  EXPECT_TRUE(std::holds_alternative<dp::RedSpec::Config>(c.downlink.aqm));
  EXPECT_TRUE(std::holds_alternative<dp::AckRateSpec::Config>(c.uplink.ack.stage[0]));
  EXPECT_EQ(only_class(load_class("profile: low-delay", ", uplink: {ack: []}")).uplink.ack.stages, 0u);
}

TEST(ClassProfiles, NoneIsNone) {
  const auto loaded = load_class("profile: none");
  EXPECT_EQ(only_class(loaded).uplink.ack.stages, 0u);
  EXPECT_EQ(only_class(loaded).profile, "");
}

TEST(ClassProfiles, AnUnknownOneIsRefusedWithTheNearest) {
  const auto loaded = load_class("profile: low-dely");
  EXPECT_FALSE(loaded);
  EXPECT_NE(testing::all_problems(loaded).find("classes.a.profile"), std::string::npos);
  EXPECT_NE(testing::all_problems(loaded).find("did you mean `low-delay`?"), std::string::npos)
      << testing::all_problems(loaded);
  EXPECT_FALSE(load_class("profile: [low-delay]"));
}

TEST(ClassProfiles, ADownlinkThatHoldsNothingBackIsRefused) {
  const auto loaded =
      load_text(testing::minimal("classes: {a: {profile: low-delay, downlink: {link: wire}}}\n"), "t.yaml");
  EXPECT_NE(testing::all_problems(loaded).find("found ACK stages beside the downlink's link `wire`"),
            std::string::npos)
      << testing::all_problems(loaded);
}

TEST(ClassProfiles, APrintedClassReadsBackTheSame) {
  for (const char* uplink : {"", ", uplink: {ack: []}", ", uplink: {rate: 1M, ack: [ack-rate]}"}) {
    const auto loaded = load_class("profile: low-delay", uplink);
    ASSERT_TRUE(loaded) << testing::all_problems(loaded);
    const auto again = load_text(print_config(*loaded).dump(), "printed.yaml");
    ASSERT_TRUE(again) << testing::all_problems(again);
    EXPECT_EQ(again->classes, loaded->classes) << print_config(*loaded).dump();
  }
}

TEST(ClassProfiles, HelpOnClassesTellsWhatEachOneHas) {
  const auto text = help("classes");
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("low-delay: "), std::string::npos);
  EXPECT_NE(text->find("\"window-regulator\":{\"form\":\"dynamic\""), std::string::npos) << *text;
}

}  // namespace
}  // namespace config
