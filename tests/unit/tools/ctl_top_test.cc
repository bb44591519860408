// The screens of `rncctl top` and `rncctl why`.
#include <gtest/gtest.h>

#include "tests/support/fake_caller.h"
#include "tools/ctl/top/screen.h"

namespace ctl {
namespace {

using top::screen;
using top::Size;
using top::State;
using top::View;

Json leg(double rate, const char* limit) {
  return {{"rate", 10'000'000},
          {"delivered_rate", {{"1s", rate}, {"10s", rate / 2}, {"60s", rate}}},
          {"used_ratio", rate / 1e7},
          {"queued_sdus", 123},
          {"queued_bytes", 150'000},
          {"queue_seconds", 0.084},
          {"p99_queue_seconds", 0.1},
          {"mean_sojourn_seconds", 0.08},
          {"dropped_per_second", 12},
          {"marked_per_second", 0},
          {"limit", limit}};
}
Json row(const char* ue) {
  return {{"ue", ue},
          {"class", "a-class-with-a-long-name"},
          {"cell", "sector-1"},
          {"worker", 1},
          {"rtt_seconds", {{"radio", 0.0321}, {"core", nullptr}}},
          {"acks_held", 7},
          {"downlink", leg(9'870'000, "rate")},
          {"uplink", leg(0, "idle")}};
}
Json stats(std::uint64_t frames) {
  const Json count = {{"frames", frames}, {"bytes", 100 * frames}};
  const Json port = {{"state", "up"},
                     {"received", count},
                     {"sent", count},
                     {"dropped", {{"aqm", count}, {"pool", {{"frames", 0}}}}}};
  return {{"mode", "inline"},
          {"uptime_seconds", 86'400.0},
          {"bearers", {{"count", 100'000u}, {"capacity", 1'000'000u}}},
          {"ports", {{"core", port}, {"radio", port}}},
          {"workers",
           {{{"id", 0},
             {"busy_ratio", 0.5},
             {"cycles_per_packet", 455.5},
             {"polling", true},
             {"received", {{"core", frames}, {"radio", 0}}}},
            {{"id", 1}, {"busy_ratio", 0.0}, {"cycles_per_packet", 0}, {"polling", false}}}}};
}
top::Answers answers() {
  Json items = Json::array({row("10.45.0.2"), row("2001:db8:1234:5678:9abc:def0:1234:5678/128@operator")});
  return {{{"items", items}, {"next", nullptr}, {"of", 100'000}},
          stats(3'000'000),
          stats(1'000'000),
          Json::object(),
          2};
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(TopScreen, FitsEachSizeInEachView) {
  for (const View view : {View::bearers, View::flows, View::workers, View::drops, View::cells, View::help}) {
    for (const Size size : {Size{80, 24}, Size{200, 50}, Size{40, 8}, Size{1, 1}}) {
      State state;
      state.view = view;
      state.smooth = true;
      const auto lines = screen(state, answers(), size);
      EXPECT_LE(lines.size(), size.lines);
      for (const std::string& line : lines) EXPECT_LE(line.size(), size.columns) << line;
    }
  }
}

TEST(TopScreen, ShowsEachColumnInEightyColumns) {
  const std::string text = joined(screen({}, answers(), {80, 24}));
  for (const char* part :
       {"mode inline", "1 d 00:00:00", "100,000 of 1,000,000", "0: 50 % 456 cyc/pkt", "1: 0 %", "SILENT",
        "core up in 1.00M out 1.00M drop 1.00M  radio up in 1.00M out 1.00M drop 1.00M /s", "WHY", "9.87M",
        " 99 ", " 84 ", " rate"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  EXPECT_EQ(text.find("RADIO"), std::string::npos) << "only a wider terminal has room for it";
  EXPECT_NE(joined(screen({}, answers(), {120, 24})).find("sector-1"), std::string::npos);
}

TEST(TopScreen, TellsOfUplinkFilterAndTrouble) {
  State state;
  state.direction = "uplink";
  state.filter = "10.45.0.0/16";
  state.paused = true;
  std::string text = joined(screen(state, answers(), {80, 24}));
  EXPECT_NE(text.find("uplink by rate"), std::string::npos);
  EXPECT_NE(text.find("only 10.45.0.0/16"), std::string::npos);
  EXPECT_NE(text.find("PAUSED"), std::string::npos);
  EXPECT_NE(text.find("idle"), std::string::npos);
  state.trouble = "no class \"x\"";
  text = joined(screen(state, answers(), {80, 24}));
  EXPECT_NE(text.find("refused: no class"), std::string::npos);
}

TEST(TopScreen, LeavesOutReasonsThatNothingHas) {
  State state;
  state.view = View::drops;
  const std::string text = joined(screen(state, answers(), {80, 24}));
  EXPECT_NE(text.find("aqm"), std::string::npos);
  EXPECT_EQ(text.find("pool"), std::string::npos);
}

TEST(TopScreen, OfAnEmptyBoxSaysSo) {
  top::Answers none;
  none.top = {{"items", Json::array()}, {"of", 0}};
  EXPECT_NE(joined(screen({}, none, {80, 24})).find("no bearers"), std::string::npos);
}

TEST(Top, OnceIsTextAndJsonIsTheAnswer) {
  FakeCaller caller;
  caller.answers = {answers().top, stats(1)};
  const Shown text = shown(caller, {"top", "--once", "--by", "drops", "--class", "gold", "--limit", "5"});
  EXPECT_EQ(caller.asked[0].first, "bearer.top");
  EXPECT_EQ(
      caller.asked[0].second,
      (Json{
          {"by", "drops"}, {"class", "gold"}, {"direction", "downlink"}, {"limit", 5}, {"reverse", false}}));
  EXPECT_NE(text.out.find("10.45.0.2"), std::string::npos);
  FakeCaller other;
  other.answers = {answers().top};
  EXPECT_EQ(Json::parse(shown(other, {"top"}, true).out), answers().top);
}

TEST(Why, IsOneScreenOfEightyColumns) {
  FakeCaller caller;
  Json why = row("10.45.0.2");
  why.update({{"limit", "rate"},
              {"direction", "downlink"},
              {"configured_class", "gold"},
              {"class", "basic"},
              {"origin", "socket"},
              {"connections", 2},
              {"flows", Json::array({{{"peer", "2001:db8:1234:5678:9abc:def0:1234:5678"},
                                      {"peer_port", 44'300u},
                                      {"rtt_seconds", {{"radio", 1.25}, {"core", 0.0051}}},
                                      {"window_bytes", {{"ue", 8e8}, {"told", 1e6}}},
                                      {"held_acks", 123u},
                                      {"local_retransmissions", 1'234'567u}}})},
              {"advice",
               {"It gets 9.87 Mbit/s of 10 Mbit/s: its rate is the limit.",
                "The 10 Mbit/s of this bearer overrides the 20 Mbit/s of its class basic, and this sentence "
                "is long."}},
              {"events",
               {{{"time", 1.5},
                 {"event", "audit"},
                 {"fields", {{"what", "10.45.0.2 downlink.rate 20M to 10M"}}}}}}});
  caller.answers = {why};
  const Command command = parse({"why", "10.45.0.2"});
  const std::string text = command.text(command.fetch(caller));
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) EXPECT_LE(line.size(), 80u) << line;
  for (const char* part : {"10.45.0.2: downlink limited by rate", "overrides",
                           "the configuration gives it gold", "9.87 Mbit/s", "2001:db8:1234:567~", "audit"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

}  // namespace
}  // namespace ctl
