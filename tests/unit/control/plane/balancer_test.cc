// Which bearers the balancer picks, and that the data plane moves them.
#include "control/plane/balancer.h"

#include <chrono>
#include <map>

#include <gtest/gtest.h>

#include "dataplane/base/owner.h"
#include "dataplane/bearer/bearer.h"
#include "tests/support/polled_plane.h"

namespace control {
namespace {

using dp::test::TestRuntime;

constexpr const char* kBalancerFile = R"(version: 1
dataplane: {ports: {core: {device: "null"}, radio: {device: "null"}}}
classes: {internet: {downlink: {rate: 8M}}}
)";

dp::BearerSettings downlink_at(std::uint64_t rate, const dp::BufferLimit& buffer = {}) {
  return {.downlink = {.link = dp::ShaperSpec::Config{}, .rate = rate, .buffer = buffer}};
}

class BalancerTest : public PolledPlane {
 protected:
  void SetUp() override {
    runtime = std::make_unique<TestRuntime>(512, 2);
    plane = std::make_unique<DataPlane>(*runtime, config_of(kBalancerFile), 512);
    begin();
    Wish wish;
    for (std::uint32_t n = 0; n < 64; ++n) {
      const dp::UeAddress ue = dp::ue_ipv4(0x0a2d0000 + n);
      of_worker[dp::owner_of(ue, 2)].push_back(ue);
      wish.set.push_back({ue, downlink_at(800'000'000, {1000, 1u << 22}), Origin::socket});
    }
    ASSERT_EQ(apply(wish).why, nullptr);
  }
  void send(const dp::UeAddress& ue, unsigned frames) {
    for (unsigned i = 0; i < frames; ++i) {
      runtime->io.offer(dp::Side::core, {.dst = dp::test::Ip(static_cast<std::uint32_t>(ue.lo))});
    }
    sent += frames;
    ASSERT_TRUE(poll_until([&] { return runtime->io.sent() == sent; }));
  }
  // The busiest is seen for long enough, and the first count is made.
  void watch(const BusyRatios& busy) {
    for (int second = 0; second < Balancer::kSeconds; ++second) plane->moves().see_load(busy);
    for (int i = 0; i < 50; ++i) plane->poll();
  }
  std::uint64_t moved() const { return plane->moves().counts()[dp::index(MovedFor::load)]; }

  std::array<std::vector<dp::UeAddress>, 2> of_worker;
  std::size_t sent = 0;
};

TEST_F(BalancerTest, MovesTheHeaviestThatDoNotOvershoot) {
  const auto& busy = of_worker[0];
  watch({0.9, 0.1});
  // Shares of worker 0's frames: a half, a quarter, and the rest in small parts. 0.4 of the time has to move,
  // which is 4/9 of the frames that it sent.
  send(busy[0], 200);
  send(busy[1], 100);
  for (std::size_t i = 2; i < 12; ++i) send(busy[i], 10);
  plane->moves().see_load({0.9, 0.1});
  EXPECT_TRUE(poll_until([&] { return moved() == 8; })) << moved();
  for (int i = 0; i < 100; ++i) plane->poll();
  EXPECT_EQ(moved(), 8u) << "100 and seven times 10 of 400 are no more than 4/9, one more would be";
  EXPECT_EQ(plane->moves().worker_of(busy[0]), 0u);
  EXPECT_EQ(plane->moves().worker_of(busy[1]), 1u);
  EXPECT_EQ(plane->moves().worker_of(busy[2]), 1u);
  EXPECT_EQ(plane->moves().worker_of(busy[20]), 0u) << "it sent nothing";
  // They work where they are.
  send(busy[1], 50);
  send(busy[0], 50);
}

TEST_F(BalancerTest, LeavesAloneWhatIsNotBusyNotApartOrNotForLong) {
  for (const BusyRatios& busy : {BusyRatios{0.7, 0.0}, BusyRatios{0.95, 0.85}}) {
    watch(busy);
    send(of_worker[0][0], 10);
    send(of_worker[0][1], 10);
    for (int i = 0; i < 8; ++i) {
      plane->moves().see_load(busy);
      for (int k = 0; k < 20; ++k) plane->poll();
    }
  }
  for (int i = 0; i < 8; ++i) {  // now the one, now the other
    plane->moves().see_load(i % 2 == 0 ? BusyRatios{0.9, 0.1} : BusyRatios{0.1, 0.9});
    for (int k = 0; k < 20; ++k) plane->poll();
    send(of_worker[0][i], 10);
  }
  EXPECT_EQ(moved(), 0u);
}

TEST_F(BalancerTest, ABearerThatMovedAnswersToChangesAndIsRemoved) {
  const dp::UeAddress ue = of_worker[0][0];
  const auto move = [&](unsigned worker) {
    std::optional<Ended<unsigned>> ended;
    plane->moves().move(ue, worker, [&](const Ended<unsigned>& how) { ended = how; });
    EXPECT_TRUE(poll_until([&] { return ended.has_value(); }));
    return ended.value_or(Ended<unsigned>{});
  };
  const auto refusal = [&](const Ended<unsigned>& ended) -> std::string {
    if (ended.why == nullptr) return "none";
    try {
      std::rethrow_exception(ended.why);
    } catch (const Refusal& refusal) {
      return refusal.what();
    }
  };
  EXPECT_EQ(move(1).done, 0u);
  EXPECT_EQ(move(1).done, 1u) << "there already";
  EXPECT_EQ(refusal(move(2)), "no worker 2: there are 2, 0 to 1");
  EXPECT_EQ(plane->moves().worker_of(ue), 1u);
  EXPECT_TRUE(
      poll_until([&] { return runtime->shared(1).snapshot.read().bearers == of_worker[1].size() + 1; }));
  const auto apply = [&](const Wish& wish) {
    std::optional<Ended<Applied>> ended;
    plane->bearers().apply([wish] { return wish; }, [&](Ended<Applied> how) { ended = std::move(how); });
    EXPECT_TRUE(poll_until([&] { return ended.has_value(); }));
    return *ended->done;
  };
  const dp::BearerSettings slow = downlink_at(1'000'000);
  EXPECT_EQ(apply({{{ue, slow, Origin::socket}}, {}}).changed, 1u);
  EXPECT_EQ(plane->registry().find(ue)->bearer->downlink.rate(), 1'000'000u);
  send(ue, 5);
  EXPECT_EQ(apply({{}, {ue}}).removed, 1u) << "by way of its home";
  EXPECT_EQ(plane->moves().worker_of(ue), 0u);
  EXPECT_EQ(refusal(move(1)), "no bearer " + dp::to_string(ue));
  EXPECT_EQ(apply({{{ue, slow, Origin::socket}}, {}}).created, 1u);
  EXPECT_EQ(move(1).done, 0u);
  EXPECT_EQ(move(0).done, 1u);
  send(ue, 5);
  EXPECT_EQ(plane->moves().counts()[dp::index(MovedFor::request)], 3u);
}

// More than may be on their way at a time.
TEST_F(BalancerTest, ManyBearersThatMovedAreRemovedTogether) {
  Wish wish;
  for (std::uint32_t n = 0; n < 400; ++n) {
    wish.set.push_back({dp::ue_ipv4(0x0a300000 + n), downlink_at(1'000'000), Origin::socket});
  }
  std::size_t open = 1;
  plane->bearers().apply([wish] { return wish; }, [&](const Ended<Applied>&) { --open; });
  ASSERT_TRUE(poll_until([&] { return open == 0; }));
  Wish away;
  for (const Want& want : wish.set) {
    away.remove.push_back(want.ue);
    ++open;
    plane->moves().move(want.ue, 1 - dp::owner_of(want.ue, 2), [&](const Ended<unsigned>& ended) {
      EXPECT_TRUE(ended.done.has_value());
      --open;
    });
  }
  ASSERT_TRUE(poll_until([&] { return open == 0; }));
  std::size_t removed = 0;
  plane->bearers().apply(
      [away] { return away; },
      [&](const Ended<Applied>& ended) { removed = ended.done ? ended.done->removed : 1; });
  ASSERT_TRUE(poll_until([&] { return removed != 0; }));
  EXPECT_EQ(removed, 400u);
  EXPECT_EQ(plane->registry().size(), 64u);
}

}  // namespace
}  // namespace control
