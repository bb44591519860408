// The tables of rncctl: their columns, and what they say in few of them.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/fake_caller.h"
#include "tools/ctl/views.h"

namespace ctl {
namespace {

Json leg_at(std::uint64_t rate) {
  return {{"rate", rate},           {"queued_bytes", 4500},         {"queued_sdus", 3},
          {"delivered_sdus", 1000}, {"delivered_bytes", 1'500'000}, {"dropped_sdus", 7}};
}

std::string flows_of(const Json& flows, bool wide = false, bool followed = true) {
  FakeCaller caller;
  caller.answers = {{{"items", flows}, {"next", nullptr}, {"followed", followed}}};
  std::vector<std::string> words{"show", "flows", "10.45.0.2"};
  if (wide) words.push_back("--wide");
  return shown(caller, words).out;
}

std::string proxies_of(const Json& answer) {
  FakeCaller caller;
  caller.answers = {answer};
  return shown(caller, {"proxy", "show"}).out;
}

TEST(Tables, BearersShowRatesAndQueuesInHumanUnits) {
  const Json list = Json::array({{{"ue", "10.45.0.2"},
                                  {"class", "internet"},
                                  {"learnt", true},
                                  {"downlink", leg_at(8'000'000)},
                                  {"uplink", leg_at(0)}}});
  EXPECT_EQ(text_of_list(views::kBearers, list, {}),
            "UE         CLASS     RATE    QUEUE  QUEUE MS     SENT  DROPS  UP RATE\n"
            "10.45.0.2  internet    8M  4.39KiB       4.5  1.43MiB      7        -\n");
}

// The members named of a row, as a list has them that was asked for these.
Json projected(const Json& row, const std::vector<std::string>& members) {
  Json kept{{"ue", row["ue"]}};
  for (const std::string& member : members) {
    const std::size_t dot = member.find('.');
    const std::string outer = member.substr(0, dot);
    if (dot == member.npos) kept[outer] = row[outer];
    if (dot != member.npos) kept[outer][member.substr(dot + 1)] = row[outer][member.substr(dot + 1)];
  }
  return kept;
}

TEST(Tables, AColumnOfBearersNamesTheMembersThatItReads) {
  Json leg = leg_at(8'000'000);
  leg.update({{"marked_sdus", 5}, {"link", "rate"}, {"aqm", "red"}, {"idle_seconds", 2.5}});
  const Json row{
      {"ue", "10.45.0.2"}, {"class", "internet"},        {"learnt", true}, {"worker", 1}, {"owner", "radius"},
      {"downlink", leg},   {"cell", {{"name", "west"}}}, {"uplink", leg}};
  for (const Column& column : views::kBearers.columns) {
    const Json value = value_of(column, row);
    EXPECT_FALSE(value.is_null()) << column.name << ": the row has all that a column shows";
    EXPECT_EQ(value_of(column, projected(row, members_of(column))), value) << column.name;
  }
}

TEST(Tables, OfBearersAskForTheMembersThatTheyShowSortAndFilterByAndJsonForAll) {
  const auto asked = [](std::vector<std::string> words, bool json) {
    FakeCaller caller;
    caller.answers = {{{"items", Json::array()}, {"next", nullptr}}};
    words.insert(words.begin(), {"show", "bearers"});
    shown(caller, words, json);
    return caller.asked.at(0).second.value("members", Json());
  };
  EXPECT_EQ(asked({"--columns", "ue,rate", "--by", "up_rate", "--where", "queue_ms>5"}, false),
            Json({"downlink.rate", "downlink.queued_bytes", "uplink.rate"}));
  EXPECT_EQ(asked({"--columns", "ue"}, false), Json::array());
  EXPECT_EQ(asked({"--columns", "cell,class"}, false), Json({"cell", "class"}));
  EXPECT_EQ(asked({"--where", "drops>5"}, true), nullptr);
}

TEST(Tables, AFlowIsARowWithItsAddressesTimesAndWindows) {
  Json flow{{"ue", "10.45.0.2"},
            {"ue_port", 40000u},
            {"peer", "2001:db8::1"},
            {"peer_port", 443u},
            {"state", "established"},
            {"rtt_seconds", {{"radio", 0.2504}, {"core", nullptr}}},
            {"scale", 7u},
            {"window_bytes", {{"ue", 65'536u}, {"told", 16'384u}}},
            {"mss", 1460u},
            {"held_acks", 2u},
            {"sack", true},
            {"timestamps", false},
            {"pipe_bytes", 1024u},
            {"outstanding_bytes", 2048u},
            {"idle_seconds", 0.01},
            {"handshake_seen", true},
            {"asymmetric", false}};
  const auto text = flows_of(Json::array({flow}), true);
  for (const char* part : {"10.45.0.2:40000", "[2001:db8::1]:443", "established", " 250 ", "64 KiB", "16 KiB",
                           " 7 ", "1460", "SACK"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  EXPECT_EQ(text.find("timestamps"), std::string::npos) << text;
  flow["rtt_seconds"]["core"] = 0.000'057;
  EXPECT_NE(flows_of(Json::array({flow}), true).find(" 0.057 "), std::string::npos);
  flow["handshake_seen"] = false;
  flow["asymmetric"] = true;
  flow["scale"] = nullptr;
  const auto odd = flows_of(Json::array({flow}), true);
  EXPECT_NE(odd.find("SACK, no handshake seen, asymmetric"), std::string::npos) << odd;
}

TEST(Tables, AFlowOfABearerWithAProxyHasASecondRow) {
  const Json flow{{"ue", "10.45.0.2"},
                  {"ue_port", 40000u},
                  {"peer", "192.0.2.1"},
                  {"peer_port", 443u},
                  {"proxy",
                   {{"state", "drain"},
                    {"stored_bytes", 4096u},
                    {"at_risk_bytes", 2048u},
                    {"cwnd_bytes", 8192u},
                    {"ue_rtt_seconds", 0.25},
                    {"retransmissions", 3u},
                    {"timeouts", 1u}}}};
  const auto text = flows_of(Json::array({flow}));
  for (const char* part : {"AT RISK", "drain", "4KiB", "2KiB", "8KiB", " 250 ", " 3 "}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  Json plain = flow;
  plain["proxy"] = nullptr;
  EXPECT_EQ(flows_of(Json::array({plain})).find("AT RISK"), std::string::npos);
}

TEST(Tables, ProxiesAreARowAClassWithTheReasonsThatOccurred) {
  const Json cls{
      {"name", "web"},          {"flows", {{"split", 2u}, {"drain", 1u}}},    {"stored_bytes", 4096u},
      {"at_risk_bytes", 2048u}, {"unsplit", {{"sealed", 5u}, {"store", 0u}}}, {"resets", {{"removed", 0u}}}};
  const auto text = proxies_of({{"items", {cls}}, {"mode_drain", nullptr}});
  for (const char* part : {"web", "4KiB", "2KiB", "web did not split: sealed 5"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  EXPECT_EQ(text.find("store 0"), std::string::npos) << text;
  EXPECT_EQ(text.find("drained before"), std::string::npos) << text;
  const auto during =
      proxies_of({{"items", {cls}}, {"at_risk_bytes", 2048u}, {"mode_drain", {{"seconds_left", 3.5}}}});
  EXPECT_NE(during.find("drained before the mode changes: 2 KiB at risk"), std::string::npos) << during;
  EXPECT_EQ(proxies_of({{"items", Json::array()}, {"mode_drain", nullptr}}), "no class has a proxy\n");
}

TEST(Tables, WithoutFlowsItIsSaidWhetherAnyAreFollowed) {
  EXPECT_EQ(flows_of(Json::array()), "no flows\n");
  EXPECT_NE(flows_of(Json::array(), false, false).find("no ACK stages"), std::string::npos);
}

TEST(Tables, ClassesShowTheStagesThatHaveMetAcks) {
  const Json events{{"held", 5u}, {"released", 4u}, {"overflowed", 0u}, {"edited", 0u}, {"stood_aside", 0u}};
  Json idle = events;
  for (auto& n : idle) n = 0u;
  const Json one{
      {"name", "internet"}, {"bearers", 1u}, {"acks", {{"stages", {{"ack-rate", events}, {"b", idle}}}}}};
  const auto text = text_of_list(views::kClasses, Json::array({one}), {});
  EXPECT_NE(text.find("internet  ack-rate      5         4"), std::string::npos) << text;
  EXPECT_EQ(text.find("internet  b"), std::string::npos) << text;
}

TEST(Tables, DropsListOnlyWhatWasLost) {
  const Json ports{
      {"core",
       {{"dropped",
         {{"buffer_sdus", {{"frames", 12}, {"bytes", 18000}}}, {"aqm", {{"frames", 0}, {"bytes", 0}}}}},
        {"losses", {{"missed", 4}, {"errors", 0}}}}}};
  EXPECT_EQ(text_of_list(views::kDrops, views::drops_in({{"ports", ports}}), {}),
            "PORT  REASON          FRAMES    BYTES\n"
            "core  buffer_sdus         12  17.6KiB\n"
            "core  driver: missed       4        -\n");
}

TEST(Tables, AWorkerThatDoesNotPollHangs) {
  const std::string text =
      text_of_list(views::kWorkers, Json::parse(R"([{"id": 0, "busy_ratio": 0.25, "polling": true},
                                                          {"id": 1, "busy_ratio": 0.25, "polling": false}])"),
                   {});
  EXPECT_NE(text.find("0  25.0 %"), std::string::npos) << text;
  EXPECT_NE(text.find("1   hangs"), std::string::npos) << text;
}

TEST(Tables, NothingLostIsSaidInWords) {
  EXPECT_EQ(text_of_list(views::kDrops,
                         views::drops_in({{"ports", {{"core", {{"dropped", Json::object()}}}}}}), {}),
            "nothing was dropped\n");
}

std::string ports_of(const Json& ports) { return text_of_list(views::kPorts, ports, {}); }

TEST(Tables, PortsShowTheirStateAndWhyOneIsNotBound) {
  const std::string text = ports_of(
      {{{"port", "core"}, {"device", "af_xdp:d0"}, {"state", "up"}, {"rebinds", 2}, {"reason", ""}},
       {{"port", "radio"}, {"device", "af_xdp:d1"}, {"state", "unbound"}, {"reason", "found MTU 9000"}}});
  EXPECT_NE(text.find("STATE"), std::string::npos) << text;
  EXPECT_NE(text.find("unbound"), std::string::npos) << text;
  EXPECT_NE(text.find("not bound: found MTU 9000\n"), std::string::npos) << text;
}

TEST(Tables, AHintThatBothPortsHaveIsShownOnce) {
  const Json port{{"device", "af_xdp:d0"}, {"hint", "tunnels are spread by their ends"}};
  const std::string text = ports_of({port, port});
  const auto first = text.find("\ntunnels are spread by their ends\n");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("tunnels are", first + 2), std::string::npos) << text;
}

}  // namespace
}  // namespace ctl
