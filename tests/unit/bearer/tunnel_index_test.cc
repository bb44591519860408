#include "dataplane/bearer/tunnel_index.h"

#include <map>
#include <random>
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

TEST(TunnelIndex, AgreesWithAMapOverRandomChanges) {
  TunnelIndex index(64, 5);
  std::map<std::uint32_t, std::size_t> model;
  std::mt19937 draw(1);
  for (int turn = 0; turn < 20000; ++turn) {
    const std::uint32_t n = draw() % 90;
    const std::size_t bearer = draw() % 40;
    if (draw() % 2 == 0) {
      if (model.size() < 64 || model.contains(n)) {
        index.set(key_of(n), bearer_number(bearer));
        model[n] = bearer;
      }
    } else {
      const auto at = model.find(n);
      const bool own = at != model.end() && draw() % 4 != 0;
      index.erase(key_of(n), bearer_number(own ? at->second : 41));
      if (own) model.erase(at);
    }
    const std::uint32_t look = draw() % 90;
    const auto found = model.find(look);
    ASSERT_EQ(index.find(key_of(look)), found == model.end() ? nullptr : &bearer_number(found->second))
        << turn;
    ASSERT_EQ(index.size(), model.size());
  }
}

TEST(TunnelIndex, LeavesOutWhatIsBeyondItsRoom) {
  TunnelIndex index(3, 1);
  for (std::uint32_t n = 0; n < 4; ++n) index.set(key_of(n), bearer_number(n));
  EXPECT_EQ(index.size(), 3u);
  EXPECT_EQ(index.find(key_of(3)), nullptr);
  index.erase(key_of(1), bearer_number(1));
  index.set(key_of(3), bearer_number(3));
  EXPECT_EQ(index.find(key_of(3)), &bearer_number(3));
}

}  // namespace
}  // namespace dp
