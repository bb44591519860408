#include "control/told/sink/wanted_bearer.h"

#include <gtest/gtest.h>

namespace control::told {
namespace {

const dp::UeAddress kWantedUe = dp::ue_ipv4(0x0a2d0002);
const ClassMap kWantedClasses({{.qfi = 1, .class_attribute = {}, .class_name = "voice"}}, "internet");

Session wanted_session() {
  Session session;
  session.ues = {kWantedUe};
  session.downlink.bit_per_s = 20'000'000;
  session.uplink.bit_per_s = 5'000'000;
  return session;
}

std::vector<Json> wanted_json(const Session& session, const SinkSettings& settings = {}) {
  std::vector<Json> all;
  for (const WantedBearer& one : bearers_of(kWantedUe, session, kWantedClasses, settings)) {
    all.push_back(params_of(one, true));
  }
  return all;
}

TEST(ToldWantedBearer, ASessionWithRatesAsksForThem) {
  EXPECT_EQ(wanted_json(wanted_session()),
            (std::vector<Json>{Json{{"ue", "10.45.0.2"},
                                    {"class", "internet"},
                                    {"downlink", {{"gate", "open"}, {"rate", 20'000'000}}},
                                    {"uplink", {{"gate", "open"}, {"rate", 5'000'000}}}}}));
}

TEST(ToldWantedBearer, ASessionWithoutRatesHasThoseOfItsClass) {
  Session session = wanted_session();
  session.downlink.bit_per_s.reset();
  session.uplink.bit_per_s.reset();
  EXPECT_EQ(wanted_json(session), (std::vector<Json>{Json{{"ue", "10.45.0.2"},
                                                          {"class", "internet"},
                                                          {"downlink", {{"gate", "open"}}},
                                                          {"uplink", {{"gate", "open"}}}}}));
}

TEST(ToldWantedBearer, ARateThatRncdDoesNotTakeBecomesTheNearest) {
  Session session = wanted_session();
  session.downlink.bit_per_s = 0;
  session.uplink.bit_per_s = 1'099'511'627'775'000;
  const auto wanted = bearers_of(kWantedUe, session, kWantedClasses, {});
  EXPECT_EQ(wanted[0].downlink, 1'000u);
  EXPECT_EQ(wanted[0].uplink, 100'000'000'000u);
}

TEST(ToldWantedBearer, TunnelsAndFlowsAreSetWithTheQfi) {
  Session session = wanted_session();
  session.to_radio = dp::TunnelKey{0, 0xc000020b, 0x21, false};
  session.to_core = dp::TunnelKey{0x20010db800000000, 1, 0x42, true};
  session.qfi = 9;
  session.flows = {{.qfi = 1, .uplink = {}, .downlink = {.bit_per_s = 64'000}}};
  const auto wanted = wanted_json(session);
  ASSERT_EQ(wanted.size(), 2u);
  EXPECT_EQ(wanted[0]["tunnel"]["downlink"], (Json{{"endpoint", "192.0.2.11"}, {"teid", 33}, {"qfi", 9}}));
  EXPECT_EQ(wanted[0]["tunnel"]["uplink"], (Json{{"endpoint", "2001:db8::1"}, {"teid", 66}, {"qfi", 9}}));
  EXPECT_EQ(wanted[1], (Json{{"ue", "10.45.0.2"},
                             {"qfi", 1},
                             {"class", "voice"},
                             {"downlink", {{"gate", "open"}, {"rate", 64'000}}},
                             {"uplink", {{"gate", "open"}}}}));
}

TEST(ToldWantedBearer, WithoutTunnelsInRncdOnlyTheDefaultBearerIsSet) {
  Session session = wanted_session();
  session.to_radio = dp::TunnelKey{0, 0xc000020b, 0x21, false};
  session.flows = {{.qfi = 1, .uplink = {}, .downlink = {}}};
  const auto wanted = wanted_json(session, {.tunnels = false});
  ASSERT_EQ(wanted.size(), 1u);
  EXPECT_FALSE(wanted[0].contains("tunnel"));
}

TEST(ToldWantedBearer, FlowsBeyondWhatAUeCanHaveAreLeftOutAndNamed) {
  Session session = wanted_session();
  session.to_radio = dp::TunnelKey{0, 0xc000020b, 0x21, false};
  for (std::uint8_t qfi = 1; qfi <= 63; ++qfi) session.flows.push_back({qfi, {}, {}});
  EXPECT_EQ(wanted_json(session).size(), 1 + dp::kMostDedicatedBearers);
  EXPECT_NE(not_enforced(session, {}), "");
}

TEST(ToldWantedBearer, GatesOfTheSessionCloseItsFlowsAndAnIdleUeHoldsItsDownlinks) {
  Session session = wanted_session();
  session.to_radio = dp::TunnelKey{0, 0xc000020b, 0x21, false};
  session.flows = {{.qfi = 1, .uplink = {.bit_per_s = {}, .open = false}, .downlink = {}}};
  const auto gates = [&](std::size_t bearer) {
    const Json wanted = wanted_json(session)[bearer];
    return wanted["downlink"]["gate"].get<std::string>() + " " + wanted["uplink"]["gate"].get<std::string>();
  };
  EXPECT_EQ(gates(0), "open open");
  EXPECT_EQ(gates(1), "open closed");
  session.idle = true;
  EXPECT_EQ(gates(0), "hold open");
  EXPECT_EQ(gates(1), "hold closed");
  session.downlink.open = false;
  EXPECT_EQ(gates(0), "closed open");
  EXPECT_EQ(gates(1), "closed closed");
  EXPECT_EQ(not_enforced(session, {}), "");
}

TEST(ToldWantedBearer, ARowOfTheListBecomesTheBearerThatItShows) {
  const Json row = Json::parse(R"({"ue":"10.45.0.2","class":"internet",
      "downlink":{"rate":20000000,"gate":"hold","tunnel":{"endpoint":"192.0.2.11","teid":33,"qfi":9}},
      "uplink":{"rate":5000000,"gate":"closed","tunnel":null}})");
  const auto bearer = bearer_named(row);
  ASSERT_EQ(bearer, kWantedUe);
  Session session = wanted_session();
  session.idle = true;
  session.uplink.open = false;
  session.to_radio = dp::TunnelKey{0, 0xc000020b, 0x21, false};
  session.qfi = 9;
  EXPECT_EQ(wanted_of(row, *bearer), bearers_of(kWantedUe, session, kWantedClasses, {})[0]);
}

TEST(ToldWantedBearer, ARowNamesDedicatedBearersAndNoneOfANetwork) {
  EXPECT_EQ(bearer_named(Json{{"ue", "10.45.0.2"}, {"qfi", 1}}), dp::dedicated_by_qfi(kWantedUe, 1));
  EXPECT_EQ(bearer_named(Json{{"ue", "10.45.0.2"}, {"qfi", 64}}), std::nullopt);
  EXPECT_EQ(bearer_named(Json{{"ue", "10.45.0.2@east"}}), std::nullopt);
  EXPECT_EQ(bearer_named(Json{{"ue", 7}}), std::nullopt);
  EXPECT_EQ(bearer_named(Json("10.45.0.2")), std::nullopt);
}

}  // namespace
}  // namespace control::told
