// Rules for every channel model of the list (dataplane/link/channel).
#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/link/channel/engines.h"
#include "tests/support/types.h"

namespace dp::test {
namespace {

constexpr double kShare = 0.2;

// Settings by which every model has the same share of losses.
ChannelSettings settings() {
  ErrorTrace trace{"one in five", {}};
  for (int i = 0; i < 1000; ++i) trace.lost.push_back(i * 7 % 5 == 0);
  return {.fer = kShare, .doppler = 0.1, .trace = std::make_shared<const ErrorTrace>(std::move(trace))};
}

template <class C>
std::vector<bool> losses(C channel, std::uint64_t frames, std::uint64_t every = 1) {
  std::vector<bool> out;
  for (std::uint64_t frame = 0; frame < frames; frame += every) out.push_back(channel.lost(frame));
  return out;
}

double share(const std::vector<bool>& lost) {
  return static_cast<double>(std::count(lost.begin(), lost.end(), true)) / static_cast<double>(lost.size());
}

template <class C>
class ChannelContract : public ::testing::Test {};

TYPED_TEST_SUITE(ChannelContract, Types<ChannelEngines>::Type);

TYPED_TEST(ChannelContract, HasANameOfItsOwnAndSaysWhatItDoes) {
  const std::set<std::string_view> names(ChannelList::kNames.begin(), ChannelList::kNames.end());
  EXPECT_EQ(names.size(), ChannelList::kSize);
  EXPECT_FALSE(std::string_view(TypeParam::kDoc).empty());
}

TYPED_TEST(ChannelContract, LosesTheSameFramesForTheSameSettingsAndSeed) {
  const Rng rng(1);
  EXPECT_EQ(losses(TypeParam(settings(), rng), 10'000), losses(TypeParam(settings(), rng), 10'000));
}

TYPED_TEST(ChannelContract, LosesTheShareOfFramesThatTheSettingsSay) {
  const double expected = std::is_same_v<TypeParam, NoErrors> ? 0 : kShare;
  EXPECT_NEAR(share(losses(TypeParam(settings(), Rng(2)), 1'000'000)), expected, 0.004);
}

TYPED_TEST(ChannelContract, LosesThatShareOfTheFramesAskedForToo) {
  const double expected = std::is_same_v<TypeParam, NoErrors> ? 0 : kShare;
  EXPECT_NEAR(share(losses(TypeParam(settings(), Rng(3)), 3'000'000, 3)), expected, 0.004);
}

TYPED_TEST(ChannelContract, AnswersTheSameWhenAskedAgainAboutAFrame) {
  TypeParam channel(settings(), Rng(4));
  for (std::uint64_t frame = 0; frame < 10'000; frame += 1 + frame % 3) {
    const bool lost = channel.lost(frame);
    EXPECT_EQ(channel.lost(frame), lost);
  }
}

TYPED_TEST(ChannelContract, TwoStreamsOfOneSeedLoseFramesIndependently) {
  const bool draws =
      losses(TypeParam(settings(), Rng(5)), 1000) != losses(TypeParam(settings(), Rng(6)), 1000);
  if (!draws) return;
  const auto down = losses(TypeParam(settings(), Rng(5).fork(0)), 1'000'000);
  const auto up = losses(TypeParam(settings(), Rng(5).fork(1)), 1'000'000);
  std::vector<bool> both(down.size());
  for (std::size_t i = 0; i < both.size(); ++i) both[i] = down[i] && up[i];
  EXPECT_NEAR(share(both), kShare * kShare, 0.004);
}

TYPED_TEST(ChannelContract, WorksAtEachFieldsLimits) {
  const auto check = [](const auto& field) {
    EXPECT_FALSE(field.doc.empty());
    for (const auto limit : {field.min, field.max}) {
      ChannelSettings at_limit = settings();
      at_limit.*field.member = limit;
      const auto lost = losses(TypeParam(at_limit, Rng(7)), 1000);
      EXPECT_EQ(lost, losses(TypeParam(at_limit, Rng(7)), 1000)) << field.name << " " << limit;
    }
  };
  kChannelFields.apply([&](const auto&... field) { (check(field), ...); });
}

TYPED_TEST(ChannelContract, LosesNothingWhenNothingSaysSo) {
  const ChannelSettings clean{.fer = 0, .doppler = 0.01, .trace = nullptr};
  EXPECT_EQ(share(losses(TypeParam(clean, Rng(8)), 10'000)), 0);
}

}  // namespace
}  // namespace dp::test
