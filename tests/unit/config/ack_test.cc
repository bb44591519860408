// The keys `ack` and `flows` of an uplink: what they become, what is refused, and that what is printed loads
// back.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "config/help.h"
#include "config/json.h"
#include "config/leg.h"
#include "config/notation/words.h"
#include "config/print.h"
#include "config/schema.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

using nlohmann::json;
using std::chrono::milliseconds, std::chrono::seconds;

std::string with_class(const std::string& legs) { return testing::minimal("classes: {c: {" + legs + "}}\n"); }
std::string with_uplink(const std::string& uplink) {
  return with_class("downlink: {rate: 1M}, uplink: {" + uplink + "}");
}

dp::AckSettings loaded_acks(const std::string& text) {
  const auto config = load_text(text, "t");
  EXPECT_TRUE(config) << testing::all_problems(config);
  return config ? config->classes.at(0).uplink.ack : dp::AckSettings{};
}
dp::AckSettings spaced(dp::Duration maxd) {
  dp::AckSettings acks;
  acks.stages = 1;
  acks.stage[0] = dp::AckRateSpec::Config{.maxd = maxd};
  return acks;
}

TEST(Ack, AStageIsAMapOrANameAloneWithItsDefaults) {
  EXPECT_EQ(loaded_acks(with_uplink("ack: [{ack-rate: {maxd: 250ms}}]")), spaced(milliseconds(250)));
  EXPECT_EQ(loaded_acks(with_uplink("ack: [ack-rate]")), spaced(dp::AckRateSpec::Config{}.maxd));
  EXPECT_EQ(loaded_acks(with_uplink("ack: []")), dp::AckSettings{});
  EXPECT_EQ(loaded_acks(with_uplink("")), dp::AckSettings{});
}

TEST(Ack, StandsOnAnUplinkOfAnyLink) {
  EXPECT_EQ(loaded_acks(with_uplink("link: wire, ack: [ack-rate]")).stages, 1u);
  EXPECT_EQ(loaded_acks(with_uplink("rate: 64k, ack: [ack-rate]")).stages, 1u);
  EXPECT_EQ(loaded_acks(with_class("downlink: {rate: 64k, link: am}, uplink: {ack: [ack-rate]}")).stages, 1u);
  EXPECT_EQ(loaded_acks(with_class("downlink: {rate: 64k, link: am}, uplink: {ack: [fda]}")).stages, 1u);
  EXPECT_EQ(loaded_acks(with_class("downlink: {rate: 64k}, uplink: {ack: [fda, snoop]}")).stages, 2u);
}

TEST(Ack, TheFlowTableHasItsKeysBesideTheStages) {
  const auto acks = loaded_acks(
      with_uplink("ack: [ack-rate], flows: {max: 7, idle: 120min, idle_embryonic: 5s, max_held: 9}"));
  EXPECT_EQ(acks.flows, (dp::FlowLimits{7, std::chrono::hours(2), seconds(5)}));
  EXPECT_EQ(acks.max_held, 9u);
}

struct Refusal {
  std::string text;
  std::string words;
};

TEST(Ack, WhatCannotWorkIsRefusedWithAReason) {
  const Refusal refusals[] = {
      {with_class("downlink: {rate: 1M, ack: [ack-rate]}"),
       ":3:36: classes.c.downlink.ack: found `ack` in the downlink, expected it in the uplink"},
      {with_class("downlink: {rate: 1M, flows: {max: 9}}"), "found `flows` in the downlink"},
      {with_class("downlink: {link: wire}, uplink: {ack: [ack-rate]}"),
       "classes.c.uplink.ack: found ACK stages beside the downlink's link `wire`, which holds nothing back"},
      {with_class("downlink: {link: wire}, uplink: {ack: [snoop]}"), "which holds nothing back"},
      {with_class("downlink: {rate: 64k, link: am}, uplink: {ack: [fda, snoop]}"),
       "classes.c.uplink.ack: found `snoop` beside the downlink's link `am`, which sends again what the "
       "radio "
       "has lost"},
      {with_class("downlink: {rate: 64k, link: am}, uplink: {ack: [new-snoop]}"),
       "found `new-snoop` beside the downlink's link `am`"},
      {with_uplink("ack: [ack-rate, {ack-rate: {maxd: 1s}}]"),
       "classes.c.uplink.ack[1]: found the stage `ack-rate` twice, expected each at most once; keep one"},
      {with_uplink("ack: [ack-rate, ack-rate, ack-rate, ack-rate, ack-rate]"),
       "found 5 ACK stages, expected at most 4"},
      {with_uplink("ack: ack-rate"), "found 'ack-rate', expected a list of ACK stages such as [{ack-rate"},
      {with_uplink("ack: [{ack-rat: {}}]"), "classes.c.uplink.ack[0]: found 'ack-rat', expected " +
                                                one_of(dp::AckList::kNames) + "; did you mean `ack-rate`?"},
      {with_uplink("ack: [{ack-rate: {mxd: 1s}}]"), "did you mean `maxd`?"},
      {with_uplink("ack: [{ack-rate: {maxd: 11s}}]"),
       "ack[0].ack-rate.maxd: found '11s', expected a duration"},
      {with_uplink("ack: [[ack-rate]]"), "found a list, expected one name"},
      {with_uplink("flows: {max: 9}"),
       "classes.c.uplink.flows: found `flows`, but this uplink has no ACK stages"},
      {with_uplink("ack: [], flows: {max: 9}"), "this uplink has no ACK stages"},
      {with_uplink("ack: [ack-rate], flows: {max: 0}"), "found '0', expected a whole number from 1 to 65536"},
      {with_uplink("ack: [ack-rate], flows: {idle: 0s}"), "found '0s', expected a duration from 1s to"},
      {with_uplink("ack: [ack-rate], flows: {max_hold: 1}"), "did you mean `max_held`?"}};
  for (const auto& [text, words] : refusals) {
    const auto config = load_text(text, "t");
    ASSERT_EQ(config.problems.size(), 1u) << text << testing::all_problems(config);
    EXPECT_NE(testing::all_problems(config).find(words), std::string::npos)
        << "says:     " << testing::all_problems(config) << "expected: " << words;
  }
}

TEST(Ack, WhatIsPrintedLoadsBackTheSame) {
  for (const char* uplink : {"ack: [{ack-rate: {maxd: 33ms}}], flows: {max: 3, max_held: 1}",
                             "rate: 64k, buffer: {sdus: 9}, ack: [ack-rate]"}) {
    const auto config = load_text(with_uplink(uplink), "t");
    ASSERT_TRUE(config) << testing::all_problems(config);
    const auto again = load_text(print_config(*config).dump(), "t");
    ASSERT_TRUE(again) << testing::all_problems(again) << print_config(*config).dump();
    EXPECT_EQ(*again, *config) << print_config(*config).dump();
  }
  const auto plain = load_text(with_uplink(""), "t");
  EXPECT_FALSE(to_json(plain->classes[0].uplink).contains("ack"));
  EXPECT_FALSE(to_json(plain->classes[0].uplink).contains("flows"));
}

// Over the socket, upon what a bearer has.
class AckOverTheSocket : public ::testing::Test {
 protected:
  static dp::BearerSettings bearer() {
    dp::BearerSettings settings{0, fresh_leg(dp::Direction::downlink), fresh_leg(dp::Direction::uplink)};
    settings.downlink.rate = 1'000'000;
    settings.uplink.ack = spaced(milliseconds(100));
    settings.uplink.ack.flows.flows = 9;
    return settings;
  }
  static dp::BearerSettings after(const json& change) {
    const auto checked = read_settings(change, "", bearer());
    EXPECT_TRUE(checked) << testing::all_problems(checked);
    return checked ? *checked : dp::BearerSettings{};
  }
};

TEST_F(AckOverTheSocket, OtherStagesReplaceTheListAndKeepTheTable) {
  const auto acks = after({{"uplink", {{"ack", {{{"ack-rate", {{"maxd", "1s"}}}}}}}}}).uplink.ack;
  EXPECT_EQ(acks.stage[0], dp::AckConfig(dp::AckRateSpec::Config{.maxd = seconds(1)}));
  EXPECT_EQ(acks.flows.flows, 9u);
  EXPECT_EQ(after({{"uplink", {{"flows", {{"max", 5}}}}}}).uplink.ack.flows.flows, 5u);
}

TEST_F(AckOverTheSocket, AnEmptyListTakesThemAway) {
  EXPECT_EQ(after({{"uplink", {{"ack", json::array()}}}}).uplink.ack, dp::AckSettings{});
}

TEST_F(AckOverTheSocket, StagesStayWhateverTheLinkBecomes) {
  EXPECT_EQ(after({{"uplink", {{"rate", "64k"}}}}).uplink.ack, bearer().uplink.ack);
  EXPECT_EQ(after({{"uplink", {{"link", "wire"}}}}).uplink.ack, bearer().uplink.ack);
  EXPECT_EQ(after({{"downlink", {{"link", "am"}}}}).uplink.ack, bearer().uplink.ack);
}

TEST_F(AckOverTheSocket, ADownlinkThatShallNotBufferIsRefusedWhileThereAreStages) {
  const json wire{{"downlink", {{"link", "wire"}}}};
  const auto refused = read_settings(wire, "", bearer());
  ASSERT_EQ(refused.problems.size(), 1u) << testing::all_problems(refused);
  EXPECT_NE(testing::all_problems(refused).find("downlink.link: found ACK stages beside"), std::string::npos)
      << testing::all_problems(refused);
  EXPECT_EQ(after({{"downlink", {{"link", "wire"}}}, {"uplink", {{"ack", json::array()}}}}).uplink.ack,
            dp::AckSettings{});
}

TEST_F(AckOverTheSocket, WhatIsPrintedReadsBackTheSame) {
  const json printed{{"uplink", to_json(bearer().uplink)}};
  const auto again = read_settings(printed, "", {0, bearer().downlink, {}});
  ASSERT_TRUE(again) << testing::all_problems(again);
  EXPECT_EQ(again->uplink, bearer().uplink);
}

TEST(AckReference, TellsOfEveryStageWhatABypassAndAsymmetricRoutingDoToIt) {
  const auto rows = list_config();
  dp::AckList::for_each([&]<class Tag>(Tag) {
    using Stage = typename Tag::type;
    const std::string path = "classes.NAME.uplink.ack[]." + std::string(Stage::kName);
    const auto row = std::ranges::find(rows, path, &HelpRow::path);
    ASSERT_NE(row, rows.end()) << path;
    for (const auto text : {Stage::kDoc, Stage::kBypass, Stage::kAsymmetric}) {
      EXPECT_NE(row->doc.find(text), std::string::npos) << row->doc;
    }
  });
}

TEST(AckReference, HelpOfTheKeyHasTheStagesAndTheirSettings) {
  const auto text = help("ack");
  ASSERT_TRUE(text);
  for (const char* row :
       {"classes.NAME.uplink.ack\n", "uplink.ack[].ack-rate\n", "uplink.ack[].ack-rate.maxd\n"}) {
    EXPECT_NE(text->find(row), std::string::npos) << row << *text;
  }
  const auto flows = help("flows");
  ASSERT_TRUE(flows);
  EXPECT_NE(flows->find("uplink.flows.idle_embryonic\n"), std::string::npos) << *flows;
}

// Without a name that is one of the list an exclusion would never hold.
TEST(AckList, StagesThatExcludeOthersNameStages) {
  dp::AckList::for_each([]<class Tag>(Tag) {
    if constexpr (requires { Tag::type::kExcludes; }) {
      for (const dp::AckExclusion& exclusion : Tag::type::kExcludes) {
        EXPECT_LT(dp::AckList::index_of(exclusion.other), dp::AckList::kSize) << exclusion.other;
        EXPECT_NE(exclusion.other, Tag::type::kName);
        EXPECT_FALSE(exclusion.why.empty());
      }
    }
  });
}

}  // namespace
}  // namespace config
