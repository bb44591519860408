#include "control/told/radius/sessions.h"

#include <gtest/gtest.h>

#include "tests/support/told/memory_sink.h"

namespace control::told::radius {
namespace {

using std::chrono::seconds;
using test::at_ms;
using test::MemorySink;
using test::ue;
using Calls = std::vector<std::string>;

const std::string kFrom = "192.0.2.1";

class RadiusSessions : public ::testing::Test {
 protected:
  static Told told(const std::string& id, const std::string& user = "ada", const std::string& address = "") {
    Told told;
    told.acct_session_id = id;
    told.user = user;
    if (!address.empty()) told.ues = {ue(address)};
    return told;
  }
  static Told rated(Told told, std::optional<std::uint64_t> uplink, std::optional<std::uint64_t> downlink) {
    told.uplink = uplink;
    told.downlink = downlink;
    return told;
  }
  const Session& session(const std::string& id) { return sink.sessions.at(kFrom + " " + id); }
  Calls calls() { return std::exchange(sink.calls, {}); }

  MemorySink sink{8};
  Sessions sessions{sink, {}};
};

TEST_F(RadiusSessions, AStartMakesASession) {
  EXPECT_EQ(sessions.start(rated(told("1", "ada", "10.45.0.2"), 5, 20), kFrom, at_ms(7)), Outcome::applied);
  EXPECT_EQ(session("1").identity, "ada");
  EXPECT_EQ(session("1").peer, kFrom);
  EXPECT_EQ(session("1").uplink.bit_per_s, 5u);
  EXPECT_EQ(session("1").downlink.bit_per_s, 20u);
  EXPECT_EQ(sink.last, at_ms(7));
}

TEST_F(RadiusSessions, AnInterimMakesASessionWhoseStartWasLost) {
  EXPECT_EQ(sessions.interim(told("1", "ada", "10.45.0.2"), kFrom, at_ms(0)), Outcome::applied);
  EXPECT_EQ(session("1").ues.size(), 1u);
}

TEST_F(RadiusSessions, AnInterimThatTellsNothingNewIsNotWritten) {
  sessions.start(rated(told("1", "ada", "10.45.0.2"), 5, 20), kFrom, at_ms(0));
  calls();
  sessions.interim(told("1", "ada", "10.45.0.2"), kFrom, at_ms(1));
  sessions.interim(told("1", ""), kFrom, at_ms(2));
  EXPECT_EQ(calls(), Calls{});
  EXPECT_EQ(session("1").downlink.bit_per_s, 20u);
}

TEST_F(RadiusSessions, ARateOfZeroTakesTheLimitAway) {
  sessions.start(rated(told("1"), 5, 20), kFrom, at_ms(0));
  sessions.interim(rated(told("1"), 0, std::nullopt), kFrom, at_ms(1));
  EXPECT_EQ(session("1").uplink.bit_per_s, std::nullopt);
  EXPECT_EQ(session("1").downlink.bit_per_s, 20u);
}

TEST_F(RadiusSessions, AStopRemovesAfterTwoSeconds) {
  sessions.start(told("1"), kFrom, at_ms(0));
  EXPECT_EQ(sessions.stop(told("1"), kFrom, at_ms(1000)), Outcome::applied);
  EXPECT_EQ(session("1").state, SessionState::ending);
  EXPECT_EQ(sessions.advance(at_ms(2999)), at_ms(3000));
  EXPECT_EQ(sink.sessions.size(), 1u);
  EXPECT_EQ(sessions.advance(at_ms(3000)), dp::kNever);
  EXPECT_EQ(sink.sessions.size(), 0u);
  EXPECT_EQ(sessions.size(), 0u);
}

TEST_F(RadiusSessions, AnInterimBehindItsStopIsLateAndAStartIsNot) {
  sessions.start(rated(told("1", "ada", "10.45.0.2"), 5, 20), kFrom, at_ms(0));
  sessions.stop(told("1"), kFrom, at_ms(1000));
  EXPECT_EQ(sessions.interim(told("1"), kFrom, at_ms(1001)), Outcome::late);
  EXPECT_EQ(session("1").state, SessionState::ending);
  EXPECT_EQ(sessions.start(told("1", "bob"), kFrom, at_ms(1002)), Outcome::applied);
  EXPECT_EQ(session("1").state, SessionState::live);
  EXPECT_EQ(session("1").identity, "bob");
  EXPECT_TRUE(session("1").ues.empty());
  EXPECT_EQ(sessions.advance(at_ms(10'000)), at_ms(1'021'002));
}

TEST_F(RadiusSessions, ARequestThatWasDelayedChangesNothingThatNewerOnesTold) {
  Told start = rated(told("1", "ada", "10.45.0.2"), 5, 20);
  sessions.start(start, kFrom, at_ms(1'000'000));
  sessions.interim(rated(told("1"), 6, 30), kFrom, at_ms(1'005'000));
  start.delay = seconds(60);
  EXPECT_EQ(sessions.start(start, kFrom, at_ms(1'060'000)), Outcome::late);
  EXPECT_EQ(session("1").downlink.bit_per_s, 30u);
  Told interim = rated(told("1"), 7, 40);
  interim.delay = seconds(60);
  EXPECT_EQ(sessions.interim(interim, kFrom, at_ms(1'070'000)), Outcome::applied) << "newer than the last";
  EXPECT_EQ(session("1").downlink.bit_per_s, 40u);
  Told stop = told("1");
  stop.delay = seconds(300);
  EXPECT_EQ(sessions.stop(stop, kFrom, at_ms(1'080'000)), Outcome::late);
  EXPECT_EQ(session("1").state, SessionState::live);
}

TEST_F(RadiusSessions, AStartThatWasDelayedDoesNotBeginASessionThatHasEnded) {
  Told start = told("1", "ada", "10.45.0.2");
  sessions.start(start, kFrom, at_ms(1'000'000));
  sessions.stop(told("1"), kFrom, at_ms(1'005'000));
  start.delay = seconds(8);
  EXPECT_EQ(sessions.start(start, kFrom, at_ms(1'006'000)), Outcome::late) << "while it ends";
  sessions.advance(at_ms(1'008'000));
  EXPECT_EQ(sessions.start(start, kFrom, at_ms(1'008'000)), Outcome::late) << "when it has ended";
  EXPECT_EQ(sessions.size(), 0u);
  start.delay = seconds(1);
  EXPECT_EQ(sessions.start(start, kFrom, at_ms(1'009'000)), Outcome::applied) << "its id is used again";
}

TEST_F(RadiusSessions, AStartThatWasDelayedLongBeginsASessionThatWasNotKnown) {
  Told start = told("1", "ada", "10.45.0.2");
  start.delay = seconds(100'000);
  EXPECT_EQ(sessions.start(start, kFrom, at_ms(1000)), Outcome::applied);
  EXPECT_EQ(sessions.size(), 1u);
}

TEST_F(RadiusSessions, ASessionThatFallsSilentEnds) {
  sessions.start(told("1"), kFrom, at_ms(0));
  sessions.start(told("2", "bob"), kFrom, at_ms(0));
  sessions.interim(told("1"), kFrom, at_ms(900'000));
  EXPECT_EQ(sessions.advance(at_ms(1'019'999)), at_ms(1'020'000));
  EXPECT_EQ(sessions.advance(at_ms(1'020'000)), at_ms(1'920'000));
  EXPECT_EQ(sink.sessions.size(), 1u);
  EXPECT_EQ(sessions.advance(at_ms(1'920'000)), dp::kNever);
  EXPECT_EQ(sessions.timed_out(), 2u);
}

TEST_F(RadiusSessions, ANewSessionOfAnIdentityAndAddressTakesTheUeOverBeforeTheOldOneGoes) {
  sessions.start(told("1", "ada", "10.45.0.2"), kFrom, at_ms(0));
  calls();
  sessions.start(told("2", "ada", "10.45.0.2"), kFrom, at_ms(5));
  EXPECT_EQ(calls(), (Calls{"put 192.0.2.1 2", "remove 192.0.2.1 1"}));
  EXPECT_EQ(sessions.replaced(), 1u);
  EXPECT_EQ(sessions.stop(told("1"), kFrom, at_ms(6)), Outcome::no_session);
}

TEST_F(RadiusSessions, ASessionThatIsEndingGivesWayWithoutBeingCounted) {
  sessions.start(told("1", "ada", "10.45.0.2"), kFrom, at_ms(0));
  sessions.stop(told("1"), kFrom, at_ms(1));
  calls();
  sessions.start(told("2", "ada", "10.45.0.2"), kFrom, at_ms(5));
  EXPECT_EQ(calls(), (Calls{"put 192.0.2.1 2", "remove 192.0.2.1 1"}));
  EXPECT_EQ(sessions.replaced(), 0u);
}

TEST_F(RadiusSessions, AnAddressThatAnInterimBringsTakesTheUeOverAsWell) {
  sessions.start(told("1", "ada", "10.45.0.2"), kFrom, at_ms(0));
  sessions.start(told("2", "ada"), kFrom, at_ms(1));
  EXPECT_EQ(sessions.size(), 2u);
  sessions.interim(told("2", "", "10.45.0.2"), kFrom, at_ms(2));
  EXPECT_EQ(sessions.size(), 1u);
}

TEST_F(RadiusSessions, AnotherIdentityOrMoreAddressesKeepTheOldSession) {
  Told both = told("1", "ada", "10.45.0.2");
  both.ues.push_back(ue("2001:db8::/64"));
  sessions.start(both, kFrom, at_ms(0));
  sessions.start(told("2", "ada", "10.45.0.2"), kFrom, at_ms(1));
  sessions.start(told("3", "bob", "10.45.0.2"), kFrom, at_ms(2));
  sessions.start(told("4", "", "10.45.0.2"), kFrom, at_ms(3));
  sessions.start(told("5", "", "10.45.0.2"), kFrom, at_ms(4));
  EXPECT_EQ(sessions.size(), 5u);
}

TEST_F(RadiusSessions, AFullTableRefusesAndHoldsNothing) {
  for (int i = 0; i < 8; ++i)
    sessions.start(told(std::to_string(i), "u" + std::to_string(i)), kFrom, at_ms(0));
  EXPECT_EQ(sessions.start(told("9"), kFrom, at_ms(1)), Outcome::full);
  EXPECT_EQ(sessions.size(), 8u);
  EXPECT_EQ(sessions.stop(told("9"), kFrom, at_ms(2)), Outcome::no_session);
}

TEST_F(RadiusSessions, InAFullTableTheReplacedSessionMakesRoom) {
  for (int i = 0; i < 8; ++i) {
    const std::string n = std::to_string(i);
    sessions.start(told(n, "u" + n, "10.45.0." + std::to_string(i + 1)), kFrom, at_ms(0));
  }
  EXPECT_EQ(sessions.start(told("9", "u3", "10.45.0.4"), kFrom, at_ms(1)), Outcome::applied);
  EXPECT_EQ(sessions.size(), 8u);
  EXPECT_EQ(sink.claims(ue("10.45.0.4")), 1u);
}

TEST_F(RadiusSessions, ARequestWithoutAnIdOrWithTooLongAnIdMakesNothing) {
  EXPECT_EQ(sessions.start(told(""), kFrom, at_ms(0)), Outcome::no_id);
  EXPECT_EQ(sessions.stop(told(""), kFrom, at_ms(0)), Outcome::no_id);
  EXPECT_EQ(sessions.start(told(std::string(250, 'x')), kFrom, at_ms(0)), Outcome::id_too_long);
  EXPECT_EQ(sessions.size(), 0u);
}

TEST_F(RadiusSessions, TheSameAcctSessionIdOfAnotherNasIsAnotherSession) {
  Told of_nas = told("1", "bob");
  of_nas.nas = "bng-2";
  sessions.start(told("1"), kFrom, at_ms(0));
  sessions.start(of_nas, kFrom, at_ms(0));
  EXPECT_EQ(sessions.size(), 2u);
}

}  // namespace
}  // namespace control::told::radius
