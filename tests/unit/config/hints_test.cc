#include "config/hints.h"

#include <string>

#include <gtest/gtest.h>

#include "config/load.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

using testing::all_problems;
using testing::minimal;

std::vector<std::string> hints(const std::string& buffer, const std::string& more = "") {
  const auto loaded = load_text(
      minimal() + "\nclasses:\n  c: {downlink: {rate: 8M, buffer: " + buffer + "}" + more + "}\n", "t");
  EXPECT_TRUE(loaded) << all_problems(loaded);
  return loaded ? hints_of(*loaded) : std::vector<std::string>{};
}

TEST(Hints, ALimitWhoseDefaultActsBeforeTheOneThatWasChosenIsNamedWithTheMend) {
  const auto many = hints("{sdus: 1000}");
  ASSERT_EQ(many.size(), 1u);
  EXPECT_EQ(many[0],
            "classes.c.downlink.buffer: `sdus` is 1000sdu, but packets of 1500 bytes reach `bytes`, which is "
            "1MiB where nothing is said, after 699; write `bytes: 1.5MB` too");
  const auto large = hints("{bytes: 512KiB}");
  ASSERT_EQ(large.size(), 1u);
  EXPECT_NE(large[0].find("write `sdus: 349` too"), std::string::npos) << large[0];
}

TEST(Hints, LimitsThatWereBothChosenOrBothLeftAloneNeedNone) {
  for (const char* buffer : {"{sdus: 1000, bytes: 1500kB}", "{sdus: 600}", "{bytes: 60kB}", "{}"}) {
    EXPECT_TRUE(hints(buffer).empty()) << buffer << ": " << hints(buffer)[0];
  }
}

TEST(Hints, EachLegIsLookedAt) {
  const auto both = hints("{sdus: 1000}", ", uplink: {rate: 2M, buffer: {sdus: 2000}}");
  ASSERT_EQ(both.size(), 2u);
  EXPECT_NE(both[1].find("classes.c.uplink.buffer"), std::string::npos) << both[1];
}

TEST(Hints, AShortcutBetweenPortsThatHaveNoneIsNamedWithThePort) {
  const auto of = [](const std::string& radio, const std::string& shortcut) {
    const auto loaded =
        load_text("version: 1\ndataplane: {ports: {core: {device: \"af_xdp:eth1\"}, radio: {device: \"" +
                      radio + "\"}}, wire: {shortcut: " + shortcut + "}}\n",
                  "t");
    EXPECT_TRUE(loaded) << all_problems(loaded);
    return loaded ? hints_of(*loaded) : std::vector<std::string>{};
  };
  const auto told = of("af_packet:eth2", "unparsed");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("`shortcut` is unparsed, but the port af_packet:eth2 is no AF_XDP socket"),
            std::string::npos)
      << told[0];
  EXPECT_TRUE(of("af_xdp:eth2", "strangers").empty());
  EXPECT_TRUE(of("af_packet:eth2", "none").empty());
}

std::vector<std::string> hints_of_air(const std::string& am) {
  const auto loaded = load_text(
      minimal() + "\nclasses:\n  c: {downlink: {rate: 256k, link: {am: {delay: 75ms, " + am + "}}}}\n", "t");
  EXPECT_TRUE(loaded) << all_problems(loaded);
  return loaded ? hints_of(*loaded) : std::vector<std::string>{};
}

TEST(Hints, ARepeatBeforeAReportCanBeThereIsNamedWithATime) {
  const auto early = hints_of_air("repeat_unreported: 149ms");
  ASSERT_EQ(early.size(), 1u);
  EXPECT_EQ(early[0],
            "classes.c.downlink.link.am: `repeat_unreported` is 149ms, but the round trip of the air is "
            "150ms, so that PDUs are sent again before a report can say that they have arrived; write "
            "`repeat_unreported: 160ms`");
  EXPECT_TRUE(hints_of_air("repeat_unreported: 150ms").empty());
  EXPECT_TRUE(hints_of_air("fer: 5%").empty());
}

TEST(Hints, ATailThatNothingRepeatsIsNamedWhereEachPduIsLostByItself) {
  const std::string by_pdu = "channel: bernoulli, errors: pdu";
  for (const char* without :
       {", poll_last: no", ", timer_poll: 0s", ", poll_last: no, repeat_unreported: 160ms"}) {
    const auto waits = hints_of_air(by_pdu + without);
    ASSERT_EQ(waits.size(), 1u) << without;
    EXPECT_NE(waits[0].find("write `repeat_unreported: 160ms` and a `timer_status_periodic`, or `poll_last: "
                            "yes` and a `timer_poll`"),
              std::string::npos)
        << waits[0];
  }
  EXPECT_TRUE(hints_of_air(by_pdu).empty()) << "it polls";
  const std::string reports = ", poll_last: no, repeat_unreported: 160ms, timer_status_periodic: 100ms";
  EXPECT_TRUE(hints_of_air(by_pdu + reports).empty());
  EXPECT_TRUE(hints_of_air("poll_last: no").empty());
}

}  // namespace
}  // namespace config
