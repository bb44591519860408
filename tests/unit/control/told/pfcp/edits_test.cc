#include "control/told/pfcp/edits.h"

#include <gtest/gtest.h>

#include "tests/support/told/pfcp_messages.h"

namespace control::told::pfcp {
namespace {

using test::ie;
using test::Octets;

TEST(PfcpEdits, CreatedRulesAreReadWithTheirFields) {
  const auto pdi = ie(2, {test::source_interface(1), test::ue_ipv4(0x0a2d0002), test::f_teid(7, 8),
                          ie(131, test::number(3, 1))});
  const auto edit = read_session_edit(test::joined(
      {test::f_seid(9, 1),
       ie(1, {test::pdr_id(4), test::precedence(5), pdi, test::far_id(6), test::qer_id(0), test::qer_id(2)}),
       ie(3, {test::far_id(6), test::apply_action(2),
              ie(4, {test::destination_interface(0), test::outer_header(0x21, 3)})}),
       ie(7, {test::qer_id(0), test::gate_status(1, 0), test::mbr(1, 2), test::qfi(9)})}));
  ASSERT_TRUE(edit);
  EXPECT_EQ(edit->cp->seid, 9u);
  ASSERT_EQ(edit->pdrs.created.size(), 1u);
  const PdrEdit& pdr = edit->pdrs.created[0];
  EXPECT_EQ(pdr.id, 4);
  EXPECT_EQ(**pdr.precedence, 5u);
  EXPECT_EQ(**pdr.source, 1);
  EXPECT_EQ((*pdr.ue)->ipv4, dp::ue_ipv4(0x0a2d0002));
  EXPECT_EQ((*pdr.local)->teid, 7u);
  EXPECT_EQ(**pdr.endpoint, 3);
  EXPECT_EQ(*pdr.qers, (std::vector<std::uint32_t>{0, 2})) << "a QER ID of 0 is legal";
  EXPECT_EQ((*edit->fars.created[0].outer)->teid, 0x21u);
  EXPECT_EQ(**edit->qers.created[0].qfi, 9);
  EXPECT_FALSE((*edit->qers.created[0].gates)->uplink_open);
}

TEST(PfcpEdits, ElementOfLengthZeroRemovesAndAnAbsentOneSaysNothing) {
  const auto edit = read_session_edit(ie(14, {test::qer_id(1), ie(26, Octets{})}));
  ASSERT_TRUE(edit);
  const QerEdit& qer = edit->qers.updated[0];
  ASSERT_TRUE(qer.mbr);
  EXPECT_FALSE(*qer.mbr);
  EXPECT_FALSE(qer.gates);
}

TEST(PfcpEdits, QersOfAPdrAreRemovedByAnElementOfLengthZero) {
  const auto edit = read_session_edit(ie(9, {test::pdr_id(1), ie(109, Octets{})}));
  ASSERT_TRUE(edit->pdrs.updated[0].qers);
  EXPECT_TRUE(edit->pdrs.updated[0].qers->empty());
}

TEST(PfcpEdits, ApplyActionHasOneOctetOrTwo) {
  const auto edit =
      read_session_edit(test::joined({ie(10, {test::far_id(1), ie(44, test::number(4, 1))}),
                                      ie(10, {test::far_id(2), ie(44, test::number(0x0c01, 2))})}));
  EXPECT_EQ(**edit->fars.updated[0].action, 4);
  EXPECT_EQ(**edit->fars.updated[1].action, 0x0c);
}

TEST(PfcpEdits, ValueWithTooFewOctetsCountsAsNotNamed) {
  const auto edit =
      read_session_edit(ie(7, {test::qer_id(1), ie(26, test::number(1, 8)), test::gate_status(1, 1)}));
  ASSERT_TRUE(edit);
  EXPECT_FALSE(edit->qers.created[0].mbr);
  EXPECT_TRUE(edit->qers.created[0].gates);
}

TEST(PfcpEdits, UnknownAndEnterpriseElementsAreSkippedAtEachDepth) {
  const auto odd = test::joined({ie(0x8123, {test::number(1, 2), test::number(5, 4)}),
                                 ie(999, test::number(1, 3)), ie(95, test::number(0, 1))});
  const auto edit = read_session_edit(
      test::joined({odd, ie(1, {odd, test::pdr_id(1), ie(2, {odd, test::source_interface(0)})})}));
  ASSERT_TRUE(edit);
  EXPECT_EQ(**edit->pdrs.created[0].source, 0);
}

TEST(PfcpEdits, GroupThatExceedsItsLengthOrHasNoIdentifierIsRefused) {
  EXPECT_FALSE(read_session_edit(ie(1, {test::source_interface(0)})));
  EXPECT_FALSE(read_session_edit(ie(1, {test::pdr_id(1), test::number(2, 2), test::number(9, 2)})));
  EXPECT_FALSE(read_session_edit(ie(1, {test::pdr_id(1), ie(2, {test::number(20, 2), test::number(9, 2)})})));
  EXPECT_FALSE(read_session_edit(ie(15, ie(56, test::number(1, 1)))));
  EXPECT_FALSE(read_session_edit(ie(18, Octets{})));
}

TEST(PfcpEdits, RemovedRulesAreListed) {
  const auto edit =
      read_session_edit(test::joined({ie(15, test::pdr_id(1)), ie(16, test::far_id(2)),
                                      ie(18, test::qer_id(0)), ie(130, ie(131, test::number(4, 1)))}));
  ASSERT_TRUE(edit);
  EXPECT_EQ(edit->pdrs.removed, std::vector<std::uint16_t>{1});
  EXPECT_EQ(edit->fars.removed, std::vector<std::uint32_t>{2});
  EXPECT_EQ(edit->qers.removed, std::vector<std::uint32_t>{0});
  EXPECT_EQ(edit->endpoints.removed, std::vector<std::uint8_t>{4});
}

TEST(PfcpEdits, AnswerHasCauseFSeidAndWhatTheUpFunctionChose) {
  const auto answer = read_answer(
      test::joined({test::cause(1), test::f_seid(5, 2), test::recovery(77), ie(184, test::number(1, 1)),
                    ie(8, {test::pdr_id(1), test::f_teid(0x31, 2), test::ue_ipv4(0x0a2d0003)}),
                    ie(128, {ie(131, test::number(2, 1)), test::f_teid(0x32, 2)})}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->cause, 1);
  EXPECT_EQ(answer->up->seid, 5u);
  EXPECT_EQ(answer->recovery, 77u);
  EXPECT_TRUE(answer->retained);
  EXPECT_EQ((*answer->pdrs[0].local)->teid, 0x31u);
  EXPECT_EQ((*answer->pdrs[0].ue)->ipv4, dp::ue_ipv4(0x0a2d0003));
  EXPECT_EQ((*answer->endpoints[0].local)->teid, 0x32u);
}

TEST(PfcpEdits, NodeRequestHasTimeStampRetentionAndSets) {
  const auto set = ie(65, {test::number(1, 1), test::number(1, 4), test::number(5, 2)});
  const auto request = read_node_request(test::joined({test::recovery(77), ie(183, Octets{}), set}));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->recovery, 77u);
  EXPECT_TRUE(request->asks_retention);
  EXPECT_EQ(request->sets.size(), 1u);
}

}  // namespace
}  // namespace control::told::pfcp
