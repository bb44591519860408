#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/load.h"
#include "control/host/own_file.h"
#include "control/state/bearer_settings.h"
#include "control/state/saved_state.h"

namespace control {
namespace {

config::Config example() {
  const auto loaded = config::load_file(std::string(RNCD_SOURCE_ROOT) + "/config/rncd.example.yaml");
  for (const auto& problem : loaded.problems) ADD_FAILURE() << config::to_string(problem);
  return loaded ? *loaded : config::Config{};
}

class StateTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(path); }
  void TearDown() override { std::filesystem::remove(path); }
  void write(const std::string& text) { std::ofstream(path) << text; }
  std::string error() {
    const auto state = read_state(path);
    return state ? "" : state.error().message;
  }

  config::Config config = example();
  std::string path = ::testing::TempDir() + "rncd_state_test";
};

// A bearer of any class of the example may have got the settings of any other.
TEST_F(StateTest, WhatABearerHasOfItsOwnComesBack) {
  ASSERT_GT(config.classes.size(), 5u);
  OwnSettings own(config.profiles, "");
  for (dp::ClassId a = 0; a < config.classes.size(); ++a) {
    const SharedSettings cls = config::settings_of(config.classes, a);
    EXPECT_TRUE(own.beside(cls, cls).is_null());
    for (dp::ClassId b = 0; b < config.classes.size(); ++b) {
      dp::BearerSettings wanted = config::settings_of(config.classes, b);
      wanted.cls = a;
      const nlohmann::json legs = own.beside(cls, SharedSettings(wanted));
      const auto back = own.upon(cls, legs);
      ASSERT_TRUE(back) << legs << config::to_string(back.problems.front());
      EXPECT_EQ(**back, wanted) << config.classes[a].name << " to " << config.classes[b].name << ": " << legs;
    }
  }
}

TEST_F(StateTest, OneKeyThatDiffersIsAllThatIsSaid) {
  OwnSettings own(config.profiles, "");
  const SharedSettings cls = config::settings_of(config.classes, 0);
  dp::BearerSettings wanted = *cls;
  wanted.downlink.buffer.sdus = 77;
  const nlohmann::json legs = own.beside(cls, SharedSettings(wanted));
  EXPECT_EQ(legs.size(), 1u) << legs;
  EXPECT_EQ(legs["downlink"].size(), 1u) << legs;
}

TEST_F(StateTest, AFileComesBackAsItWasWritten) {
  const SavedBearer one{*dp::parse_ue("10.45.0.1"), "internet", "", "", Origin::learnt, {}};
  const SavedBearer two{*dp::parse_ue("2001:db8::/64"),  "internet", "north", "south", Origin::file,
                        {{"downlink", {{"rate", "3M"}}}}};
  write(head_line(config, config, 0xabc) + bearer_line(one, {}) + bearer_line(two, {}) + end_line(2));
  const auto state = read_state(path);
  ASSERT_TRUE(state) << state.error().message;
  ASSERT_TRUE(*state);
  EXPECT_EQ((*state)->disk, 0xabcu);
  config::Config rest = config;
  rest.bearers.clear();
  EXPECT_EQ(fingerprint((*state)->running), fingerprint(rest));
  ASSERT_EQ((*state)->bearers.size(), 2u);
  const SavedBearer& back = (*state)->bearers[1];
  EXPECT_EQ(back.ue, two.ue);
  EXPECT_EQ(back.cell, "north");
  EXPECT_EQ(back.listed_cell, "south");
  EXPECT_EQ(back.origin, Origin::file);
  EXPECT_EQ(back.legs, two.legs);
  EXPECT_TRUE((*state)->bearers[0].legs.is_null());
}

TEST_F(StateTest, ABearerComesBackWithItsKeeper) {
  SavedBearer kept{*dp::parse_ue("10.45.0.1"), "internet"};
  kept.claim = Claim{Keeper::program, "radius", 7, Claim::Clock::now() + std::chrono::hours(1), true};
  write(head_line(config, config, 1) + bearer_line(kept, {}) + end_line(1));
  const auto state = read_state(path);
  ASSERT_TRUE(state) << state.error().message;
  const auto& claim = (*state)->bearers.at(0).claim;
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->owner, "radius");
  EXPECT_EQ(claim->generation, 7u);
  EXPECT_GT(claim->until, Claim::Clock::now() + std::chrono::minutes(59));
  write(head_line(config, config, 1) +
        R"({"ue":"10.45.0.1","class":"internet","origin":"socket","claim":{"keeper":"me"}})"
        "\n" +
        end_line(1));
  const auto broken = read_state(path);
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().message.find(R"(found the claim {"keeper":"me"})"), std::string::npos)
      << broken.error().message;
}

TEST_F(StateTest, ADedicatedBearerComesBackByItsName) {
  const dp::UeAddress ue = *dp::parse_ue("10.45.0.1");
  const SavedBearer voice{dp::dedicated_by_qfi(ue, 1), "internet", "", "", Origin::socket, {}};
  const SavedBearer video{dp::dedicated_by_teid(ue, 0x21), "internet", "", "", Origin::file, {}, 0x12, 0x11};
  const std::string line = bearer_line(video, {});
  EXPECT_NE(line.find(R"("ue":"10.45.0.1 teid 0x21")"), std::string::npos) << line;
  write(head_line(config, config, 1) + bearer_line(voice, {}) + line + end_line(2));
  const auto state = read_state(path);
  ASSERT_TRUE(state) << state.error().message;
  ASSERT_EQ((*state)->bearers.size(), 2u);
  EXPECT_EQ((*state)->bearers[0].ue, voice.ue);
  EXPECT_EQ((*state)->bearers[0].downlink_teid, 0u);
  EXPECT_FALSE((*state)->bearers[0].listed_downlink_teid);
  EXPECT_EQ((*state)->bearers[1].ue, video.ue);
  EXPECT_EQ((*state)->bearers[1].downlink_teid, 0x12u);
  EXPECT_EQ((*state)->bearers[1].listed_downlink_teid, 0x11u);
  const config::Config start = to_start_with(**state, config);
  ASSERT_FALSE(start.bearers.empty());
  EXPECT_EQ(start.bearers.back().ue, video.ue);
  EXPECT_EQ(start.bearers.back().downlink_teid, 0x11u);
}

TEST_F(StateTest, WhatIsNotWholeIsRefusedWithItsLine) {
  const std::string head = head_line(config, config, 1);
  const std::string bearer = bearer_line({*dp::parse_ue("10.45.0.1"), "internet"}, {});
  const std::pair<std::string, std::string> cases[] = {
      {"", ":1: found the end of the file"},
      {head + bearer, ":3: found the end of the file"},
      {head + bearer + end_line(2), ":3: found an end after 1 bearers that speaks of 2"},
      {head + "{\"ue\":\"nobody\"}\n", ":2: found"},
      {head + "{\"ue\":\"10.0.0.1\",\"class\":\"a\",\"origin\":\"heaven\"}\n", "the origin \"heaven\""},
      {head + "{\"ue\":\"10.0.0.1 qfi 64\",\"class\":\"a\",\"origin\":\"socket\"}\n", "`qfi 1` (0 to 63)"},
      {head + "{\"ue\":\"10.0.0.1\",\"class\":\"a\",\"origin\":\"socket\",\"downlink_teid\":-1}\n",
       "no TEID in \"downlink_teid\""},
      {head + "[1]\n", ":2: found no JSON object"},
      {bearer, ":1: found no head"},
      {"{\"rncd_state\":1}\n", "no \"running\""},
  };
  for (const auto& [text, why] : cases) {
    write(text);
    EXPECT_NE(error().find(why), std::string::npos) << error() << " where " << why;
    EXPECT_NE(error().find("the configuration file alone"), std::string::npos);
  }
}

TEST_F(StateTest, WhereThereIsNoFileThereIsNoError) {
  const auto state = read_state(path + ".not-there");
  ASSERT_TRUE(state);
  EXPECT_FALSE(*state);
}

TEST_F(StateTest, AStateOfAnotherUserOrOneThatOthersMayWriteIsNotTaken) {
  write(head_line(config, config, 1) + end_line(0));
  for (const mode_t mode : {0620, 0602}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    EXPECT_NE(error().find("other users may write"), std::string::npos) << error();
  }
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  EXPECT_EQ(error(), "");
  if (::geteuid() != 0) return;  // only root gives files away
  ASSERT_EQ(::chown(path.c_str(), 65534, 65534), 0);
  EXPECT_NE(error().find("user 65534"), std::string::npos) << error();
}

TEST_F(StateTest, NestingIsReadToADepthAndNoDeeper) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  write(std::string(kStateMagic) + "1,\"running\":" + deep + "}\n");
  EXPECT_NE(error().find("nested deeper than 32"), std::string::npos) << error();
  write(head_line(config, config, 1) + "{\"ue\":" + deep + "}\n");
  EXPECT_NE(error().find(":2: found a line that is refused"), std::string::npos) << error();
}

TEST_F(StateTest, AFileOrALineBeyondTheMostIsRefusedBeforeItIsRead) {
  write("{");
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40);
  EXPECT_NE(error().find("more than 1024 MiB"), std::string::npos) << error();
  std::filesystem::resize_file(path, std::uintmax_t{100} << 20);
  EXPECT_NE(error().find("a line of more than 64 MiB"), std::string::npos) << error();
}

TEST_F(StateTest, AStateIsReadFromAFileAloneAndNobodyIsWaitedFor) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_NE(error().find("is no regular file"), std::string::npos) << error();
  std::filesystem::remove(path);
  EXPECT_FALSE(read_state(::testing::TempDir()));
}

TEST_F(StateTest, EveryBearerCountsInTheFingerprint) {
  config::Config other = config;
  EXPECT_EQ(fingerprint(config), fingerprint(other));
  other.bearers.push_back({*dp::parse_ue("10.99.0.1"), 0});
  EXPECT_NE(fingerprint(config), fingerprint(other));
  config::Config third = other;
  third.bearers.back().cls = 1;
  EXPECT_NE(fingerprint(third), fingerprint(other));
}

// Settings that cannot change while rncd runs come from the file, the others from the saved state.
TEST_F(StateTest, AStartTakesWhatCannotChangeFromTheFile) {
  config::Config file = config;
  file.dataplane.devices[0] = "null";
  file.dataplane.mode = dp::Mode::tap;
  const SavedBearer listed{*dp::parse_ue("10.45.0.1"), config.classes[1].name, "", "", Origin::file, {}};
  const SavedBearer gone{*dp::parse_ue("10.45.0.2"), "no such class", "", "", Origin::file, {}};
  const config::Config start = to_start_with({config, config, 1, {listed, gone}}, file);
  EXPECT_EQ(start.dataplane.devices[0], "null");
  EXPECT_EQ(start.dataplane.mode, config.dataplane.mode);
  ASSERT_EQ(start.bearers.size(), config.bearers.size() + 1);
  EXPECT_EQ(start.bearers.back().ue, listed.ue);
  EXPECT_EQ(start.bearers.back().cls, 1);
}

}  // namespace
}  // namespace control
