// rrc.reconfigure (control/rpc/rrc_change.h): rate and AQM together, of one bearer, of many and of a class.
#include <gtest/gtest.h>

#include "dataplane/bearer/bearer.h"
#include "tests/support/rpc_bench.h"

namespace control::rpc {
namespace {

constexpr std::uint32_t kMany = 10'000;
constexpr const char* kRrcFile = R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
profiles: {red: {mine: {source: here, points: [{rate: 1M, maxp: 3%, minth: 50}]}}}
classes:
  internet: {downlink: {rate: 384k, aqm: {sbd: {profile: by-rate}}}, uplink: {rate: 64k}}
  voice: {downlink: {rate: 64k}}
bearers: [{ue: 10.45.0.1, class: internet}, {ue: 10.45.0.2, class: voice}]
)";

class RrcTest : public dp::test::RpcBench {
 protected:
  RrcTest() : RpcBench(kRrcFile, 16'384) {}

  Json downlink(const char* ue) { return result("bearer.get", {{"ue", ue}})["downlink"]; }
  std::uint64_t timed() const {
    std::uint64_t sum = 0;
    for (std::size_t b = 0; b <= dp::DurationHistogram::kBounds.size(); ++b)
      sum += view.changes.seconds.bucket(b);
    return sum;
  }
};

TEST_F(RrcTest, ParametersByProfileFollowTheRateAndAreShown) {
  Json down = downlink("10.45.0.1");
  EXPECT_EQ(down["aqm_profile"], "by-rate");
  EXPECT_EQ(down["aqm_settings"]["t_r"], "0.2s");
  EXPECT_EQ(result("rrc.reconfigure", {{"bearer", "10.45.0.1"}, {"rate", "128k"}})["lost"], 0);
  down = downlink("10.45.0.1");
  EXPECT_EQ(down["rate"], 128'000);
  EXPECT_EQ(down["aqm_settings"]["t_r"], "1.3s");
  EXPECT_EQ(down["aqm_settings"]["minth"], "15sdu");
  result("bearer.set", {{"ue", "10.45.0.1"}, {"downlink", {{"rate", "64k"}}}});
  EXPECT_EQ(downlink("10.45.0.1")["aqm_settings"]["t_r"], "2.5s");
  EXPECT_EQ(timed(), 2u);
}

TEST_F(RrcTest, RateAndPolicyGoInOneRequest) {
  result("rrc.reconfigure", {{"bearer", "10.45.0.2"},
                             {"rate", "1M"},
                             {"aqm", {{"red", {{"profile", "mine"}, {"maxth", "90sdu"}}}}}});
  const Json down = downlink("10.45.0.2");
  EXPECT_EQ(down["rate"], 1'000'000);
  EXPECT_EQ(down["aqm"], "red");
  EXPECT_EQ(down["aqm_settings"]["maxp"], "3%");
  EXPECT_EQ(down["aqm_settings"]["maxth"], "90sdu");
  EXPECT_EQ(timed(), 1u) << "one message";
}

TEST_F(RrcTest, ARateAtWhichTheProfileAndAGivenThresholdContradictEachOtherIsRefused) {
  result(
      "bearer.set",
      {{"ue", "10.45.0.2"},
       {"downlink", {{"rate", "384k"}, {"aqm", {{"sbd", {{"profile", "by-rate"}, {"maxth", "30sdu"}}}}}}}});
  expect_error(call("rrc.reconfigure", {{"bearer", "10.45.0.2"}, {"rate", "1M"}}), kInvalidParams,
               "downlink.aqm.sbd: found minth 42sdu (profile by-rate at 1M) and maxth 30sdu (given)");
  EXPECT_EQ(downlink("10.45.0.2")["rate"], 384'000);
  expect_error(call("bearer.set", {{"ue", "10.45.0.2"}, {"downlink", {{"rate", "1M"}}}}), kInvalidParams,
               "raise maxth, or remove it");
  expect_error(call("rrc.reconfigure", {{"bearer", "10.45.0.1"}, {"aqm", {{"red", {{"minth", "41sdu"}}}}}}),
               kInvalidParams, "found minth 41sdu (given) and maxth 40sdu (the default)");
}

TEST_F(RrcTest, FramesThatAChangeDropsAreCountedAsLost) {
  result("bearer.set", {{"ue", "10.45.0.2"}, {"downlink", {{"rate", "1k"}}}});
  for (int i = 0; i < 5; ++i) {
    runtime.io.offer(dp::Side::core, {.dst = dp::test::Ip("10.45.0.2"), .payload = 1400});
  }
  while (downlink("10.45.0.2")["queued_sdus"] != 5) plane.poll();
  result("mode.set", {{"mode", "block"}});
  result("rrc.reconfigure", {{"bearer", "10.45.0.2"}, {"rate", "1M"}});
  EXPECT_EQ(view.changes.lost_frames.get(), 0u) << "a new rate drops nothing";
  result("bearer.set", {{"ue", "10.45.0.2"}, {"downlink", {{"link", "wire"}}}});
  EXPECT_EQ(view.changes.lost_frames.get(), 5u) << "a new link must empty the queue, which `block` forbids";
}

TEST_F(RrcTest, TheUplinkMayHaveARateOfItsOwn) {
  const Json told =
      result("rrc.reconfigure", {{"bearer", "10.45.0.1"}, {"rate", "256k"}, {"uplink_rate", "32k"}});
  EXPECT_EQ(told["direction"], "both");
  EXPECT_EQ(told["uplink_rate"], 32'000);
  EXPECT_EQ(told["uplink_was"], 64'000);
}

TEST_F(RrcTest, EachOfAListMayDifferFromWhatIsSaidForAll) {
  const Json told =
      result("rrc.reconfigure",
             {{"bearers", {"10.45.0.1", {{"bearer", "10.45.0.2"}, {"rate", "96k"}}}}, {"rate", "32k"}});
  EXPECT_EQ(told["changed"], 2);
  EXPECT_EQ(downlink("10.45.0.1")["rate"], 32'000);
  EXPECT_EQ(downlink("10.45.0.2")["rate"], 96'000);
}

TEST_F(RrcTest, AListWithOneMistakeChangesNothing) {
  const Json told = call("rrc.reconfigure", {{"bearers", {"10.45.0.1", "10.45.0.9"}}, {"rate", "32k"}});
  ASSERT_TRUE(told.contains("error"));
  EXPECT_EQ(told["error"]["message"], "bearers[1]: no bearer 10.45.0.9");
  EXPECT_EQ(downlink("10.45.0.1")["rate"], 384'000);
}

TEST_F(RrcTest, RequestsThatSayNothingOrTooMuchAreRefused) {
  const std::pair<Json, const char*> wrong[] = {
      {{{"bearer", "10.45.0.1"}}, "give at least one"},
      {{{"rate", "1M"}}, "expected one of"},
      {{{"bearer", "10.45.0.1"}, {"class", "voice"}, {"rate", "1M"}}, "expected one of"},
      {{{"class", "voise"}, {"rate", "1M"}}, "did you mean `voice`"},
      {{{"bearer", "10.45.0.1"}, {"rate", "1M"}, {"direction", "both"}, {"uplink_rate", "1M"}},
       "one of the two"},
      {{{"bearer", "10.45.0.1"}, {"aqm", {{"sbd", {{"profile", "by-rat"}}}}}}, "did you mean `by-rate`"}};
  for (const auto& [params, words] : wrong) {
    const Json told = call("rrc.reconfigure", params);
    ASSERT_TRUE(told.contains("error")) << params;
    EXPECT_NE(told["error"]["message"].get<std::string>().find(words), std::string::npos) << told;
  }
}

TEST_F(RrcTest, TenThousandBearersOfAClassChangeInOneRequest) {
  Json bearers = Json::array();
  for (std::uint32_t i = 0; i < kMany; ++i) {
    bearers.push_back({{"ue", dp::to_string(dp::ue_ipv4(0x0a300000 + i))}, {"class", "internet"}});
  }
  ASSERT_EQ(result("bearer.set", {{"bearers", bearers}})["created"], kMany);
  const Json told = result("rrc.reconfigure", {{"class", "internet"}, {"rate", "128k"}});
  EXPECT_EQ(told["changed"], kMany + 1);
  EXPECT_EQ(told["lost"], 0);
  EXPECT_EQ(timed(), kMany + 1);
  for (const auto& [ue, record] : plane.registry().all()) {
    if (record.settings->cls != 0) continue;
    ASSERT_EQ(record.bearer->downlink.rate(), 128'000u) << dp::to_string(ue);
    ASSERT_EQ(std::get<dp::SbdSpec::Config>(record.settings->downlink.aqm).minth, dp::Amount{15});
  }
  RecordProperty("milliseconds", static_cast<int>(told["seconds"].get<double>() * 1000));
}

TEST_F(RrcTest, ProfilesAreShownWithTheirValuesAtARate) {
  const Json all = result("profile.get", Json::object());
  EXPECT_EQ(all["items"].size(), 5u);
  const Json one = result("profile.get", {{"policy", "sbd"}, {"name", "by-rate"}, {"rate", "768k"}});
  ASSERT_EQ(one["items"].size(), 1u);
  EXPECT_EQ(one["items"][0]["values"]["minth"], "32sdu");
  EXPECT_FALSE(one["rule"].get<std::string>().empty());
  EXPECT_TRUE(call("profile.get", {{"name", "mien"}})["error"]["message"].get<std::string>().find("`mine`") !=
              std::string::npos);
}

}  // namespace
}  // namespace control::rpc
