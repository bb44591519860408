#include "control/told/pfcp/rule_set.h"

#include <gtest/gtest.h>

#include "tests/support/told/pfcp_messages.h"

namespace control::told::pfcp {
namespace {

using test::ie;
using test::Octets;

constexpr std::size_t kManyRules = 100;

SessionEdit edit_of(std::initializer_list<Octets> parts) { return *read_session_edit(test::joined(parts)); }
Answer answer_of(std::initializer_list<Octets> parts) { return *read_answer(test::joined(parts)); }
Octets pdr_with_qers(unsigned id, unsigned qers) {
  return ie(1, {test::pdr_id(id), test::repeated(test::qer_id(1), qers)});
}

TEST(PfcpRuleSet, UpdateChangesOnlyWhatItNames) {
  RuleSet rules;
  ASSERT_TRUE(rules.apply(
      edit_of({ie(7, {test::qer_id(1), test::mbr(10, 20), test::qfi(5)}),
               ie(1, {test::pdr_id(1), ie(2, {test::source_interface(1), test::ue_ipv4(0x0a2d0002)}),
                      test::far_id(3)})}),
      kManyRules));
  ASSERT_TRUE(rules.apply(
      edit_of({ie(14, {test::qer_id(1), test::mbr(30, 40)}), ie(9, {test::pdr_id(1), ie(2, test::qfi(7))})}),
      kManyRules));
  EXPECT_EQ(rules.qer(1)->mbr->uplink, 30u);
  EXPECT_EQ(rules.qer(1)->qfi, 5);
  const Pdr& pdr = rules.pdrs().at(1);
  EXPECT_EQ(pdr.qfi, 7);
  EXPECT_EQ(pdr.source, 1) << "a PDI is merged";
  EXPECT_TRUE(pdr.ue->ipv4);
}

TEST(PfcpRuleSet, ElementOfLengthZeroRemovesAField) {
  RuleSet rules;
  rules.apply(edit_of({ie(7, {test::qer_id(1), test::mbr(10, 20), test::qfi(5)})}), kManyRules);
  rules.apply(edit_of({ie(14, {test::qer_id(1), ie(26, Octets{})})}), kManyRules);
  EXPECT_FALSE(rules.qer(1)->mbr);
  EXPECT_EQ(rules.qer(1)->qfi, 5);
}

TEST(PfcpRuleSet, CreatedRuleReplacesOneOfItsIdentifier) {
  RuleSet rules;
  rules.apply(edit_of({ie(7, {test::qer_id(0), test::mbr(10, 20), test::qfi(5)})}), kManyRules);
  rules.apply(edit_of({ie(18, test::qer_id(0)), ie(7, {test::qer_id(0), test::qfi(6)})}), kManyRules);
  EXPECT_FALSE(rules.qer(0)->mbr);
  EXPECT_EQ(rules.qer(0)->qfi, 6);
  rules.apply(edit_of({ie(18, test::qer_id(0))}), kManyRules);
  EXPECT_EQ(rules.qer(0), nullptr);
}

TEST(PfcpRuleSet, UpdateOfARuleThatIsNotThereMakesIt) {
  RuleSet rules;
  rules.apply(edit_of({ie(10, {test::far_id(4), ie(11, test::outer_header(0x21, 3))})}), kManyRules);
  ASSERT_NE(rules.far(4), nullptr);
  EXPECT_EQ(rules.far(4)->outer->teid, 0x21u);
}

TEST(PfcpRuleSet, ForwardingParametersOfLengthZeroRemoveTheTunnel) {
  RuleSet rules;
  rules.apply(edit_of({ie(3, {test::far_id(4), ie(4, test::outer_header(0x21, 3))})}), kManyRules);
  rules.apply(edit_of({ie(10, {test::far_id(4), ie(11, Octets{})})}), kManyRules);
  EXPECT_FALSE(rules.far(4)->outer);
}

TEST(PfcpRuleSet, ChangeThatExceedsTheBoundChangesNothing) {
  RuleSet rules;
  ASSERT_TRUE(rules.apply(edit_of({pdr_with_qers(1, 1)}), 2));
  EXPECT_FALSE(rules.apply(
      edit_of({ie(15, test::pdr_id(1)), pdr_with_qers(2, 1), pdr_with_qers(3, 1), pdr_with_qers(4, 1)}), 2));
  EXPECT_EQ(rules.size(), 1u);
  EXPECT_TRUE(rules.pdrs().contains(1));
  EXPECT_FALSE(rules.apply(edit_of({pdr_with_qers(2, Pdr::kMostQers + 1)}), kManyRules));
  EXPECT_TRUE(rules.apply(edit_of({pdr_with_qers(2, Pdr::kMostQers)}), kManyRules));
}

TEST(PfcpRuleSet, ChosenFTeidIsThatOfTheResponse) {
  RuleSet rules;
  rules.apply(edit_of({ie(1, {test::pdr_id(1), ie(2, test::f_teid_choose())})}), kManyRules);
  EXPECT_TRUE(rules.pdrs().at(1).local->choose);
  rules.apply(answer_of(
      {ie(8, {test::pdr_id(1), test::f_teid(0x31, 2)}), ie(8, {test::pdr_id(9), test::f_teid(0x39, 2)})}));
  EXPECT_EQ(rules.pdrs().at(1).local->teid, 0x31u);
  EXPECT_EQ(rules.size(), 1u) << "an unknown PDR is not made";
}

TEST(PfcpRuleSet, PdrsOfOneChooseIdHaveOneFTeid) {
  RuleSet rules;
  rules.apply(edit_of({ie(1, {test::pdr_id(1), ie(2, test::f_teid_choose(5))}),
                       ie(1, {test::pdr_id(2), ie(2, test::f_teid_choose(5))}),
                       ie(1, {test::pdr_id(3), ie(2, test::f_teid_choose(6))})}),
              kManyRules);
  rules.apply(answer_of({ie(8, {test::pdr_id(1), test::f_teid(0x31, 2)})}));
  EXPECT_EQ(rules.pdrs().at(2).local->teid, 0x31u);
  EXPECT_TRUE(rules.pdrs().at(3).local->choose);
}

TEST(PfcpRuleSet, TrafficEndpointTakesItsChoiceFromTheResponse) {
  RuleSet rules;
  rules.apply(
      edit_of({ie(127, {ie(131, test::number(2, 1)), test::f_teid_choose(), test::ue_ipv4(0x0a2d0002)})}),
      kManyRules);
  rules.apply(answer_of({ie(128, {ie(131, test::number(2, 1)), test::f_teid(0x32, 2)})}));
  EXPECT_EQ(rules.endpoint(2)->local->teid, 0x32u);
  EXPECT_TRUE(rules.endpoint(2)->ue->ipv4);
  EXPECT_EQ(rules.endpoint(std::nullopt), nullptr);
}

}  // namespace
}  // namespace control::told::pfcp
