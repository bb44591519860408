#include "dataplane/base/owner.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/xdp/wire_layout.h"

namespace dp {
namespace {

std::vector<unsigned> shares(const std::vector<std::uint64_t>& addresses, unsigned workers) {
  std::vector<unsigned> counts(workers);
  for (const std::uint64_t address : addresses) ++counts[owner_of(address, workers)];
  return counts;
}

TEST(Owner, SharesOfAddressesSideBySideDifferByOne) {
  for (unsigned workers = 1; workers <= 64; ++workers) {
    SCOPED_TRACE(workers);
    std::vector<std::uint64_t> addresses;
    for (std::uint32_t n = 0; n < 128; ++n) addresses.push_back(0x0a2d0080 + n);
    const auto counts = shares(addresses, workers);
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
    EXPECT_LE(*most - *least, 1u);
  }
}

TEST(Owner, AFewAddressesSideBySideGoToAllWorkers) {
  for (unsigned workers = 1; workers <= 8; ++workers) {
    SCOPED_TRACE(workers);
    std::vector<std::uint64_t> addresses;
    for (std::uint32_t n = 2; n < 2 + 2 * workers; ++n) addresses.push_back(0x0a2d0000 + n);
    const auto counts = shares(addresses, workers);
    EXPECT_GE(*std::min_element(counts.begin(), counts.end()), 1u);
  }
}

// Networks that differ in one byte, hosts of the same number in each, and IPv6 prefixes.
TEST(Owner, EveryPartOfAnAddressCounts) {
  for (const unsigned shift : {0u, 8u, 16u, 24u, 32u, 40u, 48u, 56u}) {
    SCOPED_TRACE(shift);
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t n = 0; n < 256; ++n) addresses.push_back(0x0a2d0005 ^ n << shift);
    const auto counts = shares(addresses, 4);
    EXPECT_GE(*std::min_element(counts.begin(), counts.end()), 32u);
  }
}

TEST(Owner, SharesOfRandomAddressesAreEven) {
  std::mt19937_64 rng(1);
  std::vector<std::uint64_t> addresses(64'000);
  for (auto& address : addresses) address = static_cast<std::uint32_t>(rng());
  for (const unsigned count : shares(addresses, 64)) EXPECT_NEAR(count, 1000, 200);
}

// The wire's XDP program knows it by code of its own, which is C.
TEST(Owner, TheWiresProgramNamesTheSameWorker) {
  std::mt19937_64 random(7);
  for (unsigned n = 0; n < 10'000; ++n) {
    const unsigned workers = 1 + n % 64;
    const std::uint64_t ipv6 = random();
    const auto ipv4 = static_cast<std::uint32_t>(random());
    EXPECT_EQ(wire_owner(ipv4, workers), owner_of(std::uint64_t{ipv4}, workers));
    EXPECT_EQ(wire_owner(static_cast<std::uint32_t>(ipv6 ^ ipv6 >> 32), workers), owner_of(ipv6, workers));
  }
}

}  // namespace
}  // namespace dp
