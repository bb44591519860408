// --columns, --by, --where and --wide: which rows and columns of a table are shown, and in which order.
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/fake_caller.h"
#include "tools/ctl/table/selection.h"
#include "tools/ctl/views.h"

namespace ctl {
namespace {

Json bearer_row(const char* ue, const char* cls, std::uint64_t rate, std::uint64_t queued,
                std::uint64_t drops) {
  return {{"ue", ue},
          {"class", cls},
          {"downlink", {{"rate", rate}, {"queued_bytes", queued}, {"dropped_sdus", drops}}}};
}

class Chosen : public ::testing::Test {
 protected:
  Chosen() {
    caller.answers = {{{"items",
                        {bearer_row("10.45.0.2", "gold", 8'000'000, 100'000, 5),
                         bearer_row("10.45.0.3", "gold", 2'000'000, 10'000, 12),
                         bearer_row("10.45.0.4", "web", 0, 500, 7)}},
                       {"next", nullptr}}};
  }
  // The last digits of the UEs that are shown.
  std::string ues(std::vector<std::string> words) {
    caller.asked.clear();
    words.insert(words.begin(), {"show", "bearers", "--columns", "ue"});
    std::istringstream lines(shown(caller, words).out);
    std::string found;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("10.")) found += line.back();
    }
    return found;
  }
  std::string refusal(std::vector<std::string> words) {
    words.insert(words.begin(), {"show", "bearers"});
    try {
      parse(words);
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
    return "";
  }
  FakeCaller caller;
};

TEST_F(Chosen, FiguresAreSortedFromTheHighestAndTextFromTheLowest) {
  const auto order = [this](std::vector<std::string> words) {
    caller.asked.clear();
    words.insert(words.begin(), {"show", "bearers", "--columns", "drops"});
    return shown(caller, words).out;
  };
  EXPECT_EQ(order({"--by", "drops"}), "DROPS\n   12\n    7\n    5\n");
  EXPECT_EQ(order({"--by", "-drops"}), "DROPS\n    5\n    7\n   12\n");
  EXPECT_EQ(order({"--by", "drops", "--reverse"}), "DROPS\n    5\n    7\n   12\n");
  EXPECT_EQ(order({"--by=-drops", "--reverse"}), "DROPS\n   12\n    7\n    5\n");
  EXPECT_EQ(order({"--by", "ue"}), "DROPS\n    5\n   12\n    7\n");
  // A bearer without a rate has no queue in milliseconds: it comes last either way.
  EXPECT_EQ(order({"--by", "queue_ms"}), "DROPS\n    5\n   12\n    7\n");
  EXPECT_EQ(order({"--by", "-queue_ms"}), "DROPS\n   12\n    5\n    7\n");
}

TEST_F(Chosen, RowsAreFilteredByTheirValuesInTheirUnits) {
  EXPECT_EQ(ues({}), "234");
  EXPECT_EQ(ues({"--where", "drops>5"}), "34");
  EXPECT_EQ(ues({"--where", "drops >= 5", "--where", "class=gold"}), "23");
  EXPECT_EQ(ues({"--where", "class!=gold"}), "4");
  EXPECT_EQ(ues({"--where", "rate<8M"}), "34");
  EXPECT_EQ(ues({"--where", "rate=8Mbit/s"}), "2");
  EXPECT_EQ(ues({"--where", "queue<=10kB"}), "34");
  EXPECT_EQ(ues({"--where", "queue_ms>50"}), "2");
  EXPECT_EQ(ues({"--where", "queue_ms<0.05s"}), "3");
  EXPECT_EQ(ues({"--where", "queue_ms!=40"}), "24") << "a value that is not there is another";
  EXPECT_EQ(ues({"--where", "ue=10.45.0.3"}), "3");
  EXPECT_EQ(ues({"--where", "drops>100"}), "");
}

TEST_F(Chosen, WideHasAllColumnsInFullAndColumnsThoseInTheirOrder) {
  const std::string wide = shown(caller, {"show", "bearers", "--wide"}).out;
  for (const char* part : {"QUEUE SDUS", "SILENT", "8 Mbit/s", "97.7 KiB"})
    EXPECT_NE(wide.find(part), std::string::npos) << part << "\n" << wide;
  caller.asked.clear();
  EXPECT_EQ(
      shown(caller, {"show", "bearers", "--columns", "drops, rate,ue", "--limit", "3"}).out.substr(0, 26),
      "DROPS      RATE  UE\n    5 ");
}

TEST_F(Chosen, AWordThatIsNoColumnIsRefusedWithTheColumns) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--columns", "ue,dorps"}, {"--by", "dorps"}, {"--where", "dorps>1"}}) {
    const std::string said = refusal(words);
    EXPECT_NE(said.find("'dorps'"), std::string::npos) << said;
    EXPECT_NE(said.find("queue_ms"), std::string::npos) << said;
    EXPECT_NE(said.find("did you mean `drops`?"), std::string::npos) << said;
  }
  EXPECT_NE(refusal({"--where", "drops"}).find("operators"), 0u);
  EXPECT_NE(refusal({"--where", "drops"}).find("'drops>100'"), std::string::npos);
  EXPECT_NE(refusal({"--where", "rate>fast"}).find("384k"), std::string::npos);
  EXPECT_NE(refusal({"--where", "drops>many"}).find("drops: expected"), std::string::npos);
  EXPECT_NE(refusal({"--reverse"}).find("--by"), std::string::npos);
  EXPECT_NE(refusal({"--wide", "--columns", "ue"}), "");
}

TEST(TunnelColumns, AreComparedAsTeids) {
  FakeCaller caller;
  caller.answers = {{{"items", {{{"ue", "10.45.0.2"}, {"teid", 33}}, {{"ue", "10.45.0.3"}, {"teid", 34}}}},
                     {"next", nullptr}}};
  EXPECT_EQ(shown(caller, {"show", "tunnels", "--columns", "teid", "--where", "teid=0x21"}).out,
            "TEID\n0x00000021\n");
  EXPECT_THROW(parse({"show", "tunnels", "--where", "teid=0xx"}), CLI::ValidationError);
}

}  // namespace
}  // namespace ctl
