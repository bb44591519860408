#include "dataplane/base/reserved_array.h"

#include <array>
#include <cstdint>
#include <memory>

#include <gtest/gtest.h>

namespace dp {
namespace {

struct Pair {
  std::uint64_t first, second;
};

TEST(ReservedArrayTest, GrowsInPlaceAndWhatIsNewIsZero) {
  ReservedArray<Pair> array(1'000'000);
  EXPECT_EQ(array.size(), 0u);
  array.grow(1);
  ASSERT_GE(array.size(), 1u);
  const Pair* const first = &array[0];
  array[0] = {1, 2};
  for (const std::size_t size : {100'000, 300'000, 300'000, 200'000, 1'000'000}) {
    const std::size_t before = array.size();
    array.grow(size);
    ASSERT_GE(array.size(), size);
    ASSERT_GE(array.size(), before);
    EXPECT_EQ(&array[0], first);
    for (std::size_t i = before; i < array.size(); ++i) ASSERT_EQ(array[i].first + array[i].second, 0u) << i;
    array[array.size() - 1] = {3, 4};
  }
  EXPECT_EQ(array.size(), 1'000'000u);
  EXPECT_EQ(array[0].second, 2u);
}

TEST(ReservedArrayTest, TakesNoMemoryForWhatIsOnlyReserved) {
  std::array<std::unique_ptr<ReservedArray<Pair>>, 64> arrays;
  for (auto& array : arrays) {
    array = std::make_unique<ReservedArray<Pair>>(std::size_t{1} << 26);  // 1 GiB each
    array->grow(1000);
    (*array)[999] = {5, 6};
  }
  for (const auto& array : arrays) EXPECT_EQ((*array)[999].first, 5u);
}

}  // namespace
}  // namespace dp
