// For how long a UE or server that is gone, or that does not read, may keep a split connection.
#include "tests/unit/split/crowd_bench.h"

namespace dp::test {
namespace {

using namespace std::chrono_literals;

class SplitHeld : public CrowdBench {
 protected:
  static constexpr SplitConfig kConfig{.window = 8192, .retries = 4, .idle = 60s};
  static constexpr Name kOnly{0, 40'000};
};

// RFC 9293 section 3.8.6.1.
TEST_F(SplitHeld, AUeThatClosedItsWindowAndVanishedIsGivenUpThoughTheServerProbes) {
  begin(kConfig, 1);
  open_and_stall(kOnly);
  forget();
  std::size_t answered = 0;
  for (int i = 0; i < 12 && split() == 1; ++i) {
    forget();
    server(kOnly, {.seq = 1 + 2 * kMss, .payload = 1});  // the advertised window is full
    answered += left(Side::core).size();
    run_for(5s);
  }
  EXPECT_GT(answered, 0u);
  EXPECT_EQ(split(), 0u);
  EXPECT_EQ(resets(SplitReset::ue_silent), 1u);
  EXPECT_EQ(counters().at_risk_bytes.get(), 0u);
  EXPECT_EQ(count(left(Side::core), TcpView::kRst), 1u);
  EXPECT_EQ(count(left(Side::radio), TcpView::kRst), 1u);
  forget();
  server(kOnly, {.seq = 1 + 2 * kMss, .payload = 1});
  EXPECT_TRUE(left(Side::core).empty()) << "nobody answers for the UE any more";
}

TEST_F(SplitHeld, AUeThatAnswersEachProbeByAClosedWindowKeepsItsConnection) {
  begin(kConfig, 1);
  open_and_stall(kOnly);
  std::size_t probes = 0;
  for (int i = 0; i < 3600; ++i) {
    forget();
    run_for(1s);
    if (left(Side::radio).empty()) continue;
    ++probes;
    ue(kOnly, {.ack = 1, .window = 0});
  }
  EXPECT_GT(probes, 60u);
  EXPECT_EQ(split(), 1u);
  ue(kOnly, {.ack = 1, .window = 30'000});
  run_for(2s);
  ue(kOnly, {.ack = 1 + 2 * kMss});
  EXPECT_EQ(counters().at_risk_bytes.get(), 0u);
  EXPECT_EQ(resets(SplitReset::ue_silent), 0u);
}

TEST_F(SplitHeld, AUeThatNeverAcknowledgesTheFinIsGivenUpWhateverItsWindow) {
  begin(kConfig, 1);
  for (const std::uint16_t window : {30'000, 0}) {
    const Name name{0, static_cast<std::uint16_t>(1 + window)};
    open(name);
    server(name, {.seq = 1, .payload = kMss, .flags = TcpView::kAck | TcpView::kFin});
    ue(name, {.ack = 1 + kMss, .window = window});
  }
  EXPECT_EQ(split(), 2u);
  run_for(2min);
  EXPECT_EQ(split(), 0u);
  EXPECT_FALSE(proxy(0).holds());
}

// The hole before what is stored is never filled.
TEST_F(SplitHeld, AServerThatVanishesBehindAHoleIsForgottenAfterIdle) {
  begin(kConfig, 1);
  open(kOnly);
  server(kOnly, {.seq = 1, .payload = kMss});
  ue(kOnly, {.ack = 1 + kMss});
  server(kOnly, {.seq = 1 + 2 * kMss, .payload = kMss});
  ASSERT_TRUE(proxy(0).holds());
  run_for(70s);
  EXPECT_EQ(split(), 0u);
  EXPECT_FALSE(proxy(0).holds());
  EXPECT_EQ(worker->context().proxy_store.taken(), 0u);
  EXPECT_EQ(worker->context().timers.size(), 0u);
}

TEST_F(SplitHeld, AConnectionForWhichTheBuffersRoomNeverComesIsResetAfterIdle) {
  begin(kConfig, 1, 10, bearer_at(8, 1));  // a segment takes 17 minutes
  const Name first{0, 1}, second{0, 2};
  for (const Name& name : {first, second}) open(name);
  run_for(10min);
  for (const Name& name : {first, second}) {
    server(name, {.seq = 1, .payload = kMss});
    server(name, {.seq = 1 + kMss, .payload = kMss});
  }
  ASSERT_EQ(split(), 2u);
  for (int i = 0; i < 7; ++i) {
    server(second, {.seq = 1 + 2 * kMss - 1});  // probes whether the UE is there
    run_for(10s);
  }
  EXPECT_EQ(split(), 1u) << "the first waits for a timeout";
  EXPECT_EQ(resets(SplitReset::ue_silent), 1u);
  run_for(2min);
  EXPECT_EQ(split(), 0u);
}

// Half of a stored segment can only be sent as a copy.
TEST_F(SplitHeld, AConnectionWhoseRepeatsFindNoMemoryIsResetAndCountedApart) {
  begin(kConfig, 1);
  open(kOnly);
  server(kOnly, {.seq = 1, .payload = kMss});
  ue(kOnly, {.ack = 1, .window = kMss / 2});
  io.max_frames = 0;
  run_for(30min);
  EXPECT_EQ(split(), 0u);
  EXPECT_EQ(resets(SplitReset::no_memory), 1u);
  EXPECT_EQ(resets(SplitReset::ue_silent), 0u);
  EXPECT_EQ(counters().at_risk_bytes.get(), 0u);
}

TEST_F(SplitHeld, AConnectionThatFindsNoMemoryToSendAnythingIsResetAfterIdleAndCountedApart) {
  begin(kConfig, 1);
  ue(kOnly, {.seq = 0, .flags = TcpView::kSyn});
  server(kOnly, {.seq = 0, .ack = 1, .flags = TcpView::kSyn | TcpView::kAck});
  ue(kOnly, {.window = kMss / 2});
  server(kOnly, {.seq = 1, .payload = 1});
  ue(kOnly, {.ack = 2, .window = kMss / 2});
  const std::size_t held = io.outstanding();
  server(kOnly, {.seq = 2, .payload = kMss});
  io.max_frames = 0;
  ue(kOnly, {.ack = 2, .window = kMss / 2 + 1});
  EXPECT_GT(io.outstanding(), held);
  run_for(30min);
  EXPECT_EQ(split(), 0u);
  EXPECT_EQ(resets(SplitReset::no_memory), 1u);
  EXPECT_EQ(resets(SplitReset::ue_silent), 0u);
}

TEST_F(SplitHeld, AConnectionWhoseMemoryComesBackGoesOnAndASilentUeIsCountedAsSuch) {
  begin(kConfig, 1);
  open(kOnly);
  server(kOnly, {.seq = 1, .payload = kMss});
  ue(kOnly, {.ack = 1, .window = kMss / 2});
  io.max_frames = 0;
  run_for(3s);
  EXPECT_EQ(split(), 1u);
  io.max_frames = ~std::size_t{0};
  run_for(30min);
  EXPECT_EQ(split(), 0u);
  EXPECT_EQ(resets(SplitReset::no_memory), 0u);
  EXPECT_EQ(resets(SplitReset::ue_silent), 1u);
}

TEST_F(SplitHeld, ADrainOfAUeThatVanishedWithAClosedWindowEndsInAReset) {
  begin(kConfig, 1);
  open_and_stall(kOnly);
  command(DrainProxies{.on = true});
  EXPECT_EQ(split(), 1u);
  run_for(2min);
  EXPECT_EQ(split(), 0u);
  EXPECT_EQ(resets(SplitReset::ue_silent), 1u);
}

TEST_F(SplitHeld, AServerThatVanishesWithOctetsAtRiskLeavesThemToTheUeAndIsForgotten) {
  begin(kConfig, 1);
  open(kOnly);
  server(kOnly, {.seq = 1, .payload = kMss});
  server(kOnly, {.seq = 1 + kMss, .payload = kMss});
  ASSERT_GT(counters().at_risk_bytes.get(), 0u);
  run_for(500ms);
  ue(kOnly, {.ack = 1 + 2 * kMss});
  EXPECT_EQ(counters().at_risk_bytes.get(), 0u);
  run_for(70s);
  EXPECT_EQ(split(), 0u);
  EXPECT_EQ(resets(SplitReset::ue_silent), 0u);
}

}  // namespace
}  // namespace dp::test
