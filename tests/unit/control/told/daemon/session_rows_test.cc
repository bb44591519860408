#include "control/told/daemon/session_rows.h"

#include <gtest/gtest.h>

#include "control/rpc/codec.h"

namespace control::told {
namespace {

// Five sessions, and a reconciler whose rncd has applied the first.
class ToldSessionRows : public ::testing::Test {
 protected:
  ToldSessionRows() {
    for (std::uint32_t n = 1; n <= 5; ++n) {
      Session session;
      session.id = std::to_string(n);
      session.peer = "192.0.2.1";
      session.ues = {dp::ue_ipv4(0x0a2d0000 + n)};
      session.downlink.bit_per_s = 8'000'000;
      session.downlink.open = n != 1;
      table_.sink_of("radius").put(session, dp::time_ns(0));
    }
  }
  Json list(const Json& params) {
    return list_sessions(params, {table_, reconciler_, classes_, sink_, dp::time_ns(2'000'000'000)});
  }

  SessionTable table_{10};
  ClassMap classes_{{}, "internet"};
  SinkSettings sink_;
  ReconcilerSettings settings_{.owners = {"radius"}};
  Reconciler reconciler_{table_, classes_, settings_, dp::time_ns(0)};
};

TEST_F(ToldSessionRows, AListGoesOnBehindItsCursor) {
  const Json first = list({{"limit", 2u}});
  EXPECT_EQ(first["items"].size(), 2u);
  EXPECT_EQ(first["next"], "10.45.0.2");
  const Json rest = list({{"limit", 3u}, {"cursor", first["next"]}});
  EXPECT_EQ(rest["items"].size(), 3u);
  EXPECT_EQ(rest["items"][0]["ue"], "10.45.0.3");
  EXPECT_EQ(rest["next"], nullptr);
}

TEST_F(ToldSessionRows, ARowSaysWhatWasToldAndWhyItIsNotApplied) {
  const Json row = list(Json::object())["items"][1];
  EXPECT_EQ(
      row["told"],
      (Json{
          {"downlink", 8'000'000}, {"uplink", nullptr}, {"downlink_gate", "open"}, {"uplink_gate", "open"}}));
  EXPECT_EQ(row["applied"], nullptr);
  EXPECT_EQ(row["why"], "no connection to rncd");
  EXPECT_EQ(row["class"], "internet");
  EXPECT_EQ(row["told_seconds"], 2.0);
}

TEST_F(ToldSessionRows, AnAppliedRowHasItsRatesAndGates) {
  const dp::Time later = dp::time_ns(1'000'000'000);
  reconciler_.connected(later);
  while (const auto call = reconciler_.next(later)) {
    reconciler_.answered(later, Json{{"items", Json::array()}, {"next", nullptr}});
    if (reconciler_.full_passes() != 0) break;
  }
  const Json items = list(Json::object())["items"];
  EXPECT_EQ(items[1]["state"], "applied");
  EXPECT_EQ(items[1]["applied"]["downlink"], 8'000'000);
  EXPECT_EQ(items[1]["why"], nullptr);
  EXPECT_EQ(items[0]["why"], nullptr);
  EXPECT_EQ(items[0]["told"]["downlink_gate"], "closed");
}

TEST_F(ToldSessionRows, OddParametersAreRefused) {
  for (const char* const text : {R"({"limit":0})", R"({"limit":1001})", R"({"limit":"x"})", R"({"cursor":7})",
                                 R"({"cursor":"x"})", R"({"other":1})"}) {
    EXPECT_THROW(list(Json::parse(text)), rpc::Fault) << text;
  }
}

}  // namespace
}  // namespace control::told
