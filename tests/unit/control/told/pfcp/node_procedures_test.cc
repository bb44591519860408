// Associations, heartbeats and restarts, through the source.
#include "control/told/pfcp/node_procedures.h"

#include <gtest/gtest.h>

#include "control/told/pfcp/pfcp_source.h"
#include "tests/support/told/pfcp_core.h"
#include "tests/support/told/recording_sink.h"

namespace control::told::pfcp {
namespace {

using test::ie;
using test::joined;
using test::message;

constexpr std::uint32_t kUeAddress = 0x0a2d0002;

struct NodeBench {
  PfcpSettings settings;
  test::RecordingSink sink;
  PfcpSource source{settings, sink};
  test::PfcpWire wire{source};

  NodeBench() {
    wire.associate(0, 1, 100, 200);
    wire.establish(10, 2, 1, kUeAddress, 5000);
  }
  SessionState state() const { return sink.sessions.begin()->second.state; }
};

TEST(PfcpNodes, HeartbeatWithALaterTimeStampMakesSessionsStale) {
  for (const bool of_upf : {false, true}) {
    NodeBench b;
    const std::uint32_t since = of_upf ? 200 : 100;
    const auto heartbeat = [&](std::int64_t ms, std::uint32_t sequence, std::uint32_t seconds) {
      const auto bytes = message(of_upf ? 2 : 1, {}, sequence, test::recovery(seconds));
      of_upf ? b.wire.to_smf(ms, bytes) : b.wire.to_upf(ms, bytes);
    };
    heartbeat(1500, 50, since);
    EXPECT_EQ(b.state(), SessionState::live);
    heartbeat(2500, 51, since + 1);
    EXPECT_EQ(b.state(), SessionState::stale);
    b.source.advance(test::at_ms(32'499));
    EXPECT_EQ(b.sink.sessions.size(), 1u);
    b.source.advance(test::at_ms(32'500));
    EXPECT_TRUE(b.sink.sessions.empty());
  }
}

TEST(PfcpNodes, RestoringSmfKeepsTheBearerOfEachUe) {
  NodeBench b;
  b.wire.associate(5000, 1, 101, 200);
  EXPECT_EQ(b.state(), SessionState::stale);
  b.sink.calls.clear();
  b.wire.establish(6000, 2, 1, kUeAddress, 5000);
  ASSERT_EQ(b.sink.calls.size(), 2u)
      << "equal octets of a CP function that counts anew are no retransmission";
  EXPECT_EQ(b.sink.calls[0].substr(0, 4), "put ");
  EXPECT_EQ(b.sink.calls[1].substr(0, 7), "remove ");
  EXPECT_EQ(b.state(), SessionState::live);
  b.source.advance(test::at_ms(100'000));
  EXPECT_EQ(b.sink.sessions.size(), 1u);
}

TEST(PfcpNodes, RetentionThatIsAskedAndGrantedKeepsSessionsLive) {
  for (const bool asked : {false, true}) {
    for (const bool granted : {false, true}) {
      NodeBench b;
      const auto retention = asked ? ie(183, test::Octets{}) : test::Octets{};
      const auto flags = granted ? ie(184, test::number(1, 1)) : test::Octets{};
      b.wire.to_upf(5000, message(5, {}, 9, joined({test::recovery(101), retention})));
      b.wire.to_smf(5001, message(6, {}, 9, joined({test::cause(1), test::recovery(200), flags})));
      EXPECT_EQ(b.state(), asked && granted ? SessionState::live : SessionState::stale) << asked << granted;
    }
  }
}

TEST(PfcpNodes, RejectedSetupChangesNothing) {
  NodeBench b;
  b.wire.to_upf(5000, message(5, {}, 9, test::recovery(101)));
  b.wire.to_smf(5001, message(6, {}, 9, test::cause(64)));
  EXPECT_EQ(b.state(), SessionState::live);
}

TEST(PfcpNodes, SetupWhoseResponseIsLostCountsBeforeTheSessionsThatFollowIt) {
  NodeBench b;
  b.wire.to_upf(5000, message(5, {}, 9, test::recovery(101)));
  b.wire.establish(5100, 10, 7, kUeAddress + 1, 6000);
  b.source.advance(test::at_ms(10'000));
  EXPECT_EQ(b.sink.live(dp::ue_ipv4(kUeAddress)), nullptr);
  EXPECT_NE(b.sink.live(dp::ue_ipv4(kUeAddress + 1)), nullptr);
}

TEST(PfcpNodes, SetupOfAnotherPairLeavesTheSessions) {
  NodeBench b;
  const Endpoint other{0, test::kSmf + 7, 8805, false};
  b.wire.send(5000, other, test::kUpfEnd, message(5, {}, 1, test::recovery(300)));
  b.wire.send(5001, test::kUpfEnd, other, message(6, {}, 1, joined({test::cause(1), test::recovery(200)})));
  EXPECT_EQ(b.state(), SessionState::live);
}

TEST(PfcpNodes, ReleasedAssociationEndsItsSessions) {
  NodeBench b;
  b.wire.to_upf(5000, message(9, {}, 9, test::node_id(test::kSmf)));
  b.wire.to_smf(5001, message(10, {}, 9, test::cause(1)));
  EXPECT_EQ(b.state(), SessionState::ending);
  EXPECT_EQ(b.source.advance(test::at_ms(6000)), test::at_ms(7001));
}

TEST(PfcpNodes, ReleasedAssociationEndsStaleSessionsToo) {
  NodeBench b;
  b.wire.to_upf(5000, message(5, {}, 9, test::recovery(101)));
  b.wire.to_smf(5001, message(6, {}, 9, joined({test::cause(1), test::recovery(200)})));
  ASSERT_EQ(b.state(), SessionState::stale);
  b.wire.to_upf(6000, message(9, {}, 10, test::node_id(test::kSmf)));
  b.wire.to_smf(6001, message(10, {}, 10, test::cause(1)));
  EXPECT_EQ(b.state(), SessionState::ending);
  EXPECT_EQ(b.source.advance(test::at_ms(7000)), test::at_ms(8001));
}

TEST(PfcpNodes, DeletedSetEndsItsSessions) {
  NodeBench b;
  const auto set = ie(65, {test::number(1, 1), test::number(test::kSmf, 4), test::number(5, 2)});
  b.wire.to_upf(100, message(50, 0, 3, joined({test::establishment(2, kUeAddress + 1, 5000), set})));
  b.wire.to_smf(101, message(51, 2, 3, test::accepted_with(0x1002)));
  b.wire.to_upf(5000, message(14, {}, 9, joined({test::node_id(test::kSmf), set})));
  b.wire.to_smf(5001, message(15, {}, 9, test::cause(1)));
  EXPECT_NE(b.sink.live(dp::ue_ipv4(kUeAddress)), nullptr);
  EXPECT_EQ(b.sink.live(dp::ue_ipv4(kUeAddress + 1)), nullptr);
}

}  // namespace
}  // namespace control::told::pfcp
