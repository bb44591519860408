#include <sstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "tools/common/table.h"
#include "tools/ctl/arguments.h"
#include "tools/ctl/units.h"
#include "tools/ctl/views.h"

namespace ctl {
namespace {

using tools::Table;

TEST(RateText, WholeMultiplesAreWrittenWithoutDigitsBehindThePoint) {
  EXPECT_EQ(rate_text(8'000'000), "8 Mbit/s");
  EXPECT_EQ(rate_text(384'000), "384 kbit/s");
  EXPECT_EQ(rate_text(1'000'000'000), "1 Gbit/s");
}

TEST(RateText, FractionsKeepThreeDigits) {
  EXPECT_EQ(rate_text(1'250'000), "1.25 Mbit/s");
  EXPECT_EQ(rate_text(12'340'000), "12.3 Mbit/s");
}

TEST(RateText, BelowOneThousandItStaysInBits) { EXPECT_EQ(rate_text(999), "999 bit/s"); }

TEST(RateText, RoundingUpToAThousandTakesTheNextUnit) { EXPECT_EQ(rate_text(999'999), "1 Mbit/s"); }

TEST(RateText, BeyondTheLastUnitItGoesOn) { EXPECT_EQ(rate_text(2'000'000'000'000), "2000 Gbit/s"); }

TEST(RateText, ZeroIsNoLimit) { EXPECT_EQ(rate_text(0), "-"); }

TEST(BytesText, UsesBinaryPrefixes) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1024), "1 KiB");
  EXPECT_EQ(bytes_text(1'258'291), "1.2 MiB");
}

TEST(CountText, HasACommaEveryThreeDigits) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(1'234'567), "1,234,567");
}

TEST(PercentText, HasOneDigit) { EXPECT_EQ(percent_text(0.375), "37.5 %"); }

TEST(DurationText, CountsDaysOnceThereIsOne) {
  EXPECT_EQ(duration_text(3723.9), "01:02:03");
  EXPECT_EQ(duration_text(86400 * 3 + 61), "3 d 00:01:01");
}

TEST(Table, ColumnsAreAsWideAsTheirWidestCell) {
  Table table({"NAME", ">N"});
  table.add({"a", "1"});
  table.add({"longer", "23"});
  EXPECT_EQ(table.text(),
            "NAME     N\n"
            "a        1\n"
            "longer  23\n");
}

TEST(Table, ALetterOfTwoBytesTakesOneColumn) {
  Table table({"A", "B"});
  table.add({"1 ± 2", "x"});
  table.add({"1 +- 2", "y"});
  EXPECT_EQ(table.text(), "A       B\n1 ± 2   x\n1 +- 2  y\n");
}

TEST(Table, AShortRowIsFilledUp) {
  Table table({"A", "B", "C"});
  table.add({"x"});
  EXPECT_EQ(table.text(), "A  B  C\nx\n");
}

TEST(SplitWords, QuotesGroupAndCommentsEnd) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(split_words("show  bearers # all of them"), (Words{"show", "bearers"}));
  EXPECT_EQ(split_words("call x '{\"ue\": \"10.0.0.1\"}'"), (Words{"call", "x", "{\"ue\": \"10.0.0.1\"}"}));
  EXPECT_EQ(split_words("a#b \"c d\" e\\ f ''"), (Words{"a#b", "c d", "e f", ""}));
  EXPECT_TRUE(split_words("   # nothing").empty());
}

TEST(SplitWords, AQuoteLeftOpenIsAnError) { EXPECT_THROW(split_words("call 'x"), std::invalid_argument); }

Json leg(std::uint64_t rate) {
  return {{"rate", rate},           {"link", "shaper"},
          {"aqm", "drop-tail"},     {"buffer", {{"sdus", 50}, {"bytes", 75000}}},
          {"queued_sdus", 3},       {"queued_bytes", 4500},
          {"delivered_sdus", 1000}, {"delivered_bytes", 1'500'000},
          {"dropped_sdus", 7}};
}

TEST(Views, BearersShowRatesAndQueuesInHumanUnits) {
  const Json list = Json::array({{{"ue", "10.45.0.2"},
                                  {"class", "internet"},
                                  {"learnt", true},
                                  {"downlink", leg(8'000'000)},
                                  {"uplink", leg(0)}}});
  views::Widths widths;
  const auto text = views::bearers(list, widths);
  EXPECT_NE(text.find("10.45.0.2  internet (learnt)   8 Mbit/s  4.39 KiB   1.43 MiB        7"),
            std::string::npos)
      << text;
}

TEST(Views, AMemberThatIsNotThereIsADash) {
  const auto text = views::bearer({{"ue", "10.45.0.2"}, {"class", "internet"}});
  EXPECT_NE(text.find("rate                     -       -"), std::string::npos) << text;
}

TEST(Views, ABearerShowsHowItsDownlinkWaits) {
  Json down = leg(384'000);
  down["queue"] = "sfp";
  down["queue_settings"] = {{"short", "15kB"}, {"victim", "tail"}};
  const auto text = views::bearer({{"ue", "10.45.0.2"}, {"downlink", down}, {"uplink", leg(64'000)}});
  for (const char* row : {"\nqueue ", "\nqueue short ", "\nqueue victim "}) {
    EXPECT_NE(text.find(row), std::string::npos) << text;
  }
  EXPECT_NE(text.find("15kB"), std::string::npos) << text;
}

TEST(Views, ABearerWithAnAirShowsWhatCrossedItBothWays) {
  Json down = leg(384'000), up = leg(64'000);
  down["air"] = {{"pdus", {{"new", 12'000u}, {"retransmitted", 3'000u}, {"status", 40u}}},
                 {"retransmission_ratio", 0.2},
                 {"frames", {{"sent", 1250u}, {"lost", 125u}}},
                 {"frame_error_ratio", 0.1},
                 {"settings", {{"fer", "10%"}}}};
  up["air"] = {{"pdus", {{"status", 700u}}}, {"settings", {{"fer", "2%"}}}};
  const auto text = views::bearer({{"ue", "10.45.0.2"}, {"downlink", down}, {"uplink", up}});
  const auto expect_row = [&](const std::string& label, const std::string& downlink,
                              const std::string& uplink) {
    const auto at = text.find("\n" + label + " ");
    ASSERT_NE(at, std::string::npos) << label << " in\n" << text;
    std::istringstream row(
        text.substr(at + 1 + label.size(), text.find('\n', at + 1) - at - 1 - label.size()));
    std::string rest;
    std::getline(row, rest);
    EXPECT_NE(rest.find(downlink), std::string::npos) << rest;
    EXPECT_TRUE(rest.ends_with(uplink)) << rest;
  };
  expect_row("PDUs new", "12,000", "-");
  expect_row("PDUs retransmitted, share", "20.0 %", "-");
  expect_row("PDUs status", "40", "700");
  expect_row("frames lost, share", "10.0 %", "-");
  expect_row("am fer", "10%", "2%");
}

TEST(Views, ABearerWithALegOverUmShowsWhatItsRadioLost) {
  Json up = leg(64'000);
  up["um"] = {{"sdus_sent", 2'000u},
              {"sdus_lost", 60u},
              {"loss_ratio", 0.03},
              {"sdus_on_the_way", 4u},
              {"settings", {{"loss", "3%"}, {"delay", "24ms"}}}};
  const auto text = views::bearer({{"ue", "10.45.0.2"}, {"downlink", leg(384'000)}, {"uplink", up}});
  for (const char* row : {"\nsent, SDUs ", "   2,000\n", "\nlost on the radio, share ", "   3.0 %\n",
                          "\non the way, SDUs", "\num loss ", "\num delay "}) {
    EXPECT_NE(text.find(row), std::string::npos) << row << " in\n" << text;
  }
  EXPECT_EQ(views::bearer({{"ue", "10.45.0.2"}, {"downlink", leg(1)}, {"uplink", leg(1)}}).find("on the way"),
            std::string::npos);
}

TEST(Views, ABearerWithAckStagesShowsTheirSettingsAndWhatTheyHold) {
  Json up = leg(64'000);
  up["ack"] = {{{"stage", "ack-rate"}, {"held", 3u}, {"settings", {{"maxd", "0.5s"}, {"alpha", "1"}}}}};
  up["flows"] = {{"max", 64}};
  const auto text = views::bearer({{"ue", "10.45.0.2"}, {"downlink", leg(384'000)}, {"uplink", up}});
  EXPECT_TRUE(
      text.ends_with("\n\nACK STAGE  HELD  SETTINGS\nack-rate      3  alpha 1, maxd 0.5s\nflows: max 64\n"))
      << text;
  up["ack"] = Json::array();
  const auto none = views::bearer({{"ue", "10.45.0.2"}, {"downlink", leg(384'000)}, {"uplink", up}});
  EXPECT_EQ(none.find("ACK"), std::string::npos) << none;
}

TEST(Views, AFlowIsARowWithItsAddressesTimesAndWindows) {
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
  const auto text = views::flows({{"flows", {flow}}, {"followed", true}});
  for (const char* part : {"10.45.0.2:40000", "[2001:db8::1]:443", "established", " 250 ", "64 KiB", "16 KiB",
                           " 7 ", "1460", "SACK"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  EXPECT_EQ(text.find("timestamps"), std::string::npos) << text;
  flow["rtt_seconds"]["core"] = 0.000'057;
  EXPECT_NE(views::flows({{"flows", {flow}}, {"followed", true}}).find(" 0.057 "), std::string::npos);
  flow["handshake_seen"] = false;
  flow["asymmetric"] = true;
  flow["scale"] = nullptr;
  const auto odd = views::flows({{"flows", {flow}}, {"followed", true}});
  EXPECT_NE(odd.find("SACK, no handshake seen, asymmetric"), std::string::npos) << odd;
}

TEST(Views, AFlowOfABearerWithAProxyHasASecondRow) {
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
  const auto text = views::flows({{"flows", {flow}}, {"followed", true}});
  for (const char* part : {"AT RISK", "drain", "4 KiB", "2 KiB", "8 KiB", " 250 ", " 3 "}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  Json plain = flow;
  plain["proxy"] = nullptr;
  EXPECT_EQ(views::flows({{"flows", {plain}}, {"followed", true}}).find("AT RISK"), std::string::npos);
}

TEST(Views, ProxiesAreARowAClassWithTheReasonsThatOccurred) {
  const Json cls{
      {"name", "web"},          {"flows", {{"split", 2u}, {"drain", 1u}}},    {"stored_bytes", 4096u},
      {"at_risk_bytes", 2048u}, {"unsplit", {{"sealed", 5u}, {"store", 0u}}}, {"resets", {{"removed", 0u}}}};
  const auto text = views::proxies({{"classes", {cls}}, {"mode_drain", nullptr}});
  for (const char* part : {"web", "4 KiB", "2 KiB", "sealed 5"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  EXPECT_EQ(text.find("store 0"), std::string::npos) << text;
  EXPECT_EQ(text.find("drained before"), std::string::npos) << text;
  const auto during =
      views::proxies({{"classes", {cls}}, {"at_risk_bytes", 2048u}, {"mode_drain", {{"seconds_left", 3.5}}}});
  EXPECT_NE(during.find("drained before the mode changes: 2 KiB at risk"), std::string::npos) << during;
  EXPECT_EQ(views::proxies({{"classes", Json::array()}, {"mode_drain", nullptr}}), "no class has a proxy\n");
}

TEST(Views, AModeChangeTellsWhatTheDrainLeft) {
  EXPECT_EQ(views::mode_changed({{"mode", "tap"}, {"was", "inline"}, {"drained", nullptr}}),
            "mode tap, was inline\n");
  EXPECT_EQ(
      views::mode_changed(
          {{"mode", "bypass"},
           {"was", "inline"},
           {"drained", {{"at_risk_before", 2048u}, {"at_risk_after", 0u}, {"reset", 0u}, {"seconds", 0.5}}}}),
      "mode bypass, was inline\nproxies: 2 KiB at risk, 0 B after 500 ms, 0 connections reset\n");
  EXPECT_EQ(views::draining({{"class", "web"}, {"draining", true}, {"at_risk_bytes", 2048u}}),
            "web: draining, 2 KiB at risk\n");
  EXPECT_EQ(views::draining({{"ue", "10.45.0.2"}, {"draining", false}}), "10.45.0.2: splits again\n");
}

TEST(Views, WithoutFlowsItIsSaidWhetherAnyAreFollowed) {
  EXPECT_EQ(views::flows({{"flows", Json::array()}, {"followed", true}}), "no flows\n");
  EXPECT_NE(views::flows({{"flows", Json::array()}, {"followed", false}}).find("no ACK stages"),
            std::string::npos);
}

TEST(Views, ClassesShowTheStagesThatHaveMetAcks) {
  const Json events{{"held", 5u}, {"released", 4u}, {"overflowed", 0u}, {"edited", 0u}, {"stood_aside", 0u}};
  Json idle = events;
  for (auto& n : idle) n = 0u;
  const Json one{
      {"name", "internet"}, {"bearers", 1u}, {"acks", {{"stages", {{"ack-rate", events}, {"b", idle}}}}}};
  const auto text = views::classes(Json::array({one}));
  EXPECT_NE(text.find("internet  ack-rate      5         4"), std::string::npos) << text;
  EXPECT_EQ(text.find("internet  b"), std::string::npos) << text;
}

TEST(Views, ARateChangeOfBothDirectionsNamesWhatBothWere) {
  EXPECT_EQ(views::reconfigured({{"bearer", "10.45.0.2"},
                                 {"direction", "both"},
                                 {"rate", 128'000},
                                 {"was", 384'000},
                                 {"uplink_was", 64'000}}),
            "10.45.0.2 both 128 kbit/s, was 384 kbit/s down, 64 kbit/s up\n");
}

TEST(Views, ManyRateChangesAreSummedUp) {
  EXPECT_EQ(views::reconfigured({{"bearer", "10.45.0.2"},
                                 {"changed",
                                  {{"downlink", {{"aqm", {{"was", "drop-tail"}, {"now", "codel"}}}}},
                                   {"uplink", {{"ack", {{"was", nullptr}, {"now", {"ack-rate"}}}}}}}},
                                 {"lost", 0u}}),
            "10.45.0.2 downlink aqm codel, was drop-tail; uplink ack [\"ack-rate\"], was none\n");
  EXPECT_EQ(views::reconfigured({{"bearer", "10.45.0.2"}, {"changed", Json::object()}, {"lost", 0u}}),
            "10.45.0.2 unchanged\n");
  EXPECT_EQ(views::reconfigured({{"changed", 10'000u}, {"unchanged", 0u}, {"lost", 0u}, {"seconds", 0.25}}),
            "10,000 changed, 0 unchanged, 0 frames lost, in 250 ms\n");
}

TEST(Views, AProfileShowsItsPointsAndTheRateAskedAbout) {
  const auto text = views::profiles({{"profiles",
                                      {{{"policy", "sbd"},
                                        {"name", "by-rate"},
                                        {"source", "002 Table 3"},
                                        {"rtt", "0.25s"},
                                        {"rate", 200'000u},
                                        {"points", {{{"rate", "384k"}, {"minth", "20sdu"}}}},
                                        {"values", {{"minth", "19sdu"}}}}}},
                                     {"rule", "the rule"}});
  EXPECT_NE(text.find("sbd by-rate (002 Table 3; rtt 0.25s)"), std::string::npos) << text;
  EXPECT_NE(text.find("19sdu  at 200 kbit/s"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("the rule\n")) << text;
}

TEST(Views, DropsListOnlyWhatWasLost) {
  const Json ports{
      {"core",
       {{"dropped",
         {{"buffer_sdus", {{"frames", 12}, {"bytes", 18000}}}, {"aqm", {{"frames", 0}, {"bytes", 0}}}}},
        {"losses", {{"missed", 4}, {"errors", 0}}}}}};
  EXPECT_EQ(views::drops(ports),
            "PORT  REASON          FRAMES     BYTES\n"
            "core  buffer_sdus         12  17.6 KiB\n"
            "core  driver: missed       4         -\n");
}

TEST(Views, AWorkerThatDoesNotPollHangs) {
  const std::string text = views::workers(Json::parse(R"([{"id": 0, "busy_ratio": 0.25, "polling": true},
                                                          {"id": 1, "busy_ratio": 0.25, "polling": false}])"));
  EXPECT_NE(text.find("0  25.0 %"), std::string::npos) << text;
  EXPECT_NE(text.find("1   hangs"), std::string::npos) << text;
}

TEST(Views, NothingLostIsSaidInWords) {
  EXPECT_EQ(views::drops({{"core", {{"dropped", Json::object()}}}}), "nothing was dropped\n");
}

TEST(Views, ConfigurationErrorsNameLineAndColumn) {
  const Json result{{"ok", false}, {"errors", {{{"line", 3}, {"column", 5}, {"message", "unknown key"}}}}};
  EXPECT_EQ(views::checked(result), "3:5: unknown key\n");
}

TEST(Arguments, AKeyThatStandsTwiceInJsonIsRefusedAndNotDropped) {
  EXPECT_EQ(parsed(R"({"ue":"10.45.0.2"})")["ue"], "10.45.0.2");
  EXPECT_THROW(parsed(R"({"rate":"1M","rate":"2M"})"), std::exception);
}

}  // namespace
}  // namespace ctl
