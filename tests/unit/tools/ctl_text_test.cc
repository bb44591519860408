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

TEST(Table, OfABoundedWidthLeavesOutTheMiddleOfText) {
  tools::Table table({"NAME", "CLASS", ">FIGURE"});
  table.add({"10.45.0.2", "gold-plated-subscribers", "123,456"});
  const std::string narrow = table.text({.width = 30});
  EXPECT_NE(narrow.find("10.45.0.2  gold-…bers  123,456\n"), std::string::npos) << narrow;
  const std::string least = table.text({.width = 10});
  EXPECT_NE(least.find("10.4…0.2  gold…ers  123,456\n"), std::string::npos) << least;
}

TEST(Wrapped, WordsGoToTheNextLineWithAnIndent) {
  EXPECT_EQ(tools::wrapped("one two three four", 9, 2), "one two\n  three\n  four");
  EXPECT_EQ(tools::wrapped("a b\nc d e\n", 3), "a b\nc d\ne\n");
  EXPECT_EQ(tools::wrapped("    indented already and long", 20, 4), "    indented already\n    and long");
  EXPECT_EQ(tools::wrapped("averylongword b", 5), "averylongword\nb");
  EXPECT_EQ(tools::wrapped(""), "");
}

TEST(SplitWords, AQuoteLeftOpenIsAnError) { EXPECT_THROW(split_words("call 'x"), std::invalid_argument); }

Json leg(std::uint64_t rate) {
  return {{"rate", rate},           {"link", "shaper"},
          {"aqm", "drop-tail"},     {"buffer", {{"sdus", 50}, {"bytes", 75000}}},
          {"queued_sdus", 3},       {"queued_bytes", 4500},
          {"delivered_sdus", 1000}, {"delivered_bytes", 1'500'000},
          {"dropped_sdus", 7}};
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
  const auto text = views::profiles({{"items",
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
