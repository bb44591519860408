// The proxy's first timeout towards the UE: by the handshake's round trip where it could be measured.
#include "tests/unit/split/crowd_bench.h"

namespace dp::test {
namespace {

using namespace std::chrono_literals;

class SplitFirstTimeout : public CrowdBench {
 protected:
  static constexpr SplitConfig kConfig{.window = 8192, .initial_rto = 2500ms, .min_rto = 300ms};
  static constexpr Name kOnly{0, 40'000};

  void begin_timing(const SplitConfig& config = kConfig) { CrowdBench::begin(config, 1); }
  void answer_syn() { server(kOnly, {.seq = 0, .ack = 1, .flags = TcpView::kSyn | TcpView::kAck}); }
  // From a segment with data, the `at`-th octet on, until the proxy sends it again.
  Duration until_the_first_repeat(const Name& name = kOnly, std::uint32_t at = 1) {
    server(name, {.seq = at, .payload = kMss});
    EXPECT_EQ(proxy(0).split(), 1u);
    const Time sent = clock.now();
    forget();
    while (left(Side::radio).empty() && clock.now() - sent < 60s) run_for(1ms);
    return clock.now() - sent;
  }
  static void expect_near(Duration found, Duration expected) {
    EXPECT_GT(found, expected - 10ms);
    EXPECT_LT(found, expected + 10ms);
  }
};

TEST_F(SplitFirstTimeout, IsThreeTimesTheHandshakesRoundTrip) {
  begin_timing();
  for (const auto round_trip : {200ms, 1200ms}) {
    SCOPED_TRACE(round_trip.count());
    const Name name{0, static_cast<std::uint16_t>(round_trip.count())};
    ue(name, {.seq = 0, .flags = TcpView::kSyn});
    server(name, {.seq = 0, .ack = 1, .flags = TcpView::kSyn | TcpView::kAck});
    run_for(round_trip - 1ms);
    ue(name, {});
    expect_near(until_the_first_repeat(name), 3 * round_trip);
    ue(name, {.flags = TcpView::kRst});
  }
}

// Karn: it is unknown which of the two the UE acknowledged.
TEST_F(SplitFirstTimeout, IsInitialRtoIfTheSynAckWasRepeated) {
  begin_timing();
  ue(kOnly, {.seq = 0, .flags = TcpView::kSyn});
  answer_syn();
  run_for(1s);
  answer_syn();
  run_for(200ms);
  ue(kOnly, {});
  expect_near(until_the_first_repeat(), kConfig.initial_rto);
}

TEST_F(SplitFirstTimeout, IsTimedFromTheSynOfAServerThatConnects) {
  begin_timing();
  server(kOnly, {.seq = 0, .flags = TcpView::kSyn});
  run_for(399ms);
  ue(kOnly, {.seq = 0, .ack = 1, .flags = TcpView::kSyn | TcpView::kAck});
  server(kOnly, {});
  expect_near(until_the_first_repeat(), 1200ms);
}

TEST_F(SplitFirstTimeout, IsNeverBelowMinRto) {
  begin_timing();
  open(kOnly);
  expect_near(until_the_first_repeat(), kConfig.min_rto);
}

TEST_F(SplitFirstTimeout, GoesByTheRoundTripLastMeasuredWhenAConnectionIsSplitAgain) {
  SplitConfig config = kConfig;
  config.idle = 5s;
  begin_timing(config);
  ue(kOnly, {.seq = 0, .flags = TcpView::kSyn});
  answer_syn();
  run_for(1500ms);
  ue(kOnly, {});
  server(kOnly, {.seq = 1, .payload = kMss});
  run_for(500ms);
  ue(kOnly, {.ack = 1 + kMss});
  const Duration measured = proxy(0).row_of(*proxy(0).flows().latest()).ue_rtt;
  ASSERT_LT(measured, 1400ms);
  run_for(10s);
  ASSERT_EQ(proxy(0).split(), 0u);
  expect_near(until_the_first_repeat(kOnly, 1 + kMss), 3 * measured);
}

// Linux likewise: what waits in a queue of the host is not lost.
TEST_F(SplitFirstTimeout, DoesNotRunWhileTheSegmentWaitsInTheBearersBuffer) {
  begin(kConfig, 1, 10, bearer_at(8'000, 200));  // a second for each segment
  open(kOnly);
  for (std::uint32_t i = 0; i < 3; ++i) server(kOnly, {.seq = 1 + i * kMss, .payload = kMss});
  run_for(3s);
  EXPECT_EQ(counters().timeouts.get(), 0u);
  run_for(1s);
  EXPECT_GT(counters().timeouts.get(), 0u);
  ue(kOnly, {.ack = 1 + 3 * kMss});
  run_for(10s);  // until the buffer is empty
}

}  // namespace
}  // namespace dp::test
