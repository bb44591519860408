// Which requests rncctl's words become.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/fake_caller.h"
#include "tools/ctl/commands.h"
#include "tools/ctl/unknown_word.h"

namespace ctl {
namespace {

TEST(Commands, BearerSetSendsOnlyWhatWasGiven) {
  const auto [method, params] = asked_by({"bearer", "set", "10.45.0.2", "--class", "internet"});
  EXPECT_EQ(method, "bearer.set");
  EXPECT_EQ(params, (Json{{"ue", "10.45.0.2"}, {"class", "internet"}}));
}

TEST(Commands, BearerSetPutsLimitsIntoTheDownlinkBuffer) {
  const auto asked = asked_by({"bearer", "set", "10.45.0.2", "--rate", "8M", "--uplink-rate", "1M", "--sdus",
                               "50", "--bytes", "64k"});
  EXPECT_EQ(asked.second, (Json{{"ue", "10.45.0.2"},
                                {"downlink", {{"rate", "8M"}, {"buffer", {{"sdus", 50}, {"bytes", "64k"}}}}},
                                {"uplink", {{"rate", "1M"}}}}));
}

TEST(Commands, CellSettingsArePairs) {
  EXPECT_EQ(
      asked_by({"cell", "set", "sector-1", "scheduler=pf-rp", "share=90%", "slots=1000"}),
      (std::pair<std::string, Json>(
          "cell.set", {{"cell", "sector-1"}, {"scheduler", "pf-rp"}, {"share", "90%"}, {"slots", 1000}})));
  EXPECT_EQ(asked_by({"cell", "add", "west", R"(scheduler={"pf-rp": {"rmin": "20k"}})"}).second,
            (Json{{"cell", "west"}, {"scheduler", {{"pf-rp", {{"rmin", "20k"}}}}}}));
  EXPECT_EQ(asked_by({"cell", "remove", "west"}),
            (std::pair<std::string, Json>("cell.remove", {{"cell", "west"}})));
  EXPECT_THROW(asked_by({"cell", "set", "west", "share"}), CLI::ValidationError);
}

TEST(Commands, ACellIsReportedToAndABearerHandedOver) {
  const Json rates = {{{"ue", "10.45.0.2"}, {"rate", "2M"}}, {{"ue", "2001:db8::/64"}, {"rate", 0}}};
  EXPECT_EQ(asked_by({"cell", "report", "sector-1", "10.45.0.2=2M", "2001:db8::/64=0"}),
            (std::pair<std::string, Json>("cell.report", {{"cell", "sector-1"}, {"rates", rates}})));
  EXPECT_EQ(asked_by({"relocate", "10.45.0.2", "sector-2"}),
            (std::pair<std::string, Json>("rrc.relocate", {{"ue", "10.45.0.2"}, {"cell", "sector-2"}})));
  EXPECT_EQ(asked_by({"bearer", "set", "10.45.0.2", "--class", "web", "--cell", "sector-1"}).second["cell"],
            "sector-1");
}

TEST(Commands, SeveralBearersAreRemovedInOneRequest) {
  const auto asked = asked_by({"bearer", "remove", "10.45.0.2", "10.45.0.3"});
  EXPECT_EQ(asked.first, "bearer.remove");
  EXPECT_EQ(asked.second, (Json{{"ues", {"10.45.0.2", "10.45.0.3"}}}));
}

TEST(Commands, RrcSendsTheDirectionOnlyWhenAsked) {
  EXPECT_EQ(asked_by({"rrc", "10.45.0.2", "--rate", "2M"}).second,
            (Json{{"bearer", "10.45.0.2"}, {"rate", "2M"}}));
  EXPECT_EQ(asked_by({"rrc", "10.45.0.2", "--rate", "2M", "--direction", "uplink"}).second["direction"],
            "uplink");
}

TEST(Commands, RrcTakesAUeAClassOrAFileAndRatesAndPolicies) {
  EXPECT_EQ(
      asked_by({"rrc", "10.45.0.2", "--rate", "128k", "--uplink-rate", "64k", "--aqm", "sbd:by-rate"}),
      (std::pair<std::string, Json>("rrc.reconfigure", {{"bearer", "10.45.0.2"},
                                                        {"rate", "128k"},
                                                        {"uplink_rate", "64k"},
                                                        {"aqm", {{"sbd", {{"profile", "by-rate"}}}}}})));
  EXPECT_EQ(asked_by({"rrc", "--class", "internet", "--aqm", "drop-tail"}).second,
            (Json{{"class", "internet"}, {"aqm", "drop-tail"}}));
  EXPECT_EQ(asked_by({"rrc", "10.45.0.2", "--queue", "sfp"}).second,
            (Json{{"bearer", "10.45.0.2"}, {"queue", "sfp"}}));
  EXPECT_EQ(asked_by({"rrc", "10.45.0.2", "--queue", R"({"sfp": {"flows": 8}})"}).second,
            (Json{{"bearer", "10.45.0.2"}, {"queue", {{"sfp", {{"flows", 8}}}}}}));
  EXPECT_THROW(parse({"rrc", "--rate", "128k"}), CLI::ParseError);
  EXPECT_THROW(parse({"rrc", "10.45.0.2", "--class", "internet", "--rate", "128k"}), CLI::ParseError);
}

TEST(Commands, AckStagesAreNamesNoneOrJson) {
  const Json spaced{{"ack-rate", {{"maxd", "250ms"}}}};
  const auto ack_of = [](const char* text) {
    return asked_by({"rrc", "10.45.0.2", "--ack", text}).second["ack"];
  };
  EXPECT_EQ(ack_of("ack-rate"), (Json{"ack-rate"}));
  EXPECT_EQ(ack_of("ack-rate,other"), (Json{"ack-rate", "other"}));
  EXPECT_EQ(ack_of("none"), Json::array());
  EXPECT_EQ(ack_of(R"({"ack-rate": {"maxd": "250ms"}})"), Json::array({spaced}));
  EXPECT_EQ(ack_of(R"([{"ack-rate": {"maxd": "250ms"}}, "other"])"), Json::array({spaced, "other"}));
  EXPECT_EQ(asked_by({"bearer", "set", "10.45.0.2", "--ack", "none"}).second,
            (Json{{"ue", "10.45.0.2"}, {"uplink", {{"ack", Json::array()}}}}));
}

TEST(Commands, ShowProfileSendsNameAndRateAsGiven) {
  EXPECT_EQ(asked_by({"show", "profile", "by-rate", "--rate", "200k"}),
            (std::pair<std::string, Json>("profile.get", {{"name", "by-rate"}, {"rate", "200k"}})));
}

TEST(Commands, ModeKnowsTheDataPlanesModesOnly) {
  EXPECT_EQ(asked_by({"mode", "inline"}).second, (Json{{"mode", "inline"}}));
  EXPECT_EQ(asked_by({"mode", "bypass", "--now"}).second, (Json{{"mode", "bypass"}, {"now", true}}));
  EXPECT_THROW(parse({"mode", "sideways"}), CLI::ValidationError);
}

TEST(Commands, ProxyDrainTellsAUeAClassAndAllApart) {
  const auto drain = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"proxy", "drain"});
    const auto asked = asked_by(words);
    EXPECT_EQ(asked.first, "proxy.drain");
    return asked.second;
  };
  EXPECT_EQ(drain({"web"}), (Json{{"class", "web"}}));
  EXPECT_EQ(drain({"umts.v4.2.x"}), (Json{{"class", "umts.v4.2.x"}}));
  EXPECT_EQ(drain({"10.45.0.2"}), (Json{{"ue", "10.45.0.2"}}));
  EXPECT_EQ(drain({"2001:db8:1:2::/64"}), (Json{{"ue", "2001:db8:1:2::/64"}}));
  EXPECT_EQ(drain({"10.45.0.2@east"}), (Json{{"ue", "10.45.0.2@east"}}));
  EXPECT_EQ(drain({"all", "--off"}), (Json{{"all", true}, {"off", true}}));
  EXPECT_THROW(parse({"proxy", "drain"}), CLI::ParseError);
  FakeCaller caller;
  EXPECT_THROW(shown(caller, {"proxy", "show"}), Refused) << "the answer has no list";
  EXPECT_EQ(caller.asked.at(0).first, "proxy.show");
}

TEST(Commands, AProxyIsANameOrJson) {
  EXPECT_EQ(asked_by({"rrc", "10.45.0.2", "--proxy", "none"}).second["proxy"], "none");
  EXPECT_EQ(asked_by({"bearer", "set", "10.45.0.2", "--proxy", R"({"split": {"initial_window": 3}})"}).second,
            (Json{{"ue", "10.45.0.2"}, {"proxy", {{"split", {{"initial_window", 3}}}}}}));
}

TEST(Commands, CallPassesJsonThrough) {
  const auto asked = asked_by({"call", "bearer.get", R"({"ue": "10.45.0.2"})"});
  EXPECT_EQ(asked.first, "bearer.get");
  EXPECT_EQ(asked.second, (Json{{"ue", "10.45.0.2"}}));
  EXPECT_THROW(parse({"call", "bearer.get", "{ue}"}), CLI::ValidationError);
}

// The message about these words, which have a value out of range.
std::string refusal_of(const std::vector<std::string>& words) {
  try {
    parse(words);
  } catch (const CLI::ParseError& refused) {
    return refused.what();
  }
  return "";
}

TEST(Commands, ANumberOutOfItsRangeIsRefusedWithTheRange) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> options{
      {{"show", "bearers", "--limit"}, "1 to 1000000"},
      {{"show", "flows", "10.45.0.2", "--limit"}, "1 to 1000000"},
      {{"bearer", "move", "10.45.0.2", "--worker"}, "0 to 63"},
      {{"apply", "-", "--confirm"}, "1 to 86400"},
      {{"upgrade", "--binary", "/x", "--wait"}, "1 to 3600"}};
  for (const auto& [words, range] : options) {
    for (const char* value : {"x", "-1", "1.5", "99999999999999999999", "4294967296"}) {
      auto given = words;
      given.back() += "=" + std::string(value);
      const std::string said = refusal_of(given);
      EXPECT_NE(said.find("expected a whole number from " + range), std::string::npos) << value << said;
      EXPECT_NE(said.find(words.back()), std::string::npos) << said;
    }
  }
  EXPECT_NE(refusal_of({"show", "bearers", "--limit", "0"}).find("found '0'"), std::string::npos);
}

TEST(Commands, AnAnswerWithoutTheExpectedPartIsARefusal) {
  FakeCaller caller;
  EXPECT_THROW(shown(caller, {"show", "workers"}), Refused);
}

// A file with so long a text, of characters of three octets, so that pieces may end inside one.
std::string long_file(std::size_t octets) {
  std::string name = std::filesystem::temp_directory_path() / "rncctl-long-XXXXXX";
  ::close(::mkstemp(name.data()));
  std::ofstream file(name);
  for (std::size_t at = 0; at < octets; at += 3) file << "\u20ac";
  return name;
}

TEST(Commands, AConfigurationThatIsLongerThanARequestGoesInPieces) {
  const std::string file = long_file(std::size_t{3} << 20);
  for (const auto& [words, method] :
       {std::pair<std::vector<std::string>, const char*>{{"apply", file, "--confirm", "9"}, "config.apply"},
        {{"apply", file, "--diff"}, "config.diff"},
        {{"config", "check", file}, "config.check"}}) {
    FakeCaller caller;
    caller.answers.assign(20, {{"upload", 7}});
    parse(words).fetch(caller);
    std::string text;
    for (std::size_t i = 0; i + 1 < caller.asked.size(); ++i) {
      const auto& [asked, params] = caller.asked[i];
      EXPECT_EQ(asked, "config.upload");
      EXPECT_EQ(params.contains("upload"), i > 0);
      EXPECT_LE(params.dump().size(), std::size_t{1} << 20);
      text += params["text"].get<std::string>();
    }
    EXPECT_EQ(text.size(), (std::size_t{3} << 20));
    EXPECT_EQ(caller.asked.back().first, method);
    EXPECT_EQ(caller.asked.back().second["upload"], 7);
    EXPECT_FALSE(caller.asked.back().second.contains("config"));
  }
  std::filesystem::remove(file);
}

TEST(Commands, ApplySendsTheNameOfItsFileForTheLog) {
  const std::string file = long_file(3);
  EXPECT_EQ(asked_by({"apply", file}).second,
            (Json{{"config", "\u20ac"}, {"file", std::filesystem::canonical(file).string()}}));
  std::filesystem::remove(file);
}

TEST(Commands, WhatWouldChangeIsShownKeyByKeyAndBearerByBearer) {
  FakeCaller caller;
  caller.answers = {{{"keys", {{{"key", "classes.internet.downlink.rate"}, {"was", "8M"}, {"now", "2M"}}}},
                     {"more_keys", 3},
                     {"kept", {"dataplane.workers"}},
                     {"bearers", {{"new", 2}, {"removed", 0}, {"changed", 1}, {"first", {"10.45.0.9 new"}}}},
                     {"rules", {{"new", 0}, {"removed", 0}, {"changed", 0}, {"first", Json::array()}}}}};
  const std::string file = long_file(3);
  const Command diff = parse({"apply", file, "--dry-run"});
  const std::string text = diff.text(diff.fetch(caller));
  EXPECT_EQ(
      text,
      "classes.internet.downlink.rate: 8M to 2M\nand 3 more keys\nbearers: 2 new, 0 removed, 1 changed\n"
      "  10.45.0.9 new\n  and 2 more\nkept: dataplane.workers, which cannot change while rncd runs; restart "
      "it\n");
  std::filesystem::remove(file);
}

// The explanation of a command line that cannot be parsed.
std::string explained(const std::vector<std::string>& words) {
  Command command;
  CLI::App app;
  app.add_option("-s,--socket")->expected(1);
  app.add_flag("-j");
  add_commands(app, command);
  return explain_unknown_word(app, words);
}

TEST(Commands, AWordThatIsNoCommandIsNamedWithTheOneThatWasMeant) {
  EXPECT_EQ(explained({"bearer", "delete", "10.45.0.2"}),
            "`delete` is no command of `rncctl bearer`; there are set, remove, release and move; did you "
            "mean `rncctl "
            "bearer "
            "remove`?");
  EXPECT_NE(explained({"bearer", "add", "10.45.0.2"}).find("did you mean `rncctl bearer set`?"),
            std::string::npos);
  EXPECT_NE(explained({"show", "bearrs"}).find("did you mean `rncctl show bearer"), std::string::npos);
  EXPECT_NE(explained({"-s", "show", "-j", "list"}).find("`list` is no command of `rncctl`"),
            std::string::npos);
  EXPECT_EQ(explained({"show", "quux"}).find("did you mean"), std::string::npos);
}

TEST(Commands, AWordThatIsACommandElsewhereIsNamedThere) {
  EXPECT_NE(explained({"move", "10.45.0.2"}).find("did you mean `rncctl bearer move`?"), std::string::npos);
  EXPECT_NE(explained({"remove"})
                .find("did you mean `rncctl bearer remove`, `rncctl cell remove` or `rncctl wire remove`?"),
            std::string::npos);
  EXPECT_NE(explained({"bearer", "relocate"}).find("did you mean `rncctl relocate`?"), std::string::npos);
}

TEST(Commands, AWordThatIsSimilarButNoMisspellingIsNotTakenForAnother) {
  for (const char* word :
       {"reload", "restart", "start", "stop", "unconfirm", "reset", "mov", "on", "x", ""}) {
    EXPECT_EQ(explained({word}).find("did you mean"), std::string::npos) << explained({word});
  }
  for (const auto& [word, name] : {std::pair{"aply", "apply"},
                                   {"cofnirm", "confirm"},
                                   {"hsow", "show"},
                                   {"relcoate", "relocate"},
                                   {"upgarde", "upgrade"}}) {
    EXPECT_NE(explained({word}).find("did you mean `rncctl " + std::string(name) + "`?"), std::string::npos)
        << word;
  }
}

TEST(Commands, OtherMistakesAreLeftToTheCommandLinesOwnMessage) {
  EXPECT_EQ(explained({"bearer", "remove"}), "");
  EXPECT_EQ(explained({"mode", "sideways"}), "");
  EXPECT_EQ(explained({}), "");
}

}  // namespace
}  // namespace ctl
