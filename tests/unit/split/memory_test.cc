// The memory of a split proxy. The test counts the program's allocations, so it is a program of its own.
#include <algorithm>

#include <gtest/gtest.h>

#include "dataplane/split/proxy.h"
#include "tests/support/counted_bytes.h"

namespace dp::test {
namespace {

constexpr std::uint32_t kKiB = 1024;

TEST(SplitMemory, IsWhatBytesForSaysAndIsTakenAtConstruction) {
  for (const std::uint32_t window : {4 * kKiB, 5000u, 32 * kKiB, 64 * kKiB, 300'000u, 16 * kKiB * kKiB}) {
    for (const std::uint32_t max_flows : {1u, 7u, 64u}) {
      const SplitConfig config{.window = window, .max_flows = max_flows};
      const std::size_t before = heap_bytes;
      const SplitProxy proxy(config, 1, [](void*, Sdu&, Context&) noexcept {});
      EXPECT_EQ(heap_bytes - before, SplitProxy::bytes_for(config)) << window << ", " << config.flows();
    }
  }
}

TEST(SplitMemory, OfAConnectionIsTwoKibibytesWithAWindowOf32AndThreeWithOneOf64) {
  const SplitConfig narrow{.window = 32 * kKiB}, wide{.window = 64 * kKiB};
  EXPECT_LE(SplitProxy::bytes_of_connection(narrow), 2 * kKiB);
  EXPECT_LE(SplitProxy::bytes_of_connection(wide), 3200u);
  for (const SplitConfig& config : {narrow, wide}) {
    // Beside the connections there is the table of flows, with twice as many places, and 24 bytes for each;
    // and two sets of connections, of 8 bytes for every 64 of them.
    const FlowLimits flows{.flows = std::max(32u, 2 * config.flows())};
    EXPECT_EQ(SplitProxy::bytes_for(config), FlowTable::bytes_for(flows) + 24 * flows.flows + 2 * 8 +
                                                 config.flows() * SplitProxy::bytes_of_connection(config));
  }
}

TEST(SplitMemory, APieceOutOfOrderHasAPlaceForEachFourKibibytesAndSixteenAtMost) {
  EXPECT_EQ(SplitFlow::Capacity(4 * kKiB).ranges, 4u);
  EXPECT_EQ(SplitFlow::Capacity(32 * kKiB).ranges, 8u);
  EXPECT_EQ(SplitFlow::Capacity(64 * kKiB).ranges, 16u);
  EXPECT_EQ(SplitFlow::Capacity(16 * kKiB * kKiB).ranges, 16u);
  EXPECT_EQ(SplitFlow::Capacity(32 * kKiB).segments, 56u);
  EXPECT_EQ(SplitFlow::Capacity(64 * kKiB).segments, 104u);
}

}  // namespace
}  // namespace dp::test
