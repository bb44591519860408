#include "config/json.h"

#include <string>

#include <gtest/gtest.h>

#include "config/print.h"
#include "tests/unit/config/support.h"

namespace config {
namespace {

using nlohmann::json;
using testing::all_problems;

std::vector<Class> classes() {
  const auto loaded = load_text(
      testing::minimal("classes:\n"
                       "  internet: {downlink: {rate: 8M, buffer: {sdus: 30}}, uplink: {rate: 1M}}\n"
                       "  half: {downlink: {rate: 2M}}\n"),
      "t");
  return loaded->classes;
}

dp::BearerSettings internet() { return settings_of(classes(), 0); }

TEST(Json, NothingGivenKeepsTheClass) {
  const auto checked = read_settings(json::object(), "params", internet());
  ASSERT_TRUE(checked);
  EXPECT_EQ(*checked, internet());
}

TEST(Json, WhatIsGivenReplacesAndTheRestStays) {
  const auto checked = read_settings({{"downlink", {{"rate", 2000000}, {"buffer", {{"bytes", "64KiB"}}}}}},
                                     "params", internet());
  ASSERT_TRUE(checked) << all_problems(checked);
  auto expected = internet();
  expected.downlink.rate = 2'000'000;
  expected.downlink.buffer.bytes = 65'536;
  EXPECT_EQ(*checked, expected);
}

TEST(Json, ARateTurnsAWireIntoAShaper) {
  const auto start = settings_of(classes(), 1);
  const auto checked = read_settings({{"uplink", {{"rate", "64k"}}}}, "params", start);
  ASSERT_TRUE(checked) << all_problems(checked);
  EXPECT_EQ(checked->uplink.link, dp::LinkConfig(dp::ShaperSpec::Config{}));
  EXPECT_EQ(checked->uplink.rate, 64'000u);
  EXPECT_EQ(checked->cls, 1);
}

TEST(Json, AWireForgetsRateAndBuffer) {
  const auto checked = read_settings({{"downlink", {{"link", "wire"}}}}, "params", internet());
  ASSERT_TRUE(checked) << all_problems(checked);
  EXPECT_EQ(checked->downlink, dp::LegSettings{});
}

TEST(Json, PrintedLegsAreAcceptedAsOverrides) {
  const auto settings = internet();
  const auto checked =
      read_settings({{"downlink", to_json(settings.downlink)}, {"uplink", to_json(settings.uplink)}},
                    "params", settings_of(classes(), 1));
  ASSERT_TRUE(checked) << all_problems(checked);
  EXPECT_EQ(checked->downlink, settings.downlink);
  EXPECT_EQ(checked->uplink, settings.uplink);
}

TEST(Json, ProblemsNameThePathInTheRequestAndAllAreTold) {
  const json value{{"colour", "red"},
                   {"downlink", {{"rate", true}, {"buffer", {{"sdus", 1.5}, {"bytes", nullptr}}}}},
                   {"uplink", 5}};
  const auto checked = read_settings(value, "params.bearers[3]", internet());
  ASSERT_FALSE(checked);
  const auto text = all_problems(checked);
  for (const auto* expected : {"params.bearers[3]: found the unknown key `colour`",
                               "params.bearers[3].downlink.rate: found true, expected a rate from 1k to 100G",
                               "params.bearers[3].downlink.buffer.sdus: found 1.5, expected",
                               "params.bearers[3].downlink.buffer.bytes: found null, expected",
                               "params.bearers[3].uplink: found 5, expected a map with the keys rate, link, "
                               "buffer, aqm, gate, ack or "
                               "flows"}) {
    EXPECT_NE(text.find(expected), std::string::npos) << expected << "\n" << text;
  }
}

TEST(Json, TypesAreStrict) {
  EXPECT_FALSE(read_ue(7, "p"));
  EXPECT_FALSE(read_ue("10.0.0.0/8", "p"));
  EXPECT_FALSE(read_settings(nullptr, "p", internet()));
  EXPECT_FALSE(read_settings(json::array(), "p", internet()));
  EXPECT_FALSE(read_settings({{"downlink", {{"aqm", 1}}}}, "p", internet()));
  EXPECT_FALSE(read_settings({{"downlink", {{"rate", -1}}}}, "p", internet()));
  EXPECT_FALSE(read_settings({{"downlink", {{"rate", 1e300}}}}, "p", internet()));
  EXPECT_TRUE(read_settings({{"downlink", {{"rate", 8e6}}}}, "p", internet()));
}

TEST(Json, ModesAndUesAreReadAlone) {
  EXPECT_EQ(*read_mode("tap", "params.mode"), dp::Mode::tap);
  EXPECT_EQ(all_problems(read_mode("tpa", "params.mode")),
            "params.mode: found 'tpa', expected inline, tap, bypass or block; did you mean `tap`?\n");
  EXPECT_EQ(*read_ue("10.0.0.1", "params.ue"), dp::ue_ipv4(0x0a000001));
  EXPECT_NE(all_problems(read_ue(5, "params.ue")).find("params.ue: found 5, expected a UE"),
            std::string::npos);
}

TEST(Json, DeepNestingIsRefusedWithoutCrash) {
  json deep = 1;
  for (int i = 0; i < 100'000; ++i) deep = json::array({std::move(deep)});
  EXPECT_FALSE(read_settings({{"downlink", std::move(deep)}}, "params", internet()));
}

TEST(Json, ACellSharesDownlinkSlotsOnly) {
  const json cell = {{"rate", "2M"}, {"link", {{"cell", {{"radio", "reported"}}}}}};
  const auto down = read_settings({{"downlink", cell}}, "params", internet());
  ASSERT_TRUE(down) << all_problems(down);
  EXPECT_TRUE(std::holds_alternative<dp::CellSpec::Config>(down->downlink.link));
  const auto up = read_settings({{"uplink", cell}}, "params", internet());
  EXPECT_NE(all_problems(up).find("params.uplink.link: found the link `cell`, which shares downlink slots"),
            std::string::npos)
      << all_problems(up);
}

TEST(Json, OfACellWhatIsNotGivenStays) {
  dp::CellSettings start;
  start.members = 7;
  const auto changed =
      read_cell({{"scheduler", {{"pf-rp", {{"rmin", "50k"}}}}}, {"share", "80%"}}, "params", start);
  ASSERT_TRUE(changed) << all_problems(changed);
  EXPECT_EQ(changed->members, 7u);
  EXPECT_DOUBLE_EQ(changed->share, 0.8);
  EXPECT_EQ(dp::SchedulerList::kNames[changed->scheduler.index()], "pf-rp");
  const auto refused = read_cell({{"slots", 700}}, "params", start);
  EXPECT_EQ(all_problems(refused),
            "params.slots: found 700, expected a divisor of 24000, such as 600 or 750\n");
  EXPECT_NE(all_problems(read_cell({{"slots", "600"}}, "params", start)).find("params.slots: found '600'"),
            std::string::npos);
}

}  // namespace
}  // namespace config
