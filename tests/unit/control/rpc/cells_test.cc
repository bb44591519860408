// Cells over the control socket: made, filled, steered, emptied and removed, with bearers that are listed,
// set and learnt.
#include <gtest/gtest.h>

#include "dataplane/bearer/bearer.h"
#include "tests/support/rpc_bench.h"

namespace control::rpc {
namespace {

constexpr const char* kCellsFile = R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
classes:
  web: {downlink: {rate: 20M, link: {cell: {radio: {constant: {rate: 4M}}}}}}
  told: {downlink: {rate: 20M, link: {cell: {radio: {reported: {initial: 1M, valid: 1s}}}}}}
  plain: {downlink: {rate: 8M}}
cells:
  north: {members: 3}
  south: {slots: 1000, members: 2}
bearers:
  - {ue: 10.45.0.1, class: web, cell: north}
  - {ue: 10.45.0.2, class: told, cell: north}
  - {ue: 10.45.0.3, class: plain}
  - {ue: 10.46.0.0/24, class: web, cell: south, learn: both, limit: 8}
)";

class CellsTest : public dp::test::RpcBench {
 protected:
  CellsTest() : RpcBench(kCellsFile) {}
  void TearDown() override {
    RpcBench::TearDown();
    EXPECT_EQ(runtime.shared(0).snapshot.read().account.residue(), 0);
  }

  Json cell(const char* name) { return result("cell.get", {{"cell", name}}); }
  Json of(const char* ue) { return result("bearer.get", {{"ue", ue}})["cell"]; }
  std::uint64_t members(const char* name) { return cell(name)["members"].get<std::uint64_t>(); }
  Json relocate(const char* ue, const char* to) { return call("rrc.relocate", {{"ue", ue}, {"cell", to}}); }
  // To the UE, and until the condition holds.
  void send_to(const char* ue, int count) {
    for (int i = 0; i < count; ++i) runtime.io.offer(dp::Side::core, {.dst = dp::test::Ip(ue)});
  }
  template <class Condition>
  void wait_until(Condition condition) {
    for (int i = 0; i < 10'000 && !condition(); ++i) {
      work();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(condition());
  }
};

TEST_F(CellsTest, AreListedPageByPage) {
  const Json first = result("cell.list", {{"limit", 1}});
  ASSERT_EQ(first["items"].size(), 1u);
  EXPECT_EQ(first["next"], "north");
  const Json second = result("cell.list", {{"limit", 1}, {"cursor", first["next"]}});
  EXPECT_EQ(second["items"][0]["cell"], "south");
  EXPECT_EQ(second["next"], nullptr);
  const Json behind = result("cell.list", {{"cursor", "zebra"}});
  EXPECT_EQ(behind, (Json{{"items", Json::array()}, {"next", nullptr}}));
}

TEST_F(CellsTest, AreMadeAtTheStartAndListedWithWhatTheyHold) {
  const Json list = result("cell.list")["items"];
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["cell"], "north");
  EXPECT_EQ(list[0]["members"], 2);
  EXPECT_EQ(list[0]["places"], 3);
  EXPECT_EQ(list[0]["settings"]["short_share"], "75%");
  EXPECT_EQ(list[1]["members"], 0);
  EXPECT_EQ(of("10.45.0.1")["name"], "north");
  EXPECT_TRUE(of("10.45.0.3").is_null());
  EXPECT_EQ(result("config.get")["bearers"][0]["cell"], "north");
}

TEST_F(CellsTest, WhatIsSentToAMemberTakesItsSlots) {
  send_to("10.45.0.1", 3);
  wait_until([&] { return runtime.io.sent() == 3; });
  const Json north = cell("north");
  EXPECT_GT(north["slots"]["long"], 0);
  EXPECT_GT(north["bits"], 0);
  EXPECT_GT(of("10.45.0.1")["slots"], 0);
}

TEST_F(CellsTest, ABearerEntersMovesOnAndLeavesByItsSettings) {
  result("bearer.set", {{"ue", "10.45.0.3"}, {"class", "web"}, {"cell", "north"}});
  EXPECT_EQ(members("north"), 3u);
  result("bearer.set", {{"ue", "10.45.0.3"}, {"cell", "south"}, {"downlink", {{"rate", "10M"}}}});
  EXPECT_EQ(members("north"), 2u);
  EXPECT_EQ(members("south"), 1u);
  EXPECT_EQ(result("bearer.get", {{"ue", "10.45.0.3"}})["downlink"]["rate"], 10'000'000);
  const Json other_radio = {{"cell", {{"radio", {{"constant", {{"rate", "2M"}}}}}}}};
  result("bearer.set", {{"ue", "10.45.0.3"}, {"downlink", {{"link", other_radio}}}});
  EXPECT_EQ(of("10.45.0.3")["name"], "south");
  EXPECT_EQ(members("south"), 1u);
  result("bearer.set", {{"ue", "10.45.0.3"}, {"class", "plain"}});
  EXPECT_TRUE(of("10.45.0.3").is_null());
  EXPECT_EQ(members("south"), 0u);
  result("bearer.remove", {{"ue", "10.45.0.1"}});
  EXPECT_EQ(members("north"), 1u);
}

TEST_F(CellsTest, ABearerSaysInWhichCellItIsIfItsLinkSharesOne) {
  expect_error(call("bearer.set", {{"ue", "10.45.0.9"}, {"class", "web"}}), kInvalidParams,
               "cell: missing, and the link of 10.45.0.9 is `cell`");
  expect_error(call("bearer.set", {{"ue", "10.45.0.9"}, {"class", "web"}, {"cell", "nroth"}}), kInvalidParams,
               "did you mean `north`?");
  expect_error(call("bearer.set", {{"ue", "10.45.0.9"}, {"class", "plain"}, {"cell", "north"}}),
               kInvalidParams, "cell: given, but the link of 10.45.0.9 is not `cell`");
  EXPECT_EQ(members("north"), 2u);
}

TEST_F(CellsTest, AFullCellIsAnAnswerAndNothingOfTheRequestIsDone) {
  const Json many = {{"bearers",
                      {{{"ue", "10.45.1.1"}, {"class", "web"}, {"cell", "north"}},
                       {{"ue", "10.45.1.2"}, {"class", "web"}, {"cell", "north"}}}}};
  expect_error(call("bearer.set", many), kCellFull,
               "the cell north has 3 places, 2 taken, and 2 more would be");
  EXPECT_EQ(members("north"), 2u);
  expect_error(call("bearer.get", {{"ue", "10.45.1.1"}}), kNoSuchBearer, "10.45.1.1");
  result("bearer.set", {{"ue", "10.45.1.1"}, {"class", "web"}, {"cell", "south"}});
  result("bearer.set", {{"ue", "10.45.1.2"}, {"class", "web"}, {"cell", "south"}});
  expect_error(relocate("10.45.0.1", "south"), kCellFull, "the cell south has 2 places");
  EXPECT_EQ(of("10.45.0.1")["name"], "north");
}

TEST_F(CellsTest, WhoLeavesInTheSameRequestMakesRoom) {
  for (const char* ue : {"10.45.1.1", "10.45.1.2"}) {
    result("bearer.set", {{"ue", ue}, {"class", "web"}, {"cell", "south"}});
  }
  result("bearer.set", {{"bearers",
                         {{{"ue", "10.45.0.1"}, {"cell", "south"}},
                          {{"ue", "10.45.1.2"}, {"cell", "north"}},
                          {{"ue", "10.45.1.1"}, {"class", "plain"}}}}});
  EXPECT_EQ(of("10.45.0.1")["name"], "south");
  EXPECT_EQ(of("10.45.1.2")["name"], "north");
  EXPECT_EQ(members("south"), 1u);
}

TEST_F(CellsTest, ARelocatedBearerKeepsWhatItHolds) {
  runtime.stall(true);
  send_to("10.45.0.1", 20);
  runtime.stall(false);
  EXPECT_EQ(relocate("10.45.0.1", "south")["result"],
            (Json{{"ue", "10.45.0.1"}, {"was", "north"}, {"cell", "south"}}));
  wait_until([&] { return runtime.io.sent() == 20; });
  EXPECT_EQ(members("north"), 1u);
  EXPECT_EQ(members("south"), 1u);
  EXPECT_EQ(relocate("10.45.0.1", "south")["result"]["was"], "south");
  expect_error(relocate("10.45.0.3", "south"), kInvalidParams, "10.45.0.3 is in no cell");
  expect_error(relocate("10.45.0.9", "south"), kNoSuchBearer, "no bearer 10.45.0.9");
}

TEST_F(CellsTest, LearntBearersAreInTheCellOfTheirRuleUntilItIsFull) {
  for (const char* ue : {"10.46.0.1", "10.46.0.2", "10.46.0.3"}) send_to(ue, 1);
  wait_until([&] { return runtime.io.sent() == 3; });
  wait_until([&] { return plane.registry().size() == 5; });
  const Json south = cell("south");
  EXPECT_EQ(south["members"], 2);
  EXPECT_EQ(south["refused"], 1);
  EXPECT_EQ(of("10.46.0.1")["name"], "south");
  EXPECT_EQ(relocate("10.46.0.1", "north")["result"]["was"], "south");
  result("bearer.remove", {{"ue", "10.46.0.2"}});
  EXPECT_EQ(members("south"), 0u);
}

TEST_F(CellsTest, ACellIsChangedLiveAndWhatChangedIsTold) {
  const Json changed = result(
      "cell.set", {{"cell", "north"}, {"scheduler", "pf-rp"}, {"share", "90%"}, {"slots", 1000}})["changed"];
  EXPECT_EQ(changed["share"], (Json{{"was", "1"}, {"now", "90%"}}));
  EXPECT_EQ(changed["scheduler"]["now"].begin().key(), "pf-rp");
  EXPECT_EQ(changed.size(), 3u);
  EXPECT_EQ(result("config.get")["cells"]["north"]["slots"], 1000);
  EXPECT_TRUE(result("cell.set", {{"cell", "north"}, {"share", "90%"}})["changed"].empty());
  expect_error(call("cell.set", {{"cell", "north"}, {"slots", 700}}), kInvalidParams, "such as 600 or 750");
  expect_error(call("cell.set", {{"cell", "north"}, {"scheduler", "pf-pr"}}), kInvalidParams, "did you mean");
  expect_error(call("cell.set", {{"cell", "north"}, {"members", 8}}), kInvalidParams,
               "keeps the 3 members that it was made with");
  expect_error(call("cell.set", {{"cell", "nroth"}, {"share", "9%"}}), kInvalidParams,
               "did you mean `north`?");
  expect_error(call("cell.set", {{"share", "9%"}}), kInvalidParams, "\"cell\" is missing");
}

TEST_F(CellsTest, ACellIsAddedFilledEmptiedAndRemoved) {
  result("cell.add", {{"cell", "west"}, {"members", 1}, {"scheduler", "round-robin"}});
  expect_error(call("cell.add", {{"cell", "west"}}), kInvalidParams, "there is a cell west already");
  expect_error(call("cell.add", {{"cell", "far west"}}), kInvalidParams,
               "cell: found \"far west\", expected");
  EXPECT_EQ(cell("west")["settings"]["short_share"], "75%");
  EXPECT_EQ(relocate("10.45.0.1", "west")["result"]["was"], "north");
  expect_error(call("cell.remove", {{"cell", "west"}}), kCellUsed, "the cell west holds 1 bearer; remove");
  result("bearer.remove", {{"ue", "10.45.0.1"}});
  result("cell.remove", {{"cell", "west"}});
  expect_error(call("cell.get", {{"cell", "west"}}), kInvalidParams, "no cell \"west\"");
  expect_error(call("cell.remove", {{"cell", "south"}}), kCellUsed,
               "UEs of 10.46.0.0/24 are learnt into the cell south");
  result("bearer.remove", {{"ues", {"10.45.0.1", "10.45.0.2"}}});
  result("cell.remove", {{"cell", "north"}});
  const Json config = result("config.get");
  EXPECT_EQ(config["cells"].size(), 1u);
  ASSERT_EQ(config["bearers"].size(), 2u) << "who was listed in the north is listed no longer";
  EXPECT_TRUE(config::load_text(config.dump(), "again.yaml")) << config;
  EXPECT_EQ(config["bearers"].back()["cell"], "south") << "it is another number now";
}

TEST_F(CellsTest, ReportsCountForThoseWhoseRadioTakesThem) {
  const Json rates = {{{"ue", "10.45.0.1"}, {"rate", "3M"}},
                      {{"ue", "10.45.0.2"}, {"rate", 3'000'000}},
                      {{"ue", "10.45.0.9"}, {"rate", 0}}};
  EXPECT_EQ(result("cell.report", {{"cell", "north"}, {"rates", rates}}),
            (Json{{"reported", 1}, {"unknown", 2}}));
  EXPECT_LT(of("10.45.0.2")["report_seconds"], 60);
  EXPECT_TRUE(of("10.45.0.1")["report_seconds"].is_null());
  Json many = Json::array();
  for (int i = 0; i < 700; ++i) many.push_back({{"ue", "10.45.0.2"}, {"rate", "1M"}});
  EXPECT_EQ(result("cell.report", {{"cell", "north"}, {"rates", many}})["reported"], 700);
  expect_error(call("cell.report", {{"cell", "north"}, {"rates", {{{"ue", "10.45.0.2"}}}}}), kInvalidParams,
               "rates[0].rate");
  expect_error(call("cell.report", {{"cell", "north"}, {"rates", {{{"ue", "10.45.0.2"}, {"rate", "3Mb"}}}}}),
               kInvalidParams, "rates[0].rate: found '3Mb'");
}

TEST_F(CellsTest, ACellTakesMemoryThatHasToBeThere) {
  memory = 1000;
  expect_error(call("cell.add", {{"cell", "west"}, {"members", 4096}}), kOutOfMemory, "1 cell ");
  expect_error(call("bearer.set", {{"ue", "10.45.0.8"}, {"class", "web"}, {"cell", "north"}}), kOutOfMemory,
               "radios of bearers in cells");
  EXPECT_EQ(members("north"), 2u);
}

}  // namespace
}  // namespace control::rpc
