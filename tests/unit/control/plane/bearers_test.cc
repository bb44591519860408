// Also the data that the parts of the plane share (control/plane/running.h).
#include "control/plane/bearers.h"

#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/support/plane_bench.h"

namespace control {
namespace {

using std::chrono::milliseconds;

class BearersTest : public PlaneBench {};

TEST_F(BearersTest, SeveralWorkersLearnNoMoreThanARuleAllows) {
  start(4096, milliseconds(5000), 2);
  ASSERT_TRUE(poll_until([&] { return plane->bearers().pooled() == 3; }));
  for (int n = 1; n < 40; ++n) frame_of(("10.46.0." + std::to_string(n)).c_str());
  ASSERT_TRUE(poll_until([&] { return runtime->io.sent() == 39 && plane->registry().size() == 4; }));
  for (int n = 40; n < 60; ++n) frame_of(("10.46.0." + std::to_string(n)).c_str());
  ASSERT_TRUE(poll_until([&] { return runtime->io.sent() == 59; }));
  EXPECT_EQ(plane->registry().size(), 4u);
}

TEST_F(BearersTest, TwoThousandBearersGoThroughAMailboxOf256) {
  start();
  Wish wish;
  for (std::uint32_t i = 0; i < 2000; ++i) wish.set.push_back({dp::ue_ipv4(0x0a300000 + i), cls(0)});
  EXPECT_EQ(counts(apply(wish)), (Counts{2000, 0, 0, 0}));
  EXPECT_EQ(counts(apply(wish)), (Counts{0, 0, 2000, 0})) << "the same again changes nothing";
  Wish removal;
  for (const Want& want : wish.set) removal.remove.push_back(want.ue);
  EXPECT_EQ(counts(apply(removal)), (Counts{0, 0, 0, 2000}));
  EXPECT_EQ(plane->registry().size(), 1u);
}

TEST_F(BearersTest, BearersBeyondTheTableAreRefusedAndNoneIsAdded) {
  start(8);
  Wish wish;
  for (std::uint32_t i = 0; i < 8; ++i) wish.set.push_back({dp::ue_ipv4(0x0a300000 + i), cls(0)});
  EXPECT_EQ(refusal(wish).why, Refusal::Why::table_full);
  EXPECT_EQ(plane->registry().size(), 1u);
}

TEST_F(BearersTest, BearersBeyondTheMemoryAreRefusedWithBothFiguresAndNoneIsAdded) {
  start();
  memory = 10 * kMebibyte;
  Wish wish;
  for (std::uint32_t i = 0; i < 100; ++i) wish.set.push_back({dp::ue_ipv4(0x0a300000 + i), over_air()});
  const Refusal fault = refusal(wish);
  EXPECT_EQ(fault.why, Refusal::Why::no_memory);
  EXPECT_TRUE(says(fault, "memory: found 10 MiB available, needs ")) << fault.what();
  EXPECT_TRUE(says(fault, "100 bearers 1 MiB, 100 air links ")) << fault.what();
  EXPECT_TRUE(says(fault, "; ask for fewer bearers, lower")) << fault.what();
  EXPECT_TRUE(says(fault, "windows of the `am` links")) << fault.what();
  EXPECT_EQ(plane->registry().size(), 1u);
  wish.set.resize(50);
  EXPECT_EQ(counts(apply(wish)), (Counts{50, 0, 0, 0}));
}

TEST_F(BearersTest, AChangeNeedsMemoryForFreshPartsOnly) {
  start();
  memory = 0;
  EXPECT_EQ(counts(apply({{{ue("10.45.0.1"), cls(0)}}, {}})), (Counts{0, 1, 0, 0}));
  EXPECT_EQ(refusal({{{ue("10.45.0.1"), over_air()}}, {}}).why, Refusal::Why::no_memory);
  dp::BearerSettings fair = cls(0);
  fair.downlink.aqm = dp::FqCodelSpec::Config{};
  EXPECT_TRUE(
      says(refusal({{{ue("10.45.0.1"), fair}}, {}}), "needs 1 MiB (AQM policies 1 MiB, flow queues 1 MiB)"));
  memory = kMebibyte;
  EXPECT_EQ(counts(apply({{{ue("10.45.0.1"), over_air()}}, {}})), (Counts{0, 1, 0, 0}));
  memory = 0;
  dp::BearerSettings slower = over_air();
  slower.downlink.rate = 64'000;
  EXPECT_EQ(counts(apply({{{ue("10.45.0.1"), slower}}, {}})), (Counts{0, 1, 0, 0}))
      << "the air that it has will do";
}

TEST_F(BearersTest, MemoryOfBearersYetToBeLearntIsSpokenFor) {
  start();
  const std::string learning = R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
classes:
  internet: {downlink: {rate: 8M}}
  voice: {downlink: {rate: 64k, link: am}}
bearers: [{ue: 10.45.0.1, class: internet}, {ue: 10.46.0.0/16, class: voice, learn: true, limit: )";
  const auto reload_with = [&](const std::string& limit) {
    return reload(config_of(learning + limit + "}]"));
  };
  ASSERT_TRUE(reload_with("500").done);
  ASSERT_TRUE(poll_until([&] { return plane->bearers().pooled() >= 500; }));
  Wish wish{{{ue("10.45.0.7"), over_air()}}, {}};
  memory = kMebibyte;
  EXPECT_EQ(counts(apply(wish)), (Counts{1, 0, 0, 0})) << "those in the pool have theirs";
  memory = 1000 * kMebibyte;
  ASSERT_TRUE(reload_with("2000").done);
  ASSERT_TRUE(poll_until([&] { return plane->bearers().pooled() >= BearerPool::kDepth; }));
  memory = 10 * kMebibyte;
  wish.set[0].ue = ue("10.45.0.8");
  EXPECT_TRUE(says(refusal(wish), "; yet to be learnt: 1488 bearers")) << refusal(wish).what();
  EXPECT_TRUE(says(refusal(reload_with("3000")), "lower the limits of learnt bearers"));
  EXPECT_EQ(plane->config().learn.at(0).limit, 2000u) << "all stays as it was";
}

TEST_F(BearersTest, ARuleLearnsUpToItsLimitAndFurtherUesAreUnknown) {
  start();
  ASSERT_TRUE(poll_until([&] { return snapshot().pooled == 3; }));
  for (const char* address : {"10.46.0.1", "10.46.0.2", "10.46.0.3"}) talk(address);
  ASSERT_TRUE(poll_until([&] { return plane->idle() && snapshot().pooled == 0; }));
  frame_of("10.46.0.4");
  ASSERT_TRUE(poll_until([&] {
    const auto passed = snapshot().account.passed[1];
    return passed[dp::index(dp::PassReason::learn_limit)].frames == 1;
  }));
  EXPECT_EQ(plane->registry().find(ue("10.46.0.4")), nullptr);
}

TEST_F(BearersTest, ALearntBearerThatIsRemovedMakesRoomForAnother) {
  start();
  ASSERT_TRUE(poll_until([&] { return snapshot().pooled == 3; }));
  for (const char* address : {"10.46.0.1", "10.46.0.2", "10.46.0.3"}) talk(address);
  EXPECT_EQ(counts(apply({{}, {ue("10.46.0.2")}})), (Counts{0, 0, 0, 1}));
  ASSERT_TRUE(poll_until([&] { return snapshot().pooled == 1; }));
  frame_of("10.46.0.4");
  EXPECT_TRUE(poll_until([&] { return plane->registry().find(ue("10.46.0.4")) != nullptr; }));
}

TEST_F(BearersTest, ALearntBearerThatWasSilentForTheRulesTimeGoesAndMakesRoom) {
  start();
  const config::Config file =
      config_of(std::string(kFile).replace(std::string(kFile).find("limit: 3"), 8, "limit: 1, idle: 1s"));
  reload(file);
  frame_of("10.46.0.1");
  ASSERT_TRUE(poll_until([&] { return plane->registry().find(ue("10.46.0.1")) != nullptr; }));
  ASSERT_TRUE(poll_until([&] { return plane->registry().find(ue("10.46.0.1")) == nullptr; }));
  ASSERT_TRUE(poll_until([&] { return plane->idle() && snapshot().pooled > 0; }));
  frame_of("10.46.0.2");
  EXPECT_TRUE(poll_until([&] { return plane->registry().find(ue("10.46.0.2")) != nullptr; }));
  EXPECT_EQ(plane->bearers().aged()[dp::index(AgedFor::idle)] +
                plane->bearers().aged()[dp::index(AgedFor::displaced)],
            1u);
}

TEST_F(BearersTest, ALearntBearerThatIsSetBecomesConfigured) {
  start();
  ASSERT_TRUE(poll_until([&] { return snapshot().pooled == 3; }));
  frame_of("10.46.0.1");
  ASSERT_TRUE(poll_until([&] { return plane->registry().count(Origin::learnt) == 1; }));
  EXPECT_EQ(counts(apply({{{ue("10.46.0.1"), cls(0)}}, {}})), (Counts{0, 1, 0, 0}));
  EXPECT_EQ(plane->registry().count(Origin::learnt), 0u);
  EXPECT_EQ(plane->registry().find(ue("10.46.0.1"))->bearer->downlink.rate(), 1'000'000u);
}

TEST_F(BearersTest, AUeLearntBeforeItsAddIsTakenIsChangedInstead) {
  start();
  ASSERT_TRUE(poll_until([&] { return snapshot().pooled == 3; }));
  frame_of("10.46.0.1");
  // Without polling, so that control has not heard of it when it plans.
  while (snapshot().learnt == 0) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(counts(apply({{{ue("10.46.0.1"), cls(0)}}, {}})), (Counts{0, 1, 0, 0}));
  EXPECT_EQ(plane->registry().find(ue("10.46.0.1"))->bearer->downlink.rate(), 1'000'000u);
}

}  // namespace
}  // namespace control
