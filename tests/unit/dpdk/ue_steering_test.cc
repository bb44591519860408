// The settings of a NIC by which each UE's frames come to its worker, under the hash as Microsoft specifies
// it.
#include "dataplane/dpdk/ue_steering.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/base/owner.h"

namespace dp::dpdk {
namespace {

// "RSS Hashing Functions": for each bit of the input that is set, from the left, the leftmost 32 bits of the
// key, which is then shifted by one.
std::uint32_t toeplitz(const std::vector<std::uint8_t>& key, const std::vector<std::uint8_t>& input) {
  std::uint32_t hash = 0;
  for (std::size_t bit = 0; bit < input.size() * 8; ++bit) {
    if ((input[bit / 8] & 0x80 >> bit % 8) == 0) continue;
    std::uint32_t window = 0;
    for (std::size_t i = bit; i < bit + 32; ++i) {
      const bool one = i / 8 < key.size() && (key[i / 8] & 0x80 >> i % 8) != 0;
      window = window << 1 | (one ? 1 : 0);
    }
    hash ^= window;
  }
  return hash;
}

std::vector<std::uint8_t> input(std::uint32_t source, std::uint32_t destination) {
  std::vector<std::uint8_t> bytes;
  for (const std::uint32_t word : {source, destination}) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::uint8_t>(word >> shift));
  }
  return bytes;
}

// The specification's own example: 66.9.149.187 to 161.142.100.80.
TEST(UeSteering, TheTestsHashIsTheSpecificationsOwn) {
  const std::vector<std::uint8_t> key{0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
                                      0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
                                      0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
                                      0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};
  EXPECT_EQ(toeplitz(key, input(0x420995bb, 0xa18e6450)), 0x323e8fc2u);
}

class UeSteeringTo : public testing::TestWithParam<unsigned> {};

TEST_P(UeSteeringTo, BothDirectionsOfAUeComeToItsOwnersQueueWhoeverTheServerIs) {
  const unsigned workers = GetParam();
  const QueueMap map(workers, {workers, workers});
  std::mt19937 rng(7);
  for (const std::size_t entries : {128u, 512u}) {
    const auto core = ue_queue_table(Side::core, map, entries);
    const auto radio = ue_queue_table(Side::radio, map, entries);
    for (const std::size_t bytes : {16u, 40u, 52u}) {
      const auto down = ue_hash_key(Side::core, bytes), up = ue_hash_key(Side::radio, bytes);
      ASSERT_EQ(down.size(), bytes);
      for (int i = 0; i < 500; ++i) {
        const auto ue = static_cast<std::uint32_t>(rng()), server = static_cast<std::uint32_t>(rng());
        auto to_ue = input(server, ue), from_ue = input(ue, server);
        for (int port = 0; port < 4 * (i % 2); ++port) {  // with and without ports
          to_ue.push_back(static_cast<std::uint8_t>(rng()));
          from_ue.push_back(static_cast<std::uint8_t>(rng()));
        }
        const unsigned owner = owner_of(ue, workers);
        ASSERT_EQ(core[toeplitz(down, to_ue) % entries], owner) << ue;
        ASSERT_EQ(radio[toeplitz(up, from_ue) % entries], owner) << ue;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, UeSteeringTo, testing::Values(1, 2, 3, 8, 48, 64));

TEST(UeSteering, WithFewerQueuesThanWorkersFramesGoToWhoSendsForTheOwner) {
  const unsigned workers = 5;
  const QueueMap map(workers, {2, 3});
  for (const Side side : kSides) {
    const auto table = ue_queue_table(side, map, 128);
    const auto key = ue_hash_key(side, 40);
    for (std::uint32_t ue = 0x0a2d0000; ue < 0x0a2d0200; ++ue) {
      const auto frame = side == Side::core ? input(1, ue) : input(ue, 1);
      const unsigned queue = table[toeplitz(key, frame) % 128];
      const unsigned sender = map.sender_for(side, owner_of(ue, workers));
      ASSERT_EQ(map.queue_of(side, sender), queue);
    }
  }
}

}  // namespace
}  // namespace dp::dpdk
