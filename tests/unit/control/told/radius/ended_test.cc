#include "control/told/radius/ended.h"

#include <gtest/gtest.h>

namespace control::told::radius {
namespace {

dp::Time at(std::int64_t seconds) { return dp::time_ns(seconds * 1'000'000'000); }

TEST(RadiusEnded, IsKnownUntilItIsForgotten) {
  EndedSessions ended;
  ended.add("nas a", at(5), at(10));
  ended.add("nas b", at(6), at(11));
  EXPECT_EQ(ended.find("nas a"), at(5));
  EXPECT_EQ(ended.find("nas c"), std::nullopt);
  ended.forget(at(10), 100);
  EXPECT_EQ(ended.find("nas a"), std::nullopt);
  EXPECT_EQ(ended.find("nas b"), at(6));
  ended.forget(at(100), 0);
  EXPECT_EQ(ended.size(), 1u) << "no more than was allowed";
}

TEST(RadiusEnded, OneThatEndedAgainIsKnownAsLongAsTheLastTime) {
  EndedSessions ended;
  ended.add("nas a", at(5), at(10));
  ended.add("nas a", at(15), at(20));
  ended.forget(at(10), 100);
  EXPECT_EQ(ended.find("nas a"), at(15));
  ended.forget(at(20), 100);
  EXPECT_EQ(ended.find("nas a"), std::nullopt);
}

TEST(RadiusEnded, IsBounded) {
  EndedSessions ended(2);
  for (int n = 0; n < 5; ++n) ended.add(std::to_string(n), at(n), at(n));
  EXPECT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended.find("2"), std::nullopt);
  EXPECT_EQ(ended.find("4"), at(4));
}

}  // namespace
}  // namespace control::told::radius
