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

TEST(UeAddress, NamesADedicatedBearerBehindItsUesDefaultBearer) {
  const UeAddress ue = ue_ipv4(0x0a2d0002);
  const UeAddress voice = dedicated_by_qfi(ue, 1), video = dedicated_by_teid(ue, 0x21);
  EXPECT_EQ(to_string(voice), "10.45.0.2 qfi 1");
  EXPECT_EQ(to_string(video), "10.45.0.2 teid 0x21");
  EXPECT_EQ(to_string(dedicated_by_qfi(ue_ipv6_64(0x20010db800010002), 63)), "2001:db8:1:2::/64 qfi 63");
  EXPECT_LT(ue, voice);
  EXPECT_LT(voice, video);
  EXPECT_LT(video, ue_ipv4(0x0a2d0003));
  EXPECT_TRUE(same_ue(voice, video));
  EXPECT_FALSE(same_ue(voice, ue_ipv4(0x0a2d0002, 1)));
  EXPECT_EQ(default_bearer_of(video), ue);
}

TEST(ParseUe, RefusesWhatIsNoUeAndNamesIt) {
  for (const char* text :
       {"", "10.45.0", "10.45.0.0/16", "2001:db8::/48", "2001:db8::1/64", "ten", "10.45.0.2/", "::/64x"}) {
    const auto ue = parse_ue(text);
    ASSERT_FALSE(ue) << text;
    EXPECT_NE(ue.error().message.find(text), std::string::npos);
  }
}

TEST(ParseUe, RefusesAnAddressThatNoUeCanHaveAndSaysWhy) {
  const std::pair<const char*, const char*> addresses[]{{"0.0.0.0", "this network"},
                                                        {"0.1.2.3", "this network"},
                                                        {"127.0.0.1", "loopback"},
                                                        {"127.255.255.254", "loopback"},
                                                        {"169.254.7.7", "link-local"},
                                                        {"224.0.0.1", "multicast"},
                                                        {"239.255.255.250", "multicast"},
                                                        {"255.255.255.255", "broadcast"},
                                                        {"240.0.0.1", "reserved"},
                                                        {"::", "unspecified"},
                                                        {"::1", "loopback"},
                                                        {"::ffff:10.45.0.2", "IPv4"},
                                                        {"::ffff:0:0/128", "IPv4"},
                                                        {"::10.45.0.2", "deprecated"},
                                                        {"::/64", "IPv4-mapped"},
                                                        {"fe80::1", "link-local"},
                                                        {"febf::/64", "link-local"},
                                                        {"ff02::1", "multicast"},
                                                        {"ff05:0:0:1::/64", "multicast"}};
  for (const auto& [text, why] : addresses) {
    const auto ue = parse_ue(text);
    ASSERT_FALSE(ue) << text;
    EXPECT_NE(ue.error().message.find(text), std::string::npos);
    EXPECT_NE(ue.error().message.find(why), std::string::npos) << ue.error().message;
    EXPECT_NE(ue.error().message.find("RFC"), std::string::npos) << ue.error().message;
  }
  for (const char* text :
       {"1.0.0.0", "126.255.255.255", "128.0.0.1", "169.253.255.255", "169.255.0.0", "223.255.255.255",
        "100.64.0.1", "64:ff9b::a2d:2", "fec0::1", "fe7f::/64", "0:0:0:1::/64", "fd00::7", "feff::/64"}) {
    EXPECT_TRUE(parse_ue(text)) << text;
  }
}

TEST(ParsePrefix, RefusesARangeOfWhichNoUeCanBeAndTakesOneThatHoldsOthersToo) {
  for (const char* text : {"127.0.0.0/8", "127.1.0.0/16", "224.0.0.0/4", "fe80::/10", "ff00::/8", "::/64"}) {
    EXPECT_FALSE(parse_prefix(text)) << text;
  }
  for (const char* text : {"0.0.0.0/0", "::/0", "112.0.0.0/4", "fe00::/7"}) {
    EXPECT_TRUE(parse_prefix(text)) << text;
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

TEST(Overlap, IsThereWhereOnePrefixIsWithinTheOther) {
  const auto both = [](const char* a, const char* b) {
    const bool there = overlap(*parse_prefix(a), *parse_prefix(b));
    EXPECT_EQ(overlap(*parse_prefix(b), *parse_prefix(a)), there);
    return there;
  };
  EXPECT_TRUE(both("10.45.0.0/16", "10.45.7.0/24"));
  EXPECT_TRUE(both("10.45.0.0/16", "10.45.0.0/16"));
  EXPECT_FALSE(both("10.45.0.0/24", "10.45.1.0/24"));
  EXPECT_TRUE(both("0.0.0.0/0", "10.45.0.1/32"));
  EXPECT_FALSE(both("0.0.0.0/0", "2001:db8::/32"));
  EXPECT_TRUE(both("2001:db8:0:1::/64", "2001:db8:0:1::7/128"));
  EXPECT_FALSE(both("2001:db8:0:1::/64", "2001:db8:0:2::7/128"));
  EXPECT_EQ(prefix_of(*parse_ue("10.45.0.7")), *parse_prefix("10.45.0.7/32"));
  EXPECT_EQ(prefix_of(*parse_ue("2001:db8:0:1::/64")), *parse_prefix("2001:db8:0:1::/64"));
  EXPECT_EQ(prefix_of(*parse_ue("2001:db8::7")), *parse_prefix("2001:db8::7/128"));
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
