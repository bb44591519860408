#include "control/told/pfcp/session_table.h"

#include <gtest/gtest.h>

#include "tests/support/told/pfcp_messages.h"
#include "tests/support/told/recording_sink.h"

namespace control::told::pfcp {
namespace {

using test::ie;
using test::Octets;

const Address kCpAt{0, 1, false}, kUpAt{0, 2, false}, kOtherUpAt{0, 3, false};
constexpr std::uint32_t kFirstUe = 0x0a2d0002;

dp::Time table_second(std::int64_t n) { return dp::time_ns(n * 1'000'000'000); }

SessionEdit session_of_ue(std::uint32_t ue, std::uint64_t rate = 1000) {
  const auto pdr =
      ie(1, {test::pdr_id(1), ie(2, {test::source_interface(1), test::ue_ipv4(ue)}), test::qer_id(1)});
  return *read_session_edit(test::joined({pdr, ie(7, {test::qer_id(1), test::mbr(rate, rate)})}));
}
SessionEdit with_ipv6(std::uint32_t ue, std::uint64_t prefix) {
  SessionEdit edit = session_of_ue(ue);
  const auto more = ie(1, {test::pdr_id(2), ie(2, {test::source_interface(1), test::ue_ipv6(prefix, 0)})});
  edit.pdrs.created.push_back(read_session_edit(more)->pdrs.created[0]);
  return edit;
}

struct TableBench {
  PfcpSettings settings;
  test::RecordingSink sink;
  SessionTable table{settings, sink};

  Record* establish(std::uint64_t seid, const SessionEdit& edit, dp::Time at, const Address& up = kUpAt) {
    return table.establish({kCpAt, up, {{kCpAt, seid}}, {{up, seid}}, at}, edit, nullptr, at).record;
  }
  Record* up(std::uint64_t seid) { return table.by_up({kUpAt, seid}); }
};

TEST(PfcpSessionTable, SessionIsPutWhenItHasAUe) {
  TableBench b;
  Record* const record = b.establish(5, *read_session_edit(ie(7, test::qer_id(1))), table_second(1));
  ASSERT_NE(record, nullptr);
  EXPECT_TRUE(b.sink.calls.empty());
  b.table.modify(*record, session_of_ue(kFirstUe), nullptr, table_second(2));
  ASSERT_EQ(b.sink.sessions.size(), 1u);
  const Session& session = b.sink.sessions.begin()->second;
  EXPECT_EQ(session.id, "0.0.0.1/0x5#1");
  EXPECT_EQ(session.peer, "0.0.0.1");
  EXPECT_EQ(session.downlink.bit_per_s, 1'000'000u);
  EXPECT_EQ(b.sink.last_told, table_second(2));
}

TEST(PfcpSessionTable, ModificationThatChangesNothingIsNotPut) {
  TableBench b;
  Record* const record = b.establish(5, session_of_ue(kFirstUe), table_second(1));
  b.table.modify(*record, session_of_ue(kFirstUe), nullptr, table_second(2));
  EXPECT_EQ(b.sink.calls.size(), 1u);
}

TEST(PfcpSessionTable, DeletedSessionEndsTwoSecondsLater) {
  TableBench b;
  b.table.end(*b.establish(5, session_of_ue(kFirstUe), table_second(1)), table_second(10));
  EXPECT_EQ(b.sink.sessions.begin()->second.state, SessionState::ending);
  EXPECT_EQ(b.up(5), nullptr);
  EXPECT_EQ(b.table.next_deadline(), table_second(12));
  b.table.advance(dp::time_ns(11'999'999'999));
  EXPECT_EQ(b.sink.sessions.size(), 1u);
  b.table.advance(table_second(12));
  EXPECT_TRUE(b.sink.sessions.empty());
  EXPECT_EQ(b.table.size(), 0u);
  EXPECT_EQ(b.table.rules(), 0u);
}

TEST(PfcpSessionTable, StaleSessionStaysThirtySecondsAndIsRevivedByAModification) {
  TableBench b;
  Record* const record = b.establish(5, session_of_ue(kFirstUe), table_second(1));
  b.table.make_stale(kUpAt, table_second(10));
  EXPECT_EQ(b.sink.sessions.begin()->second.state, SessionState::stale);
  EXPECT_EQ(b.table.live(), 0u);
  EXPECT_EQ(b.table.next_deadline(), table_second(40));
  b.table.modify(*record, session_of_ue(kFirstUe, 2000), nullptr, table_second(39));
  EXPECT_EQ(b.sink.sessions.begin()->second.state, SessionState::live);
  EXPECT_EQ(b.table.next_deadline(), dp::kNever);
  EXPECT_EQ(b.table.live(), 1u);
}

TEST(PfcpSessionTable, EstablishmentOfTheSameUeIsPutBeforeTheStaleOneIsRemoved) {
  TableBench b;
  b.establish(5, session_of_ue(kFirstUe), table_second(1));
  b.table.make_stale(kCpAt, table_second(10));
  b.sink.calls.clear();
  b.establish(6, session_of_ue(kFirstUe), table_second(20), kOtherUpAt);
  EXPECT_EQ(b.sink.calls, (std::vector<std::string>{"put 0.0.0.1/0x6#2", "remove 0.0.0.1/0x5#1"}));
  b.table.advance(table_second(100));
  EXPECT_EQ(b.sink.sessions.size(), 1u);
}

TEST(PfcpSessionTable, PredecessorMakesRoomInAFullSink) {
  TableBench b;
  b.sink.most = 1;
  b.establish(5, session_of_ue(kFirstUe), table_second(1));
  b.table.make_stale(kCpAt, table_second(10));
  EXPECT_NE(b.establish(6, session_of_ue(kFirstUe), table_second(20)), nullptr);
  EXPECT_EQ(b.sink.sessions.size(), 1u);
  EXPECT_TRUE(b.sink.sessions.contains("0.0.0.1/0x6#2"));
}

TEST(PfcpSessionTable, PredecessorWithAnotherAddressBesideStaysUntilItsDeadline) {
  TableBench b;
  b.establish(5, with_ipv6(kFirstUe, 0x20010db800450002), table_second(1));
  b.table.make_stale(kCpAt, table_second(10));
  b.establish(6, session_of_ue(kFirstUe), table_second(20));
  EXPECT_EQ(b.sink.sessions.size(), 2u);
  b.table.advance(table_second(40));
  EXPECT_EQ(b.sink.sessions.size(), 1u);
}

TEST(PfcpSessionTable, LiveSessionOfTheUeAtTheSameUpFunctionIsOneWhoseDeletionWasLost) {
  TableBench b;
  b.establish(5, session_of_ue(kFirstUe), table_second(1));
  b.establish(6, session_of_ue(kFirstUe), table_second(2));
  EXPECT_EQ(b.sink.sessions.size(), 1u);
  EXPECT_EQ(b.up(5), nullptr);
}

TEST(PfcpSessionTable, LiveSessionsOfTheUeAtOtherUpFunctionsStayUpToABound) {
  TableBench b;
  for (std::uint64_t n = 0; n < SessionTable::kMostOfUe + 3; ++n) {
    b.establish(n, session_of_ue(kFirstUe), table_second(1), Address{0, 100 + n, false});
  }
  EXPECT_EQ(b.table.size(), SessionTable::kMostOfUe);
  EXPECT_EQ(b.sink.sessions.size(), SessionTable::kMostOfUe);
}

TEST(PfcpSessionTable, UpFunctionThatGivesASeidAnewHasEndedTheSessionBefore) {
  TableBench b;
  b.establish(5, session_of_ue(kFirstUe), table_second(1));
  b.establish(5, session_of_ue(kFirstUe + 1), table_second(2));
  EXPECT_EQ(b.table.size(), 2u);
  EXPECT_EQ(b.sink.sessions.at("0.0.0.1/0x5#1").state, SessionState::ending);
  EXPECT_EQ(b.up(5)->number, 2u);
}

TEST(PfcpSessionTable, EstablishmentThatCountsLateDoesNotTakeOverALaterOne) {
  TableBench b;
  b.establish(6, session_of_ue(kFirstUe, 2000), table_second(2));
  const auto late = b.table.establish({kCpAt, kUpAt, {{kCpAt, 5}}, {}, table_second(1)},
                                      session_of_ue(kFirstUe), nullptr, table_second(3));
  EXPECT_EQ(late.outcome, SessionTable::Outcome::superseded);
  EXPECT_EQ(late.record, nullptr);
  EXPECT_EQ(b.sink.live(dp::ue_ipv4(kFirstUe))->downlink.bit_per_s, 2'000'000u);
  EXPECT_EQ(b.table.size(), 1u);
}

TEST(PfcpSessionTable, FullTableRefusesAnEstablishment) {
  TableBench b;
  b.settings.sessions = 2;
  b.establish(5, session_of_ue(kFirstUe), table_second(1));
  b.establish(6, session_of_ue(kFirstUe + 1), table_second(1));
  EXPECT_EQ(b.establish(7, session_of_ue(kFirstUe + 2), table_second(1)), nullptr);
  EXPECT_EQ(b.sink.sessions.size(), 2u);
  b.table.make_stale(kCpAt, table_second(2));
  EXPECT_NE(b.establish(7, session_of_ue(kFirstUe + 2), table_second(3)), nullptr);
}

TEST(PfcpSessionTable, DyingSessionsAreBoundedAndTheFirstToGoMakesRoom) {
  TableBench b;
  b.settings.sessions = 2;
  for (unsigned n = 0; n < 6; ++n) {
    b.establish(n, session_of_ue(kFirstUe + n), table_second(n));
    b.table.make_stale(kCpAt, table_second(n));
    b.table.make_stale(kCpAt, table_second(n));
  }
  EXPECT_EQ(b.table.size(), 2u);
  EXPECT_TRUE(b.sink.sessions.contains("0.0.0.1/0x5#6"));
}

TEST(PfcpSessionTable, SinkThatIsFullKeepsTheTableFromHoldingTheSession) {
  TableBench b;
  b.sink.most = 0;
  EXPECT_EQ(b.establish(5, session_of_ue(kFirstUe), table_second(1)), nullptr);
  EXPECT_EQ(b.table.size(), 0u);
  EXPECT_EQ(b.up(5), nullptr);
}

TEST(PfcpSessionTable, RulesOfAllSessionsAreBounded) {
  TableBench b;
  b.settings.rules = 3;
  Record* const record = b.establish(5, session_of_ue(kFirstUe), table_second(1));
  EXPECT_EQ(b.establish(6, session_of_ue(kFirstUe + 1), table_second(1)), nullptr);
  EXPECT_EQ(b.table.rules(), 2u);
  EXPECT_EQ(b.table.modify(*record, session_of_ue(kFirstUe, 7), nullptr, table_second(2)),
            SessionTable::Outcome::applied);
  EXPECT_EQ(b.table.modify(*record, with_ipv6(kFirstUe, 1ull << 61), nullptr, table_second(2)),
            SessionTable::Outcome::applied);
  EXPECT_EQ(b.table.rules(), 3u);
}

TEST(PfcpSessionTable, SetsAndPairsEndTogether) {
  TableBench b;
  SessionEdit edit = session_of_ue(kFirstUe);
  edit.sets.push_back({0, kCpAt, 9});
  b.establish(5, edit, table_second(1));
  b.establish(6, session_of_ue(kFirstUe + 1), table_second(1));
  b.establish(7, session_of_ue(kFirstUe + 2), table_second(1), kOtherUpAt);
  b.table.end_set({0, kCpAt, 8}, table_second(2));
  EXPECT_EQ(b.table.live(), 3u);
  b.table.end_set({0, kCpAt, 9}, table_second(2));
  EXPECT_EQ(b.table.live(), 2u);
  b.table.end_all(kUpAt, kCpAt, table_second(2));
  EXPECT_EQ(b.table.live(), 1u);
}

TEST(PfcpSessionTable, SessionThatLosesItsLastAddressLeavesTheSink) {
  TableBench b;
  Record* const record = b.establish(5, session_of_ue(kFirstUe), table_second(1));
  b.table.modify(*record, *read_session_edit(ie(15, test::pdr_id(1))), nullptr, table_second(2));
  EXPECT_TRUE(b.sink.sessions.empty());
  EXPECT_EQ(b.table.size(), 1u);
}

}  // namespace
}  // namespace control::told::pfcp
