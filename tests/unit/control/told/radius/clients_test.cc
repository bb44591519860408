#include "control/told/radius/clients.h"

#include <gtest/gtest.h>

#include "tests/support/told/memory_sink.h"

namespace control::told::radius {
namespace {

using test::endpoint;

dp::Prefix network_of_clients(std::string_view text) { return *dp::parse_prefix(text); }

std::string secret_for(const Clients& clients, std::string_view address) {
  const std::string* const secret = clients.secret_of(endpoint(address));
  return secret == nullptr ? "none" : *secret;
}

TEST(RadiusClients, TheLongestPrefixCounts) {
  const Clients clients({{network_of_clients("192.0.0.0/8"), "wide"},
                         {network_of_clients("192.0.2.0/24"), "narrow"},
                         {network_of_clients("192.0.2.7/32"), "one"}});
  EXPECT_EQ(secret_for(clients, "192.0.2.7"), "one");
  EXPECT_EQ(secret_for(clients, "192.0.2.8"), "narrow");
  EXPECT_EQ(secret_for(clients, "192.9.2.8"), "wide");
  EXPECT_EQ(secret_for(clients, "193.0.2.7"), "none");
}

TEST(RadiusClients, APrefixOfIpv6IsForIpv6Alone) {
  const Clients clients({{network_of_clients("2001:db8::/32"), "wide"},
                         {network_of_clients("2001:db8:1:2::/64"), "narrow"},
                         {network_of_clients("2001:db8:1:2::4/126"), "few"}});
  EXPECT_EQ(secret_for(clients, "2001:db8:1:2::7"), "few");
  EXPECT_EQ(secret_for(clients, "2001:db8:1:2::8"), "narrow");
  EXPECT_EQ(secret_for(clients, "2001:db8:1:3::7"), "wide");
  EXPECT_EQ(secret_for(clients, "192.0.2.7"), "none");
}

TEST(RadiusClients, APrefixOfLengthZeroIsForEveryAddressOfItsKind) {
  const Clients clients({{dp::Prefix{}, "all"}});
  EXPECT_EQ(secret_for(clients, "203.0.113.9"), "all");
  EXPECT_EQ(secret_for(clients, "2001:db8::1"), "none");
}

TEST(RadiusClients, WithoutClientsNobodyIsOne) { EXPECT_EQ(secret_for(Clients({}), "192.0.2.7"), "none"); }

}  // namespace
}  // namespace control::told::radius
