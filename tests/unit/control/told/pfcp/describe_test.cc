#include "control/told/pfcp/describe.h"

#include <gtest/gtest.h>

#include "tests/support/told/pfcp_messages.h"

namespace control::told::pfcp {
namespace {

using test::ie;
using test::Octets;

constexpr std::uint32_t kUe = 0x0a2d0002, kUpf = 0xc0000202, kGnb = 0xc0000203;
constexpr std::uint64_t kNoRate = ~std::uint64_t{0};

Session session_of(std::initializer_list<Octets> parts) {
  RuleSet rules;
  EXPECT_TRUE(rules.apply(*read_session_edit(test::joined(parts)), 1000));
  Session session;
  describe(rules, session);
  return session;
}

std::uint64_t rate_of(const Way& way) { return way.bit_per_s.value_or(kNoRate); }

Octets qers(std::initializer_list<unsigned> ids) {
  Octets all;
  for (const unsigned id : ids) all = test::joined({all, test::qer_id(id)});
  return all;
}
Octets downlink(unsigned id, unsigned far, std::initializer_list<unsigned> ids, unsigned order = 255) {
  const auto pdi = ie(2, {test::source_interface(1), test::ue_ipv4(kUe)});
  return ie(1, {test::pdr_id(id), test::precedence(order), pdi, test::far_id(far), qers(ids)});
}
Octets uplink(unsigned id, unsigned far, std::initializer_list<unsigned> ids, unsigned order = 255) {
  const auto pdi = ie(2, {test::source_interface(0), test::f_teid(0x11, kUpf)});
  return ie(1, {test::pdr_id(id), test::precedence(order), pdi, test::far_id(far), qers(ids)});
}
Octets to_access(unsigned id, unsigned action, const Octets& outer) {
  return ie(3,
            {test::far_id(id), test::apply_action(action), ie(4, {test::destination_interface(0), outer})});
}
Octets to_core(unsigned id) {
  return ie(3, {test::far_id(id), test::apply_action(2), ie(4, test::destination_interface(1))});
}
Octets qer(unsigned id, const Octets& more) { return ie(7, {test::qer_id(id), more}); }

TEST(PfcpDescribe, LimitOfTheSessionIsTheLeastOfTheQersOfAllPdrs) {
  const auto s = session_of({downlink(1, 1, {1, 2}), uplink(2, 2, {1, 2}), qer(1, test::mbr(5000, 9000)),
                             qer(2, test::mbr(7000, 8000))});
  EXPECT_EQ(rate_of(s.uplink), 5'000'000u);
  EXPECT_EQ(rate_of(s.downlink), 8'000'000u);
}

TEST(PfcpDescribe, NoMbrIsNoLimitAndNotZero) {
  const auto s = session_of({downlink(1, 1, {1}), uplink(2, 2, {}), qer(1, test::gate_status(0, 0))});
  EXPECT_EQ(rate_of(s.uplink), kNoRate);
  EXPECT_EQ(rate_of(s.downlink), kNoRate);
  EXPECT_TRUE(s.downlink.open);
}

TEST(PfcpDescribe, MbrOfZeroIsNoLimitOfThatDirection) {
  const auto s = session_of({downlink(1, 1, {1}), uplink(2, 2, {1}), qer(1, test::mbr(0, 9000))});
  EXPECT_EQ(rate_of(s.uplink), kNoRate);
  EXPECT_EQ(rate_of(s.downlink), 9'000'000u);
}

TEST(PfcpDescribe, RatesHaveFortyBits) {
  const auto s = session_of({downlink(1, 1, {1}), qer(1, test::mbr(0, 0xffffffffff))});
  EXPECT_EQ(rate_of(s.downlink), 0xffffffffffull * 1000);
}

TEST(PfcpDescribe, ClosedGateBlocksItsDirectionOnly) {
  const auto s = session_of({downlink(1, 1, {1}), uplink(2, 2, {1}), qer(1, test::gate_status(1, 0))});
  EXPECT_FALSE(s.uplink.open);
  EXPECT_TRUE(s.downlink.open);
}

TEST(PfcpDescribe, Free5gcsAmbrQerIsTheSessionsAndItsFlowQerHasNoLimit) {
  const auto s =
      session_of({downlink(1, 1, {1, 2}), uplink(2, 2, {1, 2}), downlink(3, 1, {1, 3}, 100),
                  uplink(4, 2, {1, 3}, 100), qer(1, test::mbr(100'000, 200'000)), qer(2, test::qfi(1)),
                  qer(3, {test::joined({test::qfi(2), test::mbr(1000, 2000)})})});
  EXPECT_EQ(s.qfi, 1);
  EXPECT_EQ(rate_of(s.downlink), 200'000'000u);
  ASSERT_EQ(s.flows.size(), 1u);
  EXPECT_EQ(s.flows[0].qfi, 2);
  EXPECT_EQ(rate_of(s.flows[0].uplink), 1'000'000u);
  EXPECT_EQ(rate_of(s.flows[0].downlink), 2'000'000u);
}

TEST(PfcpDescribe, FlowWhoseQerHasNoMbrKeepsTheSessionsLimit) {
  const auto s = session_of({downlink(1, 1, {1, 2}), downlink(3, 1, {1, 3}, 100), qer(1, test::mbr(100, 200)),
                             qer(2, test::qfi(1)), qer(3, test::qfi(2))});
  EXPECT_EQ(rate_of(s.flows.at(0).downlink), 200'000u);
}

TEST(PfcpDescribe, Open5gssDefaultFlowHasTheAmbrBesideADedicatedFlow) {
  const auto s =
      session_of({downlink(1, 1, {1}, 65535), uplink(2, 2, {1}, 65535), downlink(3, 3, {2}, 10),
                  uplink(4, 2, {2}, 10), qer(1, test::joined({test::mbr(1000, 2000), test::qfi(1)})),
                  qer(2, test::joined({test::mbr(30, 40), test::qfi(2)}))});
  EXPECT_EQ(s.qfi, 1);
  EXPECT_EQ(rate_of(s.uplink), 1'000'000u);
  EXPECT_EQ(rate_of(s.downlink), 2'000'000u);
  ASSERT_EQ(s.flows.size(), 1u);
  EXPECT_EQ(rate_of(s.flows[0].downlink), 40'000u);
}

TEST(PfcpDescribe, PdrsToAndFromTheCpFunctionDoNotHideTheAmbr) {
  const auto cp_to_ue =
      ie(1, {test::pdr_id(3), test::precedence(1), ie(2, {test::source_interface(3)}), test::far_id(1)});
  const auto ue_to_cp =
      ie(1, {test::pdr_id(4), test::precedence(1), ie(2, {test::source_interface(0)}), test::far_id(9)});
  const auto far = ie(3, {test::far_id(9), test::apply_action(2), ie(4, test::destination_interface(3))});
  const auto s = session_of(
      {downlink(1, 1, {1}), uplink(2, 2, {1}), cp_to_ue, ue_to_cp, far, qer(1, test::mbr(1000, 2000))});
  EXPECT_EQ(rate_of(s.uplink), 1'000'000u);
  EXPECT_EQ(rate_of(s.downlink), 2'000'000u);
}

TEST(PfcpDescribe, PfcpsimsQerOfIdentifierZeroAndQfiZeroIsTheSessions) {
  const auto s = session_of({downlink(1, 1, {0, 1}), uplink(2, 2, {0, 1}),
                             qer(0, test::joined({test::mbr(500, 600), test::qfi(0)})),
                             qer(1, test::joined({test::mbr(900, 900), test::qfi(9)}))});
  EXPECT_EQ(rate_of(s.uplink), 500'000u);
  EXPECT_EQ(rate_of(s.downlink), 600'000u);
  EXPECT_EQ(s.qfi, 9);
  EXPECT_TRUE(s.flows.empty());
}

TEST(PfcpDescribe, WithoutQfisThePdrThatIsLookedAtLastHasTheSessionsLimit) {
  const auto s = session_of({downlink(1, 1, {1}, 255), downlink(3, 1, {2}, 10), qer(1, test::mbr(1000, 2000)),
                             qer(2, test::mbr(30, 40))});
  EXPECT_FALSE(s.qfi);
  EXPECT_TRUE(s.flows.empty());
  EXPECT_EQ(rate_of(s.downlink), 2'000'000u);
}

TEST(PfcpDescribe, AddressIsTakenFromTheDownlinkPdrAndTunnelsFromBoth) {
  const auto s = session_of(
      {downlink(1, 1, {}), uplink(2, 2, {}), to_access(1, 2, test::outer_header(0x21, kGnb)), to_core(2)});
  EXPECT_EQ(s.ues, std::vector<dp::UeAddress>{dp::ue_ipv4(kUe)});
  EXPECT_EQ(s.to_core, (dp::TunnelKey{0, kUpf, 0x11, false}));
  EXPECT_EQ(s.to_radio, (dp::TunnelKey{0, kGnb, 0x21, false}));
  EXPECT_FALSE(s.idle);
}

TEST(PfcpDescribe, DownlinkThatIsDroppedAtFirstHasNoTunnelYetAndIsNotIdle) {
  const auto s = session_of({downlink(1, 1, {}), to_access(1, 1, {})});
  EXPECT_FALSE(s.to_radio);
  EXPECT_FALSE(s.idle);
}

TEST(PfcpDescribe, BufferingIsIdleAndTheRansTunnelIsNotKnownMeanwhile) {
  const auto s = session_of({downlink(1, 1, {}), to_access(1, 4 | 8, test::outer_header(0x21, kGnb))});
  EXPECT_TRUE(s.idle);
  EXPECT_FALSE(s.to_radio);
}

TEST(PfcpDescribe, TrafficEndpointStandsForAddressAndTunnel) {
  const auto pdi = ie(2, {test::source_interface(0), ie(131, test::number(2, 1))});
  const auto s =
      session_of({ie(1, {test::pdr_id(1), pdi}),
                  ie(127, {ie(131, test::number(2, 1)), test::f_teid(0x12, kUpf), test::ue_ipv4(kUe)})});
  EXPECT_EQ(s.to_core, (dp::TunnelKey{0, kUpf, 0x12, false}));
  EXPECT_EQ(s.ues.size(), 1u);
}

TEST(PfcpDescribe, BothFamiliesOfAUeAreListedInOrder) {
  const auto pdi = ie(2, {test::source_interface(1), test::ue_ipv6(0x20010db800450002, 0)});
  const auto s = session_of({ie(1, {test::pdr_id(7), pdi}), downlink(8, 1, {})});
  EXPECT_EQ(s.ues, (std::vector<dp::UeAddress>{dp::ue_ipv4(kUe), dp::ue_ipv6_64(0x20010db800450002)}));
}

TEST(PfcpDescribe, SessionWithoutRulesHasNothing) {
  Session session;
  session.idle = true;
  session.flows.push_back({});
  describe(RuleSet{}, session);
  EXPECT_EQ(session, Session{});
}

}  // namespace
}  // namespace control::told::pfcp
