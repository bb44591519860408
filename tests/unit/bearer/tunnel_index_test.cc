#include "dataplane/bearer/tunnel_index.h"

#include <map>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace dp {
namespace {

// The index looks at no bearer: any distinct addresses do.
Bearer& bearer_number(std::size_t n) {
  static std::vector<std::byte> memory(4096);
  return reinterpret_cast<Bearer&>(memory[n]);
}

TunnelKey key_of(std::uint32_t n) { return {n % 3, n % 7, n, n % 2 == 1}; }

std::set<Bearer*> found(const TunnelIndex& index, const TunnelKey& key) {
  std::set<Bearer*> all;
  index.for_each(key, [&](Bearer& bearer) { EXPECT_TRUE(all.insert(&bearer).second); });
  return all;
}

TEST(TunnelIndex, AgreesWithASetOverRandomChanges) {
  TunnelIndex index(64, 5);
  std::map<std::uint32_t, std::set<Bearer*>> model;
  std::size_t size = 0;
  std::mt19937 draw(1);
  for (int turn = 0; turn < 20000; ++turn) {
    const std::uint32_t n = draw() % 30;
    Bearer& bearer = bearer_number(draw() % 8);
    if (draw() % 2 != 0) {
      index.erase(key_of(n), bearer);
      size -= model[n].erase(&bearer);
    } else if (size < 64 || model[n].contains(&bearer)) {
      index.add(key_of(n), bearer);
      size += model[n].insert(&bearer).second;
    }
    const std::uint32_t look = draw() % 30;
    ASSERT_EQ(found(index, key_of(look)), model[look]) << turn;
    ASSERT_EQ(index.contains(key_of(look)), !model[look].empty()) << turn;
    ASSERT_EQ(index.size(), size);
  }
}

TEST(TunnelIndex, LeavesOutWhatIsBeyondItsRoom) {
  TunnelIndex index(3, 1);
  for (std::uint32_t n = 0; n < 4; ++n) index.add(key_of(n), bearer_number(n));
  EXPECT_EQ(index.size(), 3u);
  EXPECT_FALSE(index.contains(key_of(3)));
  index.erase(key_of(1), bearer_number(1));
  index.add(key_of(3), bearer_number(3));
  EXPECT_EQ(found(index, key_of(3)), std::set{&bearer_number(3)});
}

TEST(TunnelIndex, HasABoundedNumberOfBearersOfOneTunnelTheLatestAmongThem) {
  TunnelIndex index(100, 1);
  for (std::size_t n = 0; n < 90; ++n) {
    index.add(key_of(1), bearer_number(n));
    EXPECT_TRUE(found(index, key_of(1)).contains(&bearer_number(n)));
  }
  EXPECT_EQ(index.size(), TunnelIndex::kMostAlike);
  for (std::size_t n = 0; n < 90; ++n) index.erase(key_of(1), bearer_number(n));
  EXPECT_EQ(index.size(), 0u);
  EXPECT_FALSE(index.contains(key_of(1)));
}

}  // namespace
}  // namespace dp
