// PFCP that scapy made (pfcp_vectors.h), as open5gs, free5GC and pfcpsim send it, before control/told/pfcp.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "control/told/pfcp/pfcp_source.h"
#include "tests/oracle/pfcp_vectors.h"
#include "tests/support/told/pfcp_core.h"
#include "tests/support/told/recording_sink.h"

namespace control::test {
namespace {

Octets pfcp_vector(std::string_view name) {
  for (const PfcpVector& vector : kPfcpVectors) {
    if (vector.name != name) continue;
    const std::string hex = vector.hex;
    Octets octets;
    for (std::size_t at = 0; at < hex.size(); at += 2) {
      octets.push_back(static_cast<std::byte>(std::stoi(hex.substr(at, 2), nullptr, 16)));
    }
    return octets;
  }
  ADD_FAILURE() << "no vector " << name;
  return {};
}

class PfcpOracle : public ::testing::Test {
 protected:
  void exchange(const std::string& name) {
    now_ += 10;
    wire_.to_upf(now_, pfcp_vector(name));
    wire_.to_smf(now_ + 1, pfcp_vector(name + " answered"));
  }
  const told::Session& session_of(unsigned last) {
    static const told::Session kNone;
    const told::Session* const found = sink_.live(dp::ue_ipv4(0x0a2d0000 + last));
    EXPECT_NE(found, nullptr);
    return found == nullptr ? kNone : *found;
  }
  static dp::TunnelKey tunnel(std::uint32_t teid, std::uint32_t at) { return {0, at, teid, false}; }

  RecordingSink sink_;
  told::PfcpSource source_{{}, sink_};
  PfcpWire wire_{source_};
  std::int64_t now_ = 0;
};

TEST_F(PfcpOracle, Open5gssDefaultFlowHasTheAmbrAndItsFTeidIsChosen) {
  exchange("open5gs establishment");
  const told::Session& session = session_of(2);
  EXPECT_EQ(session.identity, "001010123456789");
  EXPECT_EQ(session.uplink.bit_per_s, 500'000'000u);
  EXPECT_EQ(session.downlink.bit_per_s, 5'000'000'000'000u) << "more than 32 bits";
  EXPECT_EQ(session.qfi, 1);
  EXPECT_TRUE(session.flows.empty());
  EXPECT_EQ(session.to_core, tunnel(0x5a, kUpf));
  EXPECT_TRUE(session.idle) << "until the RAN has its tunnel";
}

TEST_F(PfcpOracle, Open5gssModificationBringsTheTunnelOfTheRan) {
  exchange("open5gs establishment");
  exchange("open5gs modification");
  EXPECT_FALSE(session_of(2).idle);
  EXPECT_EQ(session_of(2).to_radio, tunnel(0x21, kGnb));
  EXPECT_EQ(session_of(2).uplink.bit_per_s, 500'000'000u);
}

TEST_F(PfcpOracle, Free5gcsFlowQerWithoutMbrLeavesTheAmbr) {
  exchange("free5GC establishment");
  EXPECT_EQ(session_of(3).uplink.bit_per_s, 1'000'000'000u);
  EXPECT_EQ(session_of(3).downlink.bit_per_s, 2'000'000'000u);
  EXPECT_EQ(session_of(3).qfi, 1);
  EXPECT_EQ(session_of(3).to_core, tunnel(7, kUpf));
  EXPECT_FALSE(session_of(3).to_radio);
}

TEST_F(PfcpOracle, PfcpsimsQerOfIdentifierZeroIsTheSessions) {
  exchange("pfcpsim establishment");
  EXPECT_EQ(session_of(4).uplink.bit_per_s, 50'000'000u);
  EXPECT_EQ(session_of(4).downlink.bit_per_s, 60'000'000u);
  EXPECT_FALSE(session_of(4).to_radio) << "a TEID of 0";
  exchange("pfcpsim modification");
  EXPECT_EQ(session_of(4).downlink.bit_per_s, 60'000'000u) << "no QER is touched";
  EXPECT_EQ(session_of(4).to_radio, tunnel(0x22, kGnb));
  exchange("pfcpsim deletion");
  EXPECT_EQ(sink_.sessions.begin()->second.state, told::SessionState::ending);
}

TEST_F(PfcpOracle, Ipv6UeAndItsGateAreRead) {
  exchange("IPv6 establishment");
  const dp::UeAddress ue = dp::ue_ipv6_64(0x20010db800450001);
  ASSERT_NE(sink_.live(ue), nullptr);
  EXPECT_EQ(sink_.live(ue)->downlink.bit_per_s, 0xffffffffffull * 1000);
  exchange("IPv6 gate");
  EXPECT_FALSE(sink_.live(ue)->downlink.open);
  EXPECT_TRUE(sink_.live(ue)->uplink.open);
}

TEST_F(PfcpOracle, RestartOfTheUpFunctionIsSeenInItsHeartbeat) {
  exchange("association setup");
  exchange("free5GC establishment");
  wire_.to_smf(60'000, pfcp_vector("heartbeat answered"));
  EXPECT_EQ(sink_.sessions.begin()->second.state, told::SessionState::stale);
}

TEST_F(PfcpOracle, EveryVectorIsReadWhole) {
  for (const PfcpVector& vector : kPfcpVectors) wire_.to_upf(++now_, pfcp_vector(vector.name));
  for (const auto& [key, count] : source_.counts()) EXPECT_NE(key.second, "malformed") << key.first;
}

}  // namespace
}  // namespace control::test
