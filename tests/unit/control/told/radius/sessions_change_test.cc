// Disconnect and CoA requests (control/told/radius/sessions.h).
#include <gtest/gtest.h>

#include "control/told/radius/sessions.h"
#include "tests/support/told/memory_sink.h"

namespace control::told::radius {
namespace {

using test::at_ms;
using test::MemorySink;
using test::ue;

class RadiusChange : public ::testing::Test {
 protected:
  RadiusChange() {
    Told told;
    told.nas = "192.0.2.1";
    told.nas_identifier = "bng-1";
    told.acct_session_id = "1";
    told.user = "ada";
    told.station = "49170";
    told.imsi = "001010000000001";
    told.ues = {ue("10.45.0.2"), ue("2001:db8::/64")};
    told.uplink = 5;
    told.downlink = 20;
    sessions.start(told, "192.0.2.9", at_ms(0));
  }
  const Session& session() { return sink.sessions.at("192.0.2.1 1"); }
  static Told named(std::string Told::*member, const std::string& value) {
    Told told;
    told.*member = value;
    return told;
  }
  static Told at(const std::string& address) {
    Told told;
    told.ues = {ue(address)};
    return told;
  }

  MemorySink sink;
  Sessions sessions{sink, {}};
};

TEST_F(RadiusChange, EveryNameOfASessionFindsIt) {
  for (Told told :
       {named(&Told::acct_session_id, "1"), named(&Told::user, "ada"), named(&Told::station, "49170"),
        named(&Told::imsi, "001010000000001"), at("10.45.0.2"), at("2001:db8::/64")}) {
    const std::uint64_t rate = session().uplink.bit_per_s.value_or(0) + 1;
    told.uplink = rate;
    EXPECT_EQ(sessions.change(told, at_ms(1)), Outcome::applied);
    EXPECT_EQ(session().uplink.bit_per_s, rate);
    EXPECT_EQ(session().downlink.bit_per_s, 20u);
  }
}

TEST_F(RadiusChange, ANameThatIsNotTheSessionsFindsNothing) {
  Told told = named(&Told::acct_session_id, "1");
  told.user = "bob";
  EXPECT_EQ(sessions.disconnect(told, at_ms(1)), Outcome::no_session);
  told = at("10.45.0.2");
  told.nas = "192.0.2.2";
  EXPECT_EQ(sessions.disconnect(told, at_ms(1)), Outcome::no_session);
  told.nas_identifier = "bng-1";
  EXPECT_EQ(sessions.disconnect(told, at_ms(1)), Outcome::applied);
}

TEST_F(RadiusChange, ARequestWithoutANameFindsNothing) {
  Told told;
  told.uplink = 7;
  EXPECT_EQ(sessions.change(told, at_ms(1)), Outcome::no_name);
  EXPECT_EQ(sessions.disconnect(told, at_ms(1)), Outcome::no_name);
}

TEST_F(RadiusChange, ANameOfTwoSessionsIsRefused) {
  Told told = named(&Told::acct_session_id, "2");
  told.user = "ada";
  sessions.start(told, "192.0.2.9", at_ms(1));
  EXPECT_EQ(sessions.disconnect(named(&Told::user, "ada"), at_ms(2)), Outcome::many);
  EXPECT_EQ(sessions.disconnect(told, at_ms(2)), Outcome::applied);
  EXPECT_EQ(sessions.disconnect(named(&Told::user, "ada"), at_ms(3)), Outcome::applied);
  EXPECT_EQ(sessions.disconnect(named(&Told::user, "ada"), at_ms(4)), Outcome::no_session);
}

TEST_F(RadiusChange, ANameOfCrowdsIsRefusedWithoutALookAtAll) {
  for (int i = 0; i < 1000; ++i) {
    Told told = named(&Told::acct_session_id, "n" + std::to_string(i));
    told.user = "guest";
    sessions.start(told, "192.0.2.9", at_ms(1));
  }
  EXPECT_EQ(sessions.disconnect(named(&Told::user, "guest"), at_ms(2)), Outcome::many);
  Told told = named(&Told::user, "guest");
  told.acct_session_id = "n999";
  EXPECT_EQ(sessions.disconnect(told, at_ms(2)), Outcome::applied);
}

TEST_F(RadiusChange, ADisconnectEndsTheSessionAsAStopDoes) {
  EXPECT_EQ(sessions.disconnect(at("10.45.0.2"), at_ms(1000)), Outcome::applied);
  EXPECT_EQ(session().state, SessionState::ending);
  sessions.advance(at_ms(3000));
  EXPECT_TRUE(sink.sessions.empty());
}

TEST_F(RadiusChange, AClassWithoutARateTakesTheRatesAway) {
  Told told = at("10.45.0.2");
  told.class_hint = "gold";
  EXPECT_EQ(sessions.change(told, at_ms(1)), Outcome::applied);
  EXPECT_EQ(session().class_hint, "gold");
  EXPECT_FALSE(session().uplink.bit_per_s || session().downlink.bit_per_s);
}

TEST_F(RadiusChange, AClassWithARateTakesNothingAway) {
  Told told = at("10.45.0.2");
  told.class_hint = "gold";
  told.downlink = 30;
  EXPECT_EQ(sessions.change(told, at_ms(1)), Outcome::applied);
  EXPECT_EQ(session().uplink.bit_per_s, 5u);
  EXPECT_EQ(session().downlink.bit_per_s, 30u);
}

TEST_F(RadiusChange, ARequestThatChangesNothingIsRefused) {
  EXPECT_EQ(sessions.change(at("10.45.0.2"), at_ms(1)), Outcome::no_change);
}

TEST_F(RadiusChange, AChangeIsNoSignOfLife) {
  Told told = at("10.45.0.2");
  told.uplink = 7;
  sessions.change(told, at_ms(900'000));
  sessions.advance(at_ms(1'020'000));
  EXPECT_TRUE(sink.sessions.empty());
}

}  // namespace
}  // namespace control::told::radius
