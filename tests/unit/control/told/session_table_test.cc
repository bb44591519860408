#include "control/told/session_table.h"

#include <gtest/gtest.h>

#include "dataplane/base/rng.h"
#include "tests/support/told/memory_sink.h"

namespace control::told {
namespace {

using test::at_ms;
using test::ue;
using Change = SessionTable::Change;
using Changes = std::vector<Change>;

const dp::UeAddress kFirst = ue("10.45.0.2"), kSecond = ue("10.45.0.3");

Session of_ues(std::string id, std::vector<dp::UeAddress> ues, std::uint64_t rate = 1000) {
  Session session;
  session.id = std::move(id);
  session.ues = std::move(ues);
  session.uplink.bit_per_s = rate;
  return session;
}
Session ended(Session session) {
  session.state = SessionState::ending;
  return session;
}

class SessionTableTest : public ::testing::Test {
 protected:
  std::string holder(const dp::UeAddress& address) const {
    const auto* const entry = table.holder_of(address);
    return entry == nullptr ? "none" : entry->session.id;
  }

  SessionTable table{4};
  SessionSink& radius = table.sink_of("radius");
  SessionSink& pfcp = table.sink_of("pfcp");
};

TEST_F(SessionTableTest, ASessionHasItsUes) {
  EXPECT_TRUE(radius.put(of_ues("a", {kFirst, kSecond}), at_ms(1)));
  EXPECT_EQ(holder(kFirst), "a");
  EXPECT_EQ(holder(kSecond), "a");
  EXPECT_EQ(table.holder_of(kFirst)->source, "radius");
  EXPECT_EQ(table.holder_of(kFirst)->told, at_ms(1));
  EXPECT_EQ(holder(ue("10.45.0.4")), "none");
}

TEST_F(SessionTableTest, SourcesDoNotSeeEachOthersSessions) {
  radius.put(of_ues("a", {kFirst}), at_ms(1));
  pfcp.put(of_ues("a", {kSecond}), at_ms(2));
  EXPECT_EQ(table.size(), 2u);
  pfcp.remove("a", at_ms(3));
  EXPECT_EQ(holder(kFirst), "a");
  EXPECT_EQ(&table.sink_of("radius"), &radius);
}

TEST_F(SessionTableTest, OfTwoLiveSessionsTheLaterToldHasTheUeAndTheOtherWaits) {
  radius.put(of_ues("a", {kFirst}), at_ms(1));
  pfcp.put(of_ues("b", {kFirst}), at_ms(2));
  EXPECT_EQ(holder(kFirst), "b");
  pfcp.remove("b", at_ms(3));
  EXPECT_EQ(holder(kFirst), "a");
}

TEST_F(SessionTableTest, TheTimeOnTheWireDecidesAndNotTheOrderOfCalls) {
  radius.put(of_ues("a", {kFirst}), at_ms(2));
  pfcp.put(of_ues("b", {kFirst}), at_ms(1));
  EXPECT_EQ(holder(kFirst), "a");
}

TEST_F(SessionTableTest, ANewRateOfASessionThatWaitsDoesNotTakeTheUeBack) {
  radius.put(of_ues("a", {kFirst}), at_ms(1));
  pfcp.put(of_ues("b", {kFirst}), at_ms(2));
  table.take_changes(10);
  radius.put(of_ues("a", {kFirst}, 2000), at_ms(3));
  EXPECT_EQ(holder(kFirst), "b");
  EXPECT_FALSE(table.has_changes());
}

TEST_F(SessionTableTest, ALiveSessionGoesBeforeOneThatIsEnding) {
  radius.put(of_ues("a", {kFirst}), at_ms(1));
  pfcp.put(of_ues("b", {kFirst}), at_ms(2));
  pfcp.put(ended(of_ues("b", {kFirst})), at_ms(3));
  EXPECT_EQ(holder(kFirst), "a");
  radius.put(ended(of_ues("a", {kFirst})), at_ms(4));
  EXPECT_EQ(holder(kFirst), "b");
  radius.put(of_ues("a", {kFirst}), at_ms(5));
  EXPECT_EQ(holder(kFirst), "a");
  pfcp.put(of_ues("b", {kFirst}), at_ms(6));
  EXPECT_EQ(holder(kFirst), "b");
}

TEST_F(SessionTableTest, AnAddressThatASessionGivesUpGoesToTheOneThatWaits) {
  radius.put(of_ues("a", {kFirst}), at_ms(1));
  radius.put(of_ues("b", {kFirst, kSecond}), at_ms(2));
  radius.put(of_ues("b", {kSecond}), at_ms(3));
  EXPECT_EQ(holder(kFirst), "a");
  EXPECT_EQ(holder(kSecond), "b");
}

TEST_F(SessionTableTest, ChangesAreTakenInOrderWithTheTimeOfTheFirst) {
  radius.put(of_ues("a", {kSecond}), at_ms(1));
  radius.put(of_ues("b", {kFirst}), at_ms(2));
  radius.put(of_ues("a", {kSecond}, 5), at_ms(3));
  EXPECT_EQ(table.take_changes(1), (Changes{{kSecond, at_ms(1)}}));
  EXPECT_EQ(table.take_changes(9), (Changes{{kFirst, at_ms(2)}}));
  EXPECT_FALSE(table.has_changes());
}

TEST_F(SessionTableTest, WhatIsToldAgainIsNoChange) {
  radius.put(of_ues("a", {kFirst}), at_ms(1));
  table.take_changes(9);
  radius.put(of_ues("a", {kFirst}), at_ms(2));
  EXPECT_FALSE(table.has_changes());
  EXPECT_EQ(table.holder_of(kFirst)->told, at_ms(1));
}

TEST_F(SessionTableTest, ARemovedSessionIsAChangeOfItsUes) {
  radius.put(of_ues("a", {kFirst}), at_ms(1));
  table.take_changes(9);
  radius.remove("a", at_ms(2));
  radius.remove("a", at_ms(3));
  EXPECT_EQ(table.take_changes(9), (Changes{{kFirst, at_ms(2)}}));
  EXPECT_EQ(table.size(), 0u);
}

TEST_F(SessionTableTest, AMarkThatIsPutBackIsTakenAgain) {
  table.mark(kFirst, at_ms(5));
  EXPECT_EQ(table.take_changes(9), (Changes{{kFirst, at_ms(5)}}));
}

TEST_F(SessionTableTest, AFullTableRefusesNewSessionsAndTakesChanges) {
  for (const char* id : {"a", "b", "c", "d"}) EXPECT_TRUE(radius.put(of_ues(id, {}), at_ms(1)));
  EXPECT_FALSE(pfcp.put(of_ues("e", {kFirst}), at_ms(2)));
  EXPECT_EQ(holder(kFirst), "none");
  EXPECT_TRUE(radius.put(of_ues("a", {kFirst}), at_ms(3)));
  radius.remove("b", at_ms(4));
  EXPECT_TRUE(pfcp.put(of_ues("e", {kSecond}), at_ms(5)));
}

TEST_F(SessionTableTest, ASessionBeyondItsBoundsIsRefused) {
  EXPECT_FALSE(radius.put(of_ues(std::string(SessionTable::kMaxText + 1, 'x'), {}), at_ms(1)));
  EXPECT_FALSE(radius.put(of_ues("a", std::vector<dp::UeAddress>(kMaxUes + 1, kFirst)), at_ms(1)));
  Session flows = of_ues("a", {});
  flows.flows.resize(SessionTable::kMaxFlows + 1);
  EXPECT_FALSE(radius.put(flows, at_ms(1)));
  EXPECT_EQ(table.size(), 0u);
}

TEST_F(SessionTableTest, ChangesThatAreTooManyToRememberAreSaidAtOnce) {
  for (std::uint32_t i = 0; i < 100; ++i) {
    radius.put(of_ues("a", {dp::ue_ipv4(0x0a2d0000 + i)}), at_ms(i));
    radius.remove("a", at_ms(i));
  }
  EXPECT_EQ(table.take_lost_changes(), at_ms(0));
  EXPECT_EQ(table.take_lost_changes(), std::nullopt);
  EXPECT_LE(table.take_changes(1000).size(), 4 * kMaxUes);
}

// The holder by a walk over all sessions.
struct SlowTable {
  struct Claim {
    Session session;
    std::map<dp::UeAddress, std::pair<dp::Time, int>> since;
  };
  std::map<std::string, Claim> claims;

  std::string holder(const dp::UeAddress& address) const {
    std::string best = "none";
    std::tuple<bool, dp::Time, int> rank;
    for (const auto& [id, claim] : claims) {
      const auto since = claim.since.find(address);
      if (since == claim.since.end()) continue;
      const std::tuple own(claim.session.state == SessionState::live, since->second.first,
                           since->second.second);
      if (best == "none" || own > rank) best = id, rank = own;
    }
    return best;
  }
  void put(const Session& session, dp::Time told, int serial) {
    Claim& claim = claims[session.id];
    const bool revived = session.state == SessionState::live && claim.session.state != SessionState::live;
    const auto before = std::exchange(claim.since, {});
    for (const dp::UeAddress& address : session.ues) {
      const auto known = before.find(address);
      claim.since[address] = known == before.end() || revived ? std::pair(told, serial) : known->second;
    }
    claim.session = session;
  }
};

TEST(SessionTableProperty, RandomClaimsHaveTheHolderThatAWalkFindsAndEveryChangeIsMarked) {
  dp::Rng rng(1);
  SessionTable table(1000);
  SessionSink& sink = table.sink_of("a");
  SlowTable slow;
  for (int step = 1; step < 20'000; ++step) {
    std::map<dp::UeAddress, std::string> before;
    for (std::uint32_t i = 1; i <= 4; ++i) before[dp::ue_ipv4(i << 24)] = slow.holder(dp::ue_ipv4(i << 24));
    const std::string id(1, static_cast<char>('a' + rng.below(6)));
    if (rng.below(5) == 0) {
      sink.remove(id, at_ms(step));
      slow.claims.erase(id);
    } else {
      Session session = of_ues(id, {}, rng.below(2));
      for (std::uint32_t i = 1; i <= 4; ++i) {
        if (rng.below(2) == 0) session.ues.push_back(dp::ue_ipv4(i << 24));
      }
      session.state = static_cast<SessionState>(rng.below(3));
      const auto told = at_ms(step - static_cast<int>(rng.below(3)));
      const auto known = slow.claims.find(id);
      const bool same = known != slow.claims.end() && known->second.session == session;
      ASSERT_TRUE(sink.put(session, told));
      if (!same) slow.put(session, told, step);
    }
    std::set<dp::UeAddress> marked;
    for (const Change& change : table.take_changes(100)) marked.insert(change.ue);
    for (const auto& [address, was] : before) {
      const auto* const entry = table.holder_of(address);
      ASSERT_EQ(entry == nullptr ? "none" : entry->session.id, slow.holder(address)) << "step " << step;
      ASSERT_TRUE(was == slow.holder(address) || marked.contains(address)) << "step " << step;
    }
  }
}

TEST_F(SessionTableTest, AWalkGoesOnBehindAnyUeAndEndsWhenItIsTold) {
  radius.put(of_ues("a", {kFirst}), at_ms(1));
  pfcp.put(of_ues("b", {kFirst}), at_ms(2));
  radius.put(of_ues("c", {kSecond}), at_ms(3));
  std::vector<std::string> seen;
  const auto note = [&seen](const dp::UeAddress& address, const SessionTable::Entry& entry) {
    seen.push_back(dp::to_string(address) + " " + entry.session.id);
    return seen.size() != 2;
  };
  table.for_each_ue_after({}, note);
  EXPECT_EQ(seen, (std::vector<std::string>{"10.45.0.2 b", "10.45.0.3 c"}));
  table.for_each_ue_after(kFirst, note);
  EXPECT_EQ(seen.back(), "10.45.0.3 c");
  EXPECT_EQ(seen.size(), 3u);
  table.for_each_ue_after(kSecond, note);
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_EQ(table.changes(), 2u);
}

}  // namespace
}  // namespace control::told
