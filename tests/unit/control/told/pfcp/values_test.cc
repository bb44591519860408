#include "control/told/pfcp/values.h"

#include <gtest/gtest.h>

#include "tests/support/told/pfcp_messages.h"

namespace control::told::pfcp {
namespace {

// The value of an element that a builder has made.
test::Octets value_in(const test::Octets& ie) { return {ie.begin() + 4, ie.end()}; }

// A reader that is given fewer octets than `whole` has finds nothing.
template <class Read>
void expect_whole(const test::Octets& whole, Read read) {
  ASSERT_TRUE(read(whole));
  for (std::size_t n = 0; n < whole.size(); ++n) EXPECT_FALSE(read(dp::Bytes(whole).first(n))) << n;
  const auto longer = test::joined({whole, test::number(0xff, 1)});
  EXPECT_TRUE(read(longer)) << "a later version's octets are ignored";
}

TEST(PfcpValues, MbrHasFortyBitsEachWay) {
  const auto rates = read_rates(value_in(test::mbr(0xff00000001, 0x0100000002)));
  ASSERT_TRUE(rates);
  EXPECT_EQ(rates->uplink, 0xff00000001u);
  EXPECT_EQ(rates->downlink, 0x0100000002u);
  expect_whole(value_in(test::mbr(1, 2)), read_rates);
}

TEST(PfcpValues, FSeidHasVersionFlagsTheOtherWayRoundThanFTeid) {
  const auto seid = read_f_seid(value_in(test::f_seid(7, 0xc0000201)));
  ASSERT_TRUE(seid);
  EXPECT_EQ(seid->seid, 7u);
  EXPECT_EQ(seid->at.ipv4, (Address{0, 0xc0000201, false}));
  EXPECT_FALSE(seid->at.ipv6);
  const auto both = test::joined(
      {test::number(3, 1), test::number(7, 8), test::number(1, 4), test::number(2, 8), test::number(3, 8)});
  EXPECT_EQ(read_f_seid(both)->at.ipv6, (Address{2, 3, true}));
  expect_whole(both, read_f_seid);
}

TEST(PfcpValues, FTeidIsChosenOrSaid) {
  const auto said = read_f_teid(value_in(test::f_teid(0x11, 0xc0000202)));
  EXPECT_FALSE(said->choose);
  EXPECT_EQ(said->teid, 0x11u);
  EXPECT_EQ(said->at.ipv4->lo, 0xc0000202u);
  const auto chosen = read_f_teid(value_in(test::f_teid_choose(5)));
  EXPECT_TRUE(chosen->choose);
  EXPECT_EQ(chosen->choose_id, 5);
  EXPECT_FALSE(read_f_teid(value_in(test::f_teid_choose()))->choose_id);
  expect_whole(value_in(test::f_teid(0x11, 0xc0000202)), read_f_teid);
}

TEST(PfcpValues, UeAddressIsAnIpv4AddressOrAnIpv6Prefix) {
  EXPECT_EQ(read_ue_ip(value_in(test::ue_ipv4(0x0a2d0002)))->ipv4, dp::ue_ipv4(0x0a2d0002));
  const std::uint64_t hi = 0x20010db800450001;
  EXPECT_EQ(read_ue_ip(value_in(test::ue_ipv6(hi, 5)))->ipv6, dp::ue_ipv6_64(hi));
  EXPECT_EQ(read_ue_ip(value_in(test::ue_ipv6(hi, 5, 128)))->ipv6, dp::ue_ipv6_128(hi, 5));
  EXPECT_EQ(read_ue_ip(value_in(test::ue_ipv6(hi, 5, 56)))->ipv6, dp::ue_ipv6_64(hi));
  expect_whole(value_in(test::ue_ipv6(hi, 5, 64)), read_ue_ip);
}

TEST(PfcpValues, UeAddressWithADelegatedPrefixIsRead) {
  const auto value = test::joined({test::number(1 | 2 | 8 | 0x40, 1), test::number(0x0a2d0002, 4),
                                   test::number(0x20010db800450000, 8), test::number(0, 8),
                                   test::number(4, 1), test::number(64, 1)});
  const auto ue = read_ue_ip(value);
  ASSERT_TRUE(ue);
  EXPECT_EQ(ue->ipv4, dp::ue_ipv4(0x0a2d0002));
  EXPECT_EQ(ue->ipv6, dp::ue_ipv6_64(0x20010db800450000));
  expect_whole(value, read_ue_ip);
}

TEST(PfcpValues, UeAddressThatTheUpFunctionChoosesIsNone) {
  const auto ue = read_ue_ip(test::number(0x10, 1));
  ASSERT_TRUE(ue);
  EXPECT_FALSE(ue->ipv4 || ue->ipv6);
}

TEST(PfcpValues, AddressThatNoUeCanHaveIsLeftOut) {
  EXPECT_FALSE(read_ue_ip(value_in(test::ue_ipv4(0)))->ipv4);
  EXPECT_FALSE(read_ue_ip(value_in(test::ue_ipv6(0xfe80000000000000, 1)))->ipv6);
}

TEST(PfcpValues, GatesOtherThanOpenAreClosed) {
  const auto gates = [](unsigned up, unsigned down) {
    return *read_gates(value_in(test::gate_status(up, down)));
  };
  EXPECT_TRUE(gates(0, 1).uplink_open);
  EXPECT_FALSE(gates(0, 1).downlink_open);
  EXPECT_FALSE(gates(1, 0).uplink_open);
  EXPECT_FALSE(gates(2, 3).uplink_open);
  EXPECT_FALSE(gates(2, 3).downlink_open);
}

TEST(PfcpValues, OuterHeaderOfGtpUIsReadAndOthersAreNot) {
  const auto header = read_outer_header(value_in(test::outer_header(0x21, 0xc0000203)));
  EXPECT_EQ(header->teid, 0x21u);
  EXPECT_EQ(header->at.ipv4->lo, 0xc0000203u);
  EXPECT_FALSE(
      read_outer_header(test::joined({test::number(0x400, 2), test::number(1, 4), test::number(2, 2)})));
  expect_whole(value_in(test::outer_header(0x21, 0xc0000203)), read_outer_header);
}

TEST(PfcpValues, SetsAreReadUpToTheirEnd) {
  const auto value = test::joined(
      {test::number(0x02, 1), test::number(0xc0000201, 4), test::number(5, 2), test::number(6, 2)});
  const auto sets = read_fq_csids(value);
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_EQ(sets[1].csid, 6);
  EXPECT_EQ(sets[0].node.lo, 0xc0000201u);
  EXPECT_EQ(read_fq_csids(dp::Bytes(value).first(8)).size(), 1u);
  EXPECT_TRUE(read_fq_csids({}).empty());
}

TEST(PfcpValues, IdentityIsTheImsiOrTheSupi) {
  const auto imsi =
      test::joined({test::number(1, 1), test::number(8, 1), test::number(0x00010121436587f9, 8)});
  EXPECT_EQ(read_identity(imsi), "001010123456789");
  const auto supi = test::joined({test::number(0x12, 1), test::number(1, 1), test::number(0x99, 1),
                                  test::number(8, 1), test::text_octets("imsi-001")});
  EXPECT_EQ(read_identity(supi), "imsi-001");
  EXPECT_EQ(read_identity(dp::Bytes(supi).first(9)), "");
}

TEST(PfcpValues, TextThatCannotBePrintedIsNone) {
  EXPECT_EQ(read_dnn(test::joined({test::number(8, 1), test::text_octets("internet")})), "internet");
  EXPECT_EQ(read_dnn(test::joined({test::number(3, 1), test::text_octets("ims"), test::number(3, 1),
                                   test::text_octets("org")})),
            "ims.org");
  EXPECT_EQ(read_dnn(test::text_octets("internet")), "internet");
  EXPECT_EQ(read_dnn(test::text_octets("a\x1b[2J")), "");
  EXPECT_EQ(read_dnn(test::text_octets(std::string(300, 'a'))), "");
}

}  // namespace
}  // namespace control::told::pfcp
