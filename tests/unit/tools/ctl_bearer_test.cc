// The commands that change bearers: one grammar for `bearer set` and `rrc`, of one UE or of a file.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/fake_caller.h"

namespace ctl {
namespace {

using Words = std::vector<std::string>;

class BearerFile : public ::testing::Test {
 protected:
  explicit BearerFile() {
    name = std::filesystem::temp_directory_path() / "rncctl-bearers-XXXXXX";
    ::close(::mkstemp(name.data()));
  }
  ~BearerFile() override { std::filesystem::remove(name); }
  void write(const char* text) { std::ofstream(name) << text; }
  std::string name;
};

// The words for settings of one bearer, and what each command makes of them.
TEST(BearerGrammar, SetAndRrcTakeTheSameWords) {
  const Words settings{"10.45.0.2",    "--rate", "2M",      "--uplink-rate", "1M",    "--aqm", "sbd:by-rate",
                       "--uplink-aqm", "codel",  "--queue", "sfp",           "--ack", "none",  "--proxy",
                       "none",         "--gate", "hold",    "--uplink-gate", "closed"};
  Words set{"bearer", "set"}, rrc{"rrc"};
  set.insert(set.end(), settings.begin(), settings.end());
  rrc.insert(rrc.end(), settings.begin(), settings.end());
  const Json sbd{{"sbd", {{"profile", "by-rate"}}}};
  EXPECT_EQ(asked_by(set).second,
            (Json{{"ue", "10.45.0.2"},
                  {"downlink", {{"rate", "2M"}, {"aqm", sbd}, {"gate", "hold"}, {"queue", "sfp"}}},
                  {"uplink", {{"rate", "1M"}, {"aqm", "codel"}, {"gate", "closed"}, {"ack", Json::array()}}},
                  {"proxy", "none"}}));
  EXPECT_EQ(asked_by(rrc).second, (Json{{"bearer", "10.45.0.2"},
                                        {"rate", "2M"},
                                        {"uplink_rate", "1M"},
                                        {"aqm", sbd},
                                        {"uplink_aqm", "codel"},
                                        {"gate", "hold"},
                                        {"uplink_gate", "closed"},
                                        {"queue", "sfp"},
                                        {"ack", Json::array()},
                                        {"proxy", "none"}}));
}

TEST(BearerGrammar, TheDirectionSaysWhichLegsARateIsFor) {
  const auto legs = [](Words more) {
    more.insert(more.begin(), {"bearer", "set", "10.45.0.2", "--rate", "2M"});
    Json params = asked_by(more).second;
    params.erase("ue");
    return params;
  };
  const Json rate{{"rate", "2M"}};
  EXPECT_EQ(legs({}), (Json{{"downlink", rate}}));
  EXPECT_EQ(legs({"--direction", "uplink"}), (Json{{"uplink", rate}}));
  EXPECT_EQ(legs({"--direction", "both"}), (Json{{"downlink", rate}, {"uplink", rate}}));
  EXPECT_THROW(legs({"--direction", "both", "--uplink-rate", "1M"}), CLI::ValidationError);
  EXPECT_THROW(legs({"--direction", "sideways"}), CLI::ValidationError);
}

TEST_F(BearerFile, MakesManyBearersInOneCall) {
  write("# two\n10.45.0.2\n\n\"10.45.0.3 qfi 1\" 4M 1M\n10.45.0.4 3M\n");
  const auto [method, params] =
      asked_by({"bearer", "set", "--from", name, "--class", "gold", "--rate", "2M", "--aqm", "codel"});
  EXPECT_EQ(method, "bearer.set");
  const auto one = [](const char* ue, const char* rate) {
    return Json{{"ue", ue}, {"class", "gold"}, {"downlink", {{"rate", rate}, {"aqm", "codel"}}}};
  };
  Json second = one("10.45.0.3 qfi 1", "4M");
  second["uplink"]["rate"] = "1M";
  EXPECT_EQ(params, (Json{{"bearers", {one("10.45.0.2", "2M"), second, one("10.45.0.4", "3M")}}}));
}

TEST_F(BearerFile, ChangesManyBearersInOneCall) {
  write("10.45.0.2\n10.45.0.3 4M 1M\n");
  const Json listed{{{"bearer", "10.45.0.2"}},
                    {{"bearer", "10.45.0.3"}, {"rate", "4M"}, {"uplink_rate", "1M"}}};
  EXPECT_EQ(asked_by({"rrc", "--from", name, "--rate", "2M"}).second,
            (Json{{"bearers", listed}, {"rate", "2M"}}));
}

TEST_F(BearerFile, StandsInThePlaceOfAUe) {
  write("10.45.0.2\n");
  EXPECT_THROW(parse({"bearer", "set", "10.45.0.2", "--from", name}), CLI::ParseError);
  EXPECT_THROW(parse({"bearer", "set", "--class", "gold"}), CLI::ParseError);
  EXPECT_THROW(parse({"bearer", "set", "--from", name, "--tunnel", "192.0.2.1,1"}), CLI::ParseError);
}

TEST_F(BearerFile, HasItsLineInARefusal) {
  struct Refusing : Caller {
    Json call(const std::string&, const Json&) override {
      throw Refused("bearers[1].downlink.rate: found \"fast\"", Json());
    }
  } refusing;
  write("10.45.0.2\n# a comment\n10.45.0.3 fast\n");
  try {
    parse({"bearer", "set", "--from", name, "--class", "gold"}).fetch(refusing);
    FAIL();
  } catch (const Refused& refused) {
    EXPECT_NE(std::string(refused.what()).find(name + ":3: "), std::string::npos) << refused.what();
  }
}

// Parses the words and returns what `help` prints, or the error.
std::string helped(Words words) {
  words.insert(words.begin(), "help");
  FakeCaller caller;
  try {
    return shown(caller, words).out;
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
}

TEST(Help, OfACommandIsThatOfItsFlag) {
  CLI::App app("", "rncctl");
  Command command;
  add_commands(app, command);
  std::string expected;
  try {
    app.parse(std::vector<std::string>{"--help", "bearers", "show"});
  } catch (const CLI::CallForHelp&) {
    expected = app.help();
  }
  EXPECT_EQ(helped({"show", "bearers"}), expected);
  EXPECT_NE(expected.find("Usage: rncctl show bearers"), std::string::npos) << expected;
  EXPECT_NE(helped({}).find("\n  rrc "), std::string::npos);
  EXPECT_NE(helped({"show"}).find("tunnels"), std::string::npos);
}

TEST(Help, OfAnUnknownCommandNamesTheNearest) {
  EXPECT_NE(helped({"show", "baerers"}).find("did you mean `rncctl show bearers`?"), std::string::npos);
  EXPECT_NE(helped({"rrc", "fast"}).find("`fast` is no command"), std::string::npos);
}

}  // namespace
}  // namespace ctl
