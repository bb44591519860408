// Settings that are well written and cannot work are refused with the reason (config/validate.h), in files
// and over the socket.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "config/json.h"
#include "config/load.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

using testing::all_problems;
using testing::minimal;

std::string problems_of(const std::string& more) { return all_problems(load_text(minimal(more), "t")); }

std::string problems_of_class(const std::string& keys) {
  return problems_of("classes:\n  c: {" + keys + "}\n");
}

void expect_reason(const std::string& problems, const std::string& why) {
  EXPECT_NE(problems.find(why), std::string::npos) << "'" << problems << "' lacks: " << why;
}

TEST(Impossible, ABufferThatNoPacketFitsIsRefusedWithTheReason) {
  for (const char* bytes : {"1", "0", "40B", "1499", "1kB"}) {
    const std::string said =
        problems_of_class("downlink: {rate: 8M, buffer: {bytes: " + std::string(bytes) + "}}");
    expect_reason(said, "a packet of 1500 bytes");
    expect_reason(said, "would never fit");
    expect_reason(said, bytes);
  }
  EXPECT_EQ(
      problems_of_class("downlink: {rate: 8M, buffer: {bytes: 1500}}, uplink: {rate: 1M, buffer: {bytes: "
                        "1500B}}"),
      "");
  expect_reason(problems_of_class("downlink: {rate: 8M}, uplink: {rate: 1M, buffer: {bytes: 1}}"),
                "would never fit");
}

TEST(Impossible, ABufferThatNoPacketFitsIsRefusedOverTheSocketToo) {
  const auto settings = read_settings(Json::parse(R"({"downlink": {"rate": "8M", "buffer": {"bytes": 1}}})"),
                                      "", dp::BearerSettings{}, {});
  expect_reason(all_problems(settings), "would never fit");
}

TEST(Impossible, AUeThatNobodyCanBeIsRefusedAlsoInARule) {
  const std::string classes = "classes:\n  c: {downlink: {rate: 8M}}\nbearers:\n";
  expect_reason(problems_of(classes + "  - {ue: 224.0.0.1, class: c}\n"), "multicast");
  expect_reason(problems_of(classes + "  - {ue: 127.0.0.0/8, class: c, learn: uplink}\n"), "loopback");
  EXPECT_EQ(problems_of(classes + "  - {ue: 0.0.0.0/0, class: c, learn: uplink}\n"), "");
}

TEST(Impossible, PermissionsThatMayBeDecimalAreRefusedWithBothReadings) {
  const auto said = [](const std::string& mode) { return problems_of("control: {mode: " + mode + "}\n"); };
  expect_reason(said("432"), R"(as a decimal number it is "0660", as octal digits "0432")");
  expect_reason(said("660"), R"(as octal digits "0660")");
  expect_reason(said("438"), R"(as a decimal number it is "0666")");
  expect_reason(said("18"), "in quotes");
  expect_reason(problems_of("control: {read_only: /run/r, read_only_mode: 432}\n"), R"("0660")");
  for (const char* good : {"\"0660\"", "'660'", "0660", "\"0000\""}) EXPECT_EQ(said(good), "") << good;
  for (const char* bad : {"\"0999\"", "0o660", "rw", "\"\""}) EXPECT_NE(said(bad), "") << bad;
}

// The link `am` of both legs with these settings beside.
std::string problems_of_am(const std::string& settings) {
  return problems_of_class("downlink: {rate: 384k, link: {am: {" + settings + "}}}");
}

TEST(Impossible, AmWithoutAnyWayToAStatusIsRefusedAndEachWayIsEnough) {
  const std::string none = "poll_last: no, poll_window: 0, poll_pdus: 0, timer_status_periodic: 0";
  expect_reason(problems_of_am(none), "no way to a STATUS");
  expect_reason(problems_of_am(none + ", missing_pdu: yes, poll_last_retransmission: yes, timer_poll: 100ms"),
                "no way to a STATUS");
  for (const char* way : {"poll_last: yes, poll_window: 0", "poll_last: no, poll_window: 50%",
                          "poll_last: no, poll_window: 0, poll_pdus: 32",
                          "poll_last: no, poll_window: 0, timer_status_periodic: 100ms"}) {
    EXPECT_EQ(problems_of_am(way), "") << way;
  }
}

TEST(Impossible, ARateThatAProfileOfClassesCannotBeSetToIsRefusedInTheWordsOfTheUser) {
  for (const char* rate : {"1k", "64k", "384k", "8M", "1G", "17G"}) {
    EXPECT_EQ(problems_of_class("profile: low-delay, downlink: {rate: " + std::string(rate) + "}"), "")
        << rate;
  }
  for (const char* rate : {"35G", "50G", "100G"}) {
    const std::string said =
        problems_of_class("profile: low-delay, downlink: {rate: " + std::string(rate) + "}");
    expect_reason(said, "classes.c.downlink.rate: found " + std::string(rate));
    expect_reason(said, "`profile`");
    expect_reason(said, "lower the rate");
    for (const char* word : {"sbd", "minth", "maxth", "by-rate"}) {
      EXPECT_EQ(said.find(word), std::string::npos) << said;
    }
  }
}

}  // namespace
}  // namespace config
