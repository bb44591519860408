// Addresses chosen by an attacker who knows how the index works, but not its seed.
#include <bit>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/bearer/index.h"
#include "dataplane/worker/prepare.h"

namespace dp {
namespace {

constexpr std::size_t kUes = 4096;
constexpr std::size_t kEntries = 2 * kUes;

using Addresses = std::vector<UeAddress>;

// The first that `chosen` takes, of numbers that `nth` makes.
Addresses pick(const std::function<UeAddress(std::uint32_t)>& nth,
               const std::function<bool(std::uint32_t)>& chosen) {
  Addresses addresses;
  for (std::uint32_t n = 0; addresses.size() < kUes; ++n) {
    if (chosen(n)) addresses.push_back(nth(n));
  }
  return addresses;
}

bool any(std::uint32_t) { return true; }

// True if the number would share a place without a seed: it is multiplied by the golden ratio and folded.
bool collides_without_a_seed(std::uint32_t n) {
  const std::uint64_t mixed = n * 0x9e3779b97f4a7c15u;
  return ((mixed ^ mixed >> 32) & (kEntries - 1)) == 0;
}

// In one part of 64, were the seed 12345.
bool shares_a_part_under_a_guess(std::uint32_t n) {
  static const TabulationHash guess(12345);
  return (guess(n) & (kEntries - 1)) < kEntries / 64;
}

std::vector<Addresses> crafted() {
  std::vector<Addresses> sets{
      pick([](std::uint32_t n) { return ue_ipv4(n); }, collides_without_a_seed),
      pick([](std::uint32_t n) { return ue_ipv4(n); }, shares_a_part_under_a_guess),
      pick([](std::uint32_t n) { return ue_ipv6_64(std::uint64_t{n} << 32 | n); }, any),  // halves alike
      pick([](std::uint32_t n) { return ue_ipv6_64(std::uint64_t{n} << 32 | n); }, collides_without_a_seed),
      pick([](std::uint32_t n) { return ue_ipv6_128(n, std::uint64_t{n} << 32); }, any),
      pick([](std::uint32_t n) { return ue_ipv6_128(7, std::uint64_t{n} << 32 | n); }, any),
  };
  for (unsigned shift = 0; shift <= 20; shift += 4) {  // in steps of a power of two
    sets.push_back(pick([&](std::uint32_t n) { return ue_ipv4(0x0a000000 + (n << shift)); }, any));
    sets.push_back(pick([&](std::uint32_t n) { return ue_ipv6_64(std::uint64_t{n} << (2 * shift)); }, any));
    sets.push_back(
        pick([&](std::uint32_t n) { return ue_ipv6_128(1, std::uint64_t{n} << (2 * shift)); }, any));
  }
  return sets;
}

// A full index has a load of one half: random addresses are found after 1.5 entries on average.
TEST(BearerIndexCrafted, NoSetOfAddressesMakesLookupsLonger) {
  std::vector<PreparedBearer> bearers;
  for (std::size_t i = 0; i < kUes; ++i) bearers.push_back(prepare_bearer(BearerSettings{}));
  const std::vector<Addresses> sets = crafted();
  for (std::size_t set = 0; set < sets.size(); ++set) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      BearerIndex index(kUes, seed);
      for (std::size_t i = 0; i < kUes; ++i) {
        bearers[i]->ue = sets[set][i];
        index.insert(*bearers[i]);
      }
      std::size_t sum = 0, most = 0;
      for (const UeAddress& ue : sets[set]) {
        sum += index.probes(ue);
        most = std::max(most, index.probes(ue));
      }
      EXPECT_LT(static_cast<double>(sum) / kUes, 2.0) << "set " << set << ", seed " << seed;
      EXPECT_LT(most, 100u) << "set " << set << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace dp
