#include "dataplane/base/address.h"

#include <gtest/gtest.h>

namespace dp {
namespace {

TEST(ParseUe, TakesAnIpv4Address) {
  const auto ue = parse_ue("10.45.0.2");
  ASSERT_TRUE(ue);
  EXPECT_EQ(*ue, ue_ipv4(0x0a2d0002));
  EXPECT_EQ(to_string(*ue), "10.45.0.2");
}

TEST(ParseUe, TakesAnIpv6PrefixAndAnIpv6Address) {
  const auto prefix = parse_ue("2001:db8:1:2::/64");
  ASSERT_TRUE(prefix);
  EXPECT_EQ(*prefix, ue_ipv6_64(0x20010db800010002));
  EXPECT_EQ(to_string(*prefix), "2001:db8:1:2::/64");
  const auto address = parse_ue("2001:db8::7");
  ASSERT_TRUE(address);
  EXPECT_EQ(to_string(*address), "2001:db8::7/128");
}

TEST(ParseUe, RefusesWhatIsNoUeAndNamesIt) {
  for (const char* text :
       {"", "10.45.0", "10.45.0.0/16", "2001:db8::/48", "2001:db8::1/64", "ten", "10.45.0.2/", "::/64x"}) {
    const auto ue = parse_ue(text);
    ASSERT_FALSE(ue) << text;
    EXPECT_NE(ue.error().message.find(text), std::string::npos);
  }
}

TEST(ParsePrefix, KnowsWhatItContains) {
  const auto v4 = parse_prefix("10.45.0.0/16");
  ASSERT_TRUE(v4);
  EXPECT_TRUE(v4->contains_ipv4(0x0a2dffff));
  EXPECT_FALSE(v4->contains_ipv4(0x0a2e0000));
  EXPECT_FALSE(v4->contains_ipv6(0x0a2d, 0));
  const auto v6 = parse_prefix("2001:db8::/48");
  ASSERT_TRUE(v6);
  EXPECT_TRUE(v6->contains_ipv6(0x20010db80000ffff, 1));
  EXPECT_FALSE(v6->contains_ipv6(0x20010db80001ffff, 1));
  EXPECT_EQ(to_string(*v6), "2001:db8::/48");
  EXPECT_TRUE(parse_prefix("0.0.0.0/0")->contains_ipv4(0xffffffff));
}

TEST(ParsePrefix, RefusesHostBitsAndNamesThePrefixMeant) {
  const auto prefix = parse_prefix("10.45.0.1/16");
  ASSERT_FALSE(prefix);
  EXPECT_NE(prefix.error().message.find("10.45.0.0/16"), std::string::npos);
  EXPECT_FALSE(parse_prefix("10.45.0.0/33"));
  EXPECT_FALSE(parse_prefix("10.45.0.0"));
}

}  // namespace
}  // namespace dp
