// The source with requests and responses as they come, and as cores send them.
#include "control/told/pfcp/pfcp_source.h"

#include <gtest/gtest.h>

#include "tests/support/told/pfcp_core.h"
#include "tests/support/told/recording_sink.h"

namespace control::told {
namespace {

using test::ie;
using test::joined;
using test::message;

constexpr std::uint32_t kUeOne = 0x0a2d0002, kUeTwo = 0x0a2d0003;

struct SourceBench {
  PfcpSettings settings;
  test::RecordingSink sink;
  PfcpSource source{settings, sink};
  test::PfcpWire wire{source};

  explicit SourceBench(const PfcpSettings& s = {}) : settings(s) {}
  std::uint64_t count(std::string_view kind, std::string_view result) const {
    const auto found = source.counts().find({kind, result});
    return found == source.counts().end() ? 0 : found->second;
  }
  const Session* live(std::uint32_t ue) const { return sink.live(dp::ue_ipv4(ue)); }
  std::uint64_t rate(std::uint32_t ue) const {
    const Session* const session = live(ue);
    return session == nullptr ? 0 : session->downlink.bit_per_s.value_or(0);
  }
};

TEST(PfcpSource, EstablishmentCountsWhenItsResponseAcceptsIt) {
  SourceBench b;
  b.wire.to_upf(0, message(50, 0, 7, test::establishment(1, kUeOne, 5000)));
  EXPECT_TRUE(b.sink.calls.empty());
  b.wire.to_smf(20, message(51, 1, 7, test::accepted_with(0x1001)));
  EXPECT_EQ(b.rate(kUeOne), 5'000'000u);
  EXPECT_EQ(b.sink.last_told, test::at_ms(20));
  EXPECT_EQ(b.count("session_establishment", "applied"), 1u);
  EXPECT_EQ(b.live(kUeOne)->to_core, (dp::TunnelKey{0, test::kUpf, 0x11, false}));
}

TEST(PfcpSource, RejectedEstablishmentChangesNothing) {
  SourceBench b;
  b.wire.to_upf(0, message(50, 0, 7, test::establishment(1, kUeOne, 5000)));
  b.wire.to_smf(20, message(51, 1, 7, test::cause(64)));
  b.source.advance(test::at_ms(5000));
  EXPECT_TRUE(b.sink.calls.empty());
  EXPECT_EQ(b.count("session_establishment", "rejected"), 1u);
}

TEST(PfcpSource, FTeidThatTheUpFunctionChoosesIsThatOfItsResponse) {
  SourceBench b;
  b.wire.to_upf(0, message(50, 0, 7, test::establishment(1, kUeOne, 5000, std::nullopt)));
  const auto created = ie(8, {test::pdr_id(1), test::f_teid(0x77, test::kUpf)});
  b.wire.to_smf(1, message(51, 1, 7, joined({test::accepted_with(0x1001), created})));
  EXPECT_EQ(b.live(kUeOne)->to_core->teid, 0x77u);
}

TEST(PfcpSource, RequestWithoutAResponseIsAssumedAfterASecond) {
  SourceBench b;
  b.wire.to_upf(100, message(50, 0, 7, test::establishment(1, kUeOne, 5000)));
  EXPECT_EQ(b.source.advance(test::at_ms(1099)), test::at_ms(1100));
  EXPECT_TRUE(b.sink.calls.empty());
  EXPECT_EQ(b.source.advance(test::at_ms(1100)), dp::kNever);
  EXPECT_EQ(b.rate(kUeOne), 5'000'000u);
  EXPECT_EQ(b.count("session_establishment", "assumed"), 1u);
}

TEST(PfcpSource, LateResponseGivesAnAssumedSessionItsSeid) {
  SourceBench b;
  b.wire.to_upf(0, message(50, 0, 7, test::establishment(1, kUeOne, 5000, std::nullopt)));
  const auto created = ie(8, {test::pdr_id(1), test::f_teid(0x77, test::kUpf)});
  b.wire.to_smf(2000, message(51, 1, 7, joined({test::accepted_with(0x1001), created})));
  EXPECT_EQ(b.count("session_establishment", "late"), 1u);
  EXPECT_EQ(b.live(kUeOne)->to_core->teid, 0x77u);
  b.wire.modify(3000, 8, 1, test::new_rate(6000));
  EXPECT_EQ(b.rate(kUeOne), 6'000'000u);
}

TEST(PfcpSource, LateRejectionTakesAnAssumedSessionBack) {
  SourceBench b;
  b.wire.to_upf(0, message(50, 0, 7, test::establishment(1, kUeOne, 5000)));
  b.source.advance(test::at_ms(1000));
  EXPECT_NE(b.live(kUeOne), nullptr);
  b.wire.to_smf(2000, message(51, 1, 7, test::cause(64)));
  EXPECT_TRUE(b.sink.sessions.empty());
}

TEST(PfcpSource, LostResponseToAnEstablishmentIsMadeUpForByThatToAModification) {
  for (const int wait : {100, 5000}) {
    SourceBench b;
    b.wire.to_upf(0, message(50, 0, 7, test::establishment(1, kUeOne, 5000)));
    b.wire.modify(wait, 8, 1, test::new_tunnel(0x21));
    ASSERT_NE(b.live(kUeOne), nullptr) << wait;
    EXPECT_EQ(b.live(kUeOne)->to_radio->teid, 0x21u) << wait;
    b.wire.erase(wait + 100, 9, 1);
    EXPECT_EQ(b.live(kUeOne), nullptr) << wait;
    EXPECT_EQ(b.count("session_modification", "unknown_session"), 0u) << wait;
  }
}

TEST(PfcpSource, ModificationWithALostResponseCountsBeforeTheNextOfItsSession) {
  SourceBench b;
  b.wire.establish(0, 7, 1, kUeOne, 5000);
  b.wire.to_upf(100, message(52, 0x1001, 8, test::new_rate(6000)));
  b.wire.modify(200, 9, 1, test::new_rate(7000));
  EXPECT_EQ(b.rate(kUeOne), 7'000'000u);
  b.source.advance(test::at_ms(5000));
  EXPECT_EQ(b.rate(kUeOne), 7'000'000u);
  EXPECT_EQ(b.count("session_modification", "assumed"), 1u);
}

TEST(PfcpSource, RetransmissionIsTheSameAndANewRequestOfItsSequenceIsNot) {
  SourceBench b;
  const auto request = message(50, 0, 7, test::establishment(1, kUeOne, 5000));
  const auto response = message(51, 1, 7, test::accepted_with(0x1001));
  b.wire.to_upf(0, request);
  b.wire.to_upf(1, request);
  b.wire.to_smf(2, response);
  b.wire.to_upf(3, request);
  b.wire.to_smf(4, response);
  EXPECT_EQ(b.sink.calls.size(), 1u);
  EXPECT_EQ(b.count("session_establishment", "repeated"), 3u);
  b.wire.establish(10, 7, 2, kUeTwo, 5000);
  EXPECT_EQ(b.sink.sessions.size(), 2u);
}

TEST(PfcpSource, SequenceIsNewAfterAMinute) {
  SourceBench b;
  b.wire.establish(0, 7, 1, kUeOne, 5000);
  b.wire.erase(100, 8, 1);
  b.wire.establish(60'000, 7, 1, kUeOne, 5000);
  EXPECT_EQ(b.rate(kUeOne), 5'000'000u);
}

TEST(PfcpSource, ResponsesMeetTheirRequestsByPortToo) {
  SourceBench b;
  Endpoint other = test::kSmfEnd;
  other.port = 40000;
  b.wire.send(0, other, test::kUpfEnd, message(50, 0, 7, test::establishment(1, kUeOne, 5000)));
  b.wire.to_smf(1, message(51, 1, 7, test::accepted_with(0x1001)));
  EXPECT_EQ(b.count("session_establishment", "unmatched"), 1u);
  b.wire.send(2, test::kUpfEnd, other, message(51, 1, 7, test::accepted_with(0x1001)));
  EXPECT_EQ(b.count("session_establishment", "applied"), 1u);
}

TEST(PfcpSource, ResponseOfAnotherKindIsUnmatched) {
  SourceBench b;
  b.wire.to_upf(0, message(50, 0, 7, test::establishment(1, kUeOne, 5000)));
  b.wire.to_smf(1, message(53, 1, 7, test::cause(1)));
  EXPECT_EQ(b.count("session_modification", "unmatched"), 1u);
  EXPECT_TRUE(b.sink.calls.empty());
}

TEST(PfcpSource, ModificationOfAnUnknownSessionIsCountedAndChangesNothing) {
  SourceBench b;
  b.wire.establish(0, 7, 1, kUeOne, 5000);
  b.wire.modify(100, 8, 2, test::new_rate(6000));
  EXPECT_EQ(b.count("session_modification", "unknown_session"), 1u);
  EXPECT_EQ(b.rate(kUeOne), 5'000'000u);
}

TEST(PfcpSource, UpFunctionThatDoesNotKnowASessionMakesItStale) {
  SourceBench b;
  b.wire.establish(0, 7, 1, kUeOne, 5000);
  b.wire.to_upf(100, message(52, 0x1001, 8, test::new_rate(6000)));
  b.wire.to_smf(101, message(53, 1, 8, test::cause(65)));
  EXPECT_EQ(b.sink.sessions.begin()->second.state, SessionState::stale);
}

TEST(PfcpSource, NewCpFSeidOfAModificationLeavesTheSessionUnderItsUpFSeid) {
  SourceBench b;
  b.wire.establish(0, 7, 1, kUeOne, 5000);
  const Endpoint other{0, test::kSmf + 9, 8805, false};
  const auto ies = joined({test::f_seid(0x55, test::kSmf + 9), test::new_rate(6000)});
  b.wire.send(100, other, test::kUpfEnd, message(52, 0x1001, 1, ies));
  b.wire.send(101, test::kUpfEnd, other, message(53, 0x55, 1, test::cause(1)));
  EXPECT_EQ(b.rate(kUeOne), 6'000'000u);
  b.wire.send(200, other, test::kUpfEnd, message(54, 0x1001, 2, {}));
  b.wire.send(201, test::kUpfEnd, other, message(55, 0x55, 2, test::cause(1)));
  EXPECT_EQ(b.live(kUeOne), nullptr);
}

TEST(PfcpSource, IdleUeIsHeldUntilItsTunnelIsBack) {
  SourceBench b;
  b.wire.establish(0, 7, 1, kUeOne, 5000);
  b.wire.modify(100, 8, 1, test::new_tunnel(0x21));
  EXPECT_EQ(b.live(kUeOne)->to_radio->teid, 0x21u);
  b.wire.modify(200, 9, 1, ie(10, {test::far_id(2), test::apply_action(4 | 8)}));
  EXPECT_TRUE(b.live(kUeOne)->idle);
  b.wire.modify(300, 10, 1, test::new_tunnel(0x22));
  EXPECT_FALSE(b.live(kUeOne)->idle);
  EXPECT_EQ(b.live(kUeOne)->to_radio->teid, 0x22u);
}

TEST(PfcpSource, PfcpsimsModificationOfFarsLeavesTheRates) {
  SourceBench b;
  b.wire.establish(0, 7, 1, kUeOne, 5000);
  b.wire.modify(100, 8, 1, test::new_tunnel(0x21));
  EXPECT_EQ(b.rate(kUeOne), 5'000'000u);
}

TEST(PfcpSource, Open5gssOuterHeaderRemovalOfOneOctetIsNoFault) {
  SourceBench b;
  const auto pdr = ie(1, {test::pdr_id(3), ie(95, test::number(0, 1)), ie(2, test::source_interface(0))});
  b.wire.to_upf(0, message(50, 0, 7, joined({test::establishment(1, kUeOne, 5000), pdr})));
  b.wire.to_smf(1, message(51, 1, 7, test::accepted_with(0x1001)));
  EXPECT_EQ(b.count("session_establishment", "applied"), 1u);
}

TEST(PfcpSource, MessagesThatShareADatagramAreReadOneByOne) {
  SourceBench b;
  b.wire.to_upf(0, joined({message(50, 0, 7, test::establishment(1, kUeOne, 5000), true),
                           message(50, 0, 8, test::establishment(2, kUeTwo, 6000))}));
  b.wire.to_smf(1, joined({message(51, 2, 8, test::accepted_with(0x1002), true),
                           message(51, 1, 7, test::accepted_with(0x1001))}));
  EXPECT_EQ(b.rate(kUeOne), 5'000'000u);
  EXPECT_EQ(b.rate(kUeTwo), 6'000'000u);
}

TEST(PfcpSource, MalformedMessagesAndOtherVersionsAreCounted) {
  SourceBench b;
  b.wire.to_upf(0, test::number(0x20, 1));
  b.wire.to_upf(2, joined({test::number(0x4132, 2), test::number(12, 2), test::number(0, 12)}));
  EXPECT_EQ(b.count("datagram", "malformed"), 1u);
  EXPECT_EQ(b.count("datagram", "version"), 1u);
  b.wire.to_upf(3, message(50, 0, 7, joined({test::f_seid(1, 2), ie(1, test::number(1, 3))})));
  b.wire.to_smf(4, message(51, 1, 7, test::accepted_with(5)));
  EXPECT_EQ(b.count("session_establishment", "malformed"), 1u);
}

TEST(PfcpSource, MessagesThatChangeNoSessionAreSeen) {
  SourceBench b;
  b.wire.to_upf(0, message(1, {}, 1, test::recovery(5)));
  b.wire.to_upf(1, message(3, {}, 2, {}));
  b.wire.to_smf(2, message(56, 1, 1, {}));
  EXPECT_EQ(b.count("heartbeat", "seen"), 1u);
  EXPECT_EQ(b.count("other", "seen"), 1u);
  EXPECT_EQ(b.count("session_report", "seen"), 1u);
}

TEST(PfcpSource, TimesAtBothEndsOverflowNothingAndLeaveNothingWaiting) {
  for (const dp::Time at : {dp::Time::min(), dp::kNever - dp::Duration{1}, dp::kNever}) {
    SourceBench b;
    const auto request = message(50, 0, 7, test::establishment(1, kUeOne, 5000));
    const auto response = message(51, 1, 7, test::accepted_with(0x1001));
    b.source.take({at, test::kSmfEnd, test::kUpfEnd, request});
    b.source.take({at, test::kUpfEnd, test::kSmfEnd, response});
    b.source.take({at, test::kSmfEnd, test::kUpfEnd, message(5, {}, 8, test::recovery(1))});
    b.source.take({at, test::kUpfEnd, test::kSmfEnd, message(6, {}, 8, test::cause(1))});
    b.source.take({at, test::kSmfEnd, test::kUpfEnd, request});
    EXPECT_EQ(b.source.advance(dp::kNever), dp::kNever);
    EXPECT_EQ(b.source.transactions().pending(), 0u);
  }
}

TEST(PfcpSource, PendingRequestsAreBounded) {
  PfcpSettings settings;
  settings.pending = 1;
  SourceBench b(settings);
  b.wire.to_upf(0, message(50, 0, 7, test::establishment(1, kUeOne, 5000)));
  b.wire.to_upf(0, message(50, 0, 8, test::establishment(2, kUeTwo, 5000)));
  EXPECT_EQ(b.count("session_establishment", "full"), 1u);
  EXPECT_EQ(b.source.transactions().pending(), 1u);
}

}  // namespace
}  // namespace control::told
