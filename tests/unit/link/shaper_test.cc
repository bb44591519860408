// The shaper as its bearer's frames meet it: exact times, long-run rate, rate changes, late polls.
#include <cmath>

#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

constexpr UeAddress kShapedUe = ue_ipv4(0x0a2d0002);

// An IP packet of `bytes` to the UE.
FrameSpec packet(std::size_t bytes) { return {.dst = Ip("10.45.0.2"), .payload = bytes - 40}; }

class Shaping : public WorkerBench {
 protected:
  void offer(std::size_t n, std::size_t bytes = 1500) {
    for (std::size_t i = 0; i < n; ++i) io.offer(Side::core, packet(bytes));
  }
};

TEST_F(Shaping, AnSduLeavesWhenItsLastBitWouldAndNotANanosecondEarlier) {
  add(kShapedUe, bearer_at(8'000'000));
  const Time start = clock.now();
  offer(1);
  worker->poll_once();
  EXPECT_EQ(worker->next_deadline(), start + Duration{1'500'000});
  clock.set(start + Duration{1'499'999});
  worker->poll_once();
  EXPECT_TRUE(io.sent.empty());
  clock.advance(Duration{1});
  worker->poll_once();
  ASSERT_EQ(io.sent.size(), 1u);
  EXPECT_EQ(io.sent[0].side, Side::radio);
}

TEST_F(Shaping, BackloggedSdusFollowEachOtherWithoutAGap) {
  add(kShapedUe, bearer_at(384'000));
  const Time start = clock.now();
  offer(10);
  run_until(start + Duration{1'000'000'000});
  ASSERT_EQ(io.sent.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ((io.sent[i].at - start).count(), static_cast<std::int64_t>(i + 1) * 31'250'000);
  }
}

TEST_F(Shaping, AnIdleLinkStartsAFrameWhenItComes) {
  add(kShapedUe, bearer_at(8'000'000));
  offer(1);
  run_until(clock.now() + Duration{50'000'000});
  const Time second = clock.now();
  offer(1);
  run_until(second + Duration{50'000'000});
  ASSERT_EQ(io.sent.size(), 2u);
  EXPECT_EQ(io.sent[1].at, second + Duration{1'500'000});
}

TEST_F(Shaping, ALatePollSendsAllThatWasDueTimedFromTheSchedule) {
  add(kShapedUe, bearer_at(8'000'000));
  const Time start = clock.now();
  offer(20);
  worker->poll_once();
  clock.set(start + Duration{10'000'000});  // six are due, the seventh is on its way
  worker->poll_once();
  EXPECT_EQ(io.sent.size(), 6u);
  EXPECT_EQ(worker->next_deadline(), start + Duration{10'500'000});
}

TEST_F(Shaping, APollLaterThanAPortsBacklogIsDeepDropsNothing) {
  constexpr std::uint32_t kBearers = 100, kEach = 100;
  static_assert(kBearers * kEach > Egress::kCap);
  for (std::uint32_t b = 0; b < kBearers; ++b) {
    add(ue_ipv4(0x0a2d0000 + b), bearer_at(1'000'000, kEach));
    for (std::uint32_t i = 0; i < kEach; ++i) io.offer(Side::core, {.dst = Ip(0x0a2d0000 + b)});
  }
  settle();
  clock.advance(Duration{60'000'000'000});
  worker->poll_once();
  EXPECT_EQ(io.sent.size(), kBearers * kEach);
  EXPECT_EQ(worker->context().account.drops(), 0u);
}

TEST_F(Shaping, ABufferFullOnlyBecauseThePollIsLateDropsNothing) {
  add(kShapedUe, bearer_at(8'000'000, 4));
  offer(4);
  worker->poll_once();
  clock.advance(Duration{6'000'000});
  offer(4);
  worker->poll_once();
  EXPECT_EQ(dropped(DropReason::buffer_sdus), 0u);
  EXPECT_EQ(io.sent.size(), 4u);
}

TEST_F(Shaping, LongRunRateIsExactFrom64KbitTo1GbitAcrossRateChanges) {
  for (const std::uint64_t rate : {64'000ul, 384'000ul, 999'983ul, 50'000'000ul, 1'000'000'000ul}) {
    SCOPED_TRACE(rate);
    Bearer& bearer = add(ue_ipv4(0x0a2d0100), bearer_at(rate, 2000));
    const Time start = clock.now();
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < 1000; ++i) {
      const std::size_t size = 41 + i * 7 % 1460;
      io.offer(Side::core, {.dst = Ip("10.45.1.0"), .payload = size - 40});
      bytes += size;
    }
    while (bearer.downlink.buffer().sdus() < 1000) worker->poll_once();
    io.sent.clear();
    BearerSettings half = bearer_at(rate / 2, 2000);
    const double whole_seconds = static_cast<double>(bytes) * 8 / static_cast<double>(rate);
    // One third at the first rate, the rest at half of it.
    run_until(start + Duration{static_cast<std::int64_t>(whole_seconds / 3 * 1e9)});
    command(Reconfigure{&bearer, &half});
    run_until(start + Duration{static_cast<std::int64_t>(whole_seconds * 2e9)});
    ASSERT_EQ(io.sent.size(), 1000u);
    const double expected = whole_seconds / 3 + whole_seconds * 2 / 3 * 2;
    const double took = std::chrono::duration<double>(io.sent.back().at - start).count();
    // Exact to the nanosecond and to what `rate / 2` rounds away.
    EXPECT_NEAR(took, expected, 3e-9 + expected * 1e-6);
    command(RemoveBearer{&bearer});
  }
}

TEST_F(Shaping, ARateChangeRetimesTheSduInService) {
  Bearer& bearer = add(kShapedUe, bearer_at(8'000'000));
  const Time start = clock.now();
  offer(2);
  worker->poll_once();
  clock.set(start + Duration{750'000});  // half of the first is out
  BearerSettings slow = bearer_at(2'000'000);
  command(Reconfigure{&bearer, &slow});
  EXPECT_EQ(bearer.downlink.rate(), 2'000'000u);
  run_until(start + Duration{100'000'000});
  ASSERT_EQ(io.sent.size(), 2u);
  EXPECT_EQ(io.sent[0].at, start + Duration{750'000 + 3'000'000});
  EXPECT_EQ(io.sent[1].at, start + Duration{750'000 + 3'000'000 + 6'000'000});
}

TEST_F(Shaping, RatesCountIpBytesNotFrames) {
  add(kShapedUe, bearer_at(8'000'000));
  const Time start = clock.now();
  io.offer(Side::core,
           {.vlans = {{0x88a8, 7}, {0x8100, 9}}, .dst = Ip("10.45.0.2"), .payload = 1460, .padding = 8});
  run_until(start + Duration{5'000'000});
  ASSERT_EQ(io.sent.size(), 1u);
  EXPECT_EQ(io.sent[0].at, start + Duration{1'500'000});
}

TEST_F(Shaping, LimitsInSdusAndInBytesBothHold) {
  Bearer& bearer = add(kShapedUe, {.downlink = shaper(1'000'000, 10, 5000)});
  offer(4);
  run_until(clock.now());
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 3u);
  EXPECT_EQ(dropped(DropReason::buffer_bytes), 1u);
  offer(10, 41);
  run_until(clock.now());
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 10u);
  EXPECT_EQ(dropped(DropReason::buffer_sdus), 3u);
  EXPECT_EQ(bearer.downlink.buffer().dropped_sdus(), 4u);
}

TEST_F(Shaping, ALowerLimitKeepsWhatIsQueued) {
  Bearer& bearer = add(kShapedUe, bearer_at(1'000'000, 50));
  offer(40);
  run_until(clock.now());
  BearerSettings small = bearer_at(1'000'000, 5);
  command(Reconfigure{&bearer, &small});
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 40u);
  offer(1);
  run_until(clock.now());
  EXPECT_EQ(dropped(DropReason::buffer_sdus), 1u);
  run_until(clock.now() + Duration{1'000'000'000});
  EXPECT_EQ(io.sent.size(), 40u);
}

TEST_F(Shaping, BuffersNeverTakeMoreThanTheirShareOfThePool) {
  worker = std::make_unique<BenchWorker>(clock, io, *shared, WorkerLimits{.max_bearers = 16, .mbuf_cap = 7});
  Bearer& bearer = add(kShapedUe, bearer_at(1'000'000));
  offer(10);
  run_until(clock.now());
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 7u);
  EXPECT_EQ(dropped(DropReason::pool), 3u);
}

TEST_F(Shaping, AnUplinkWithARateHasABufferOfItsOwn) {
  Bearer& bearer = add(kShapedUe, {.downlink = shaper(8'000'000), .uplink = shaper(1'000'000, 2)});
  const Time start = clock.now();
  for (int i = 0; i < 3; ++i)
    io.offer(Side::radio, {.src = Ip("10.45.0.2"), .dst = Ip("192.0.2.1"), .payload = 1460});
  worker->poll_once();
  EXPECT_EQ(bearer.uplink.buffer().sdus(), 2u);
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 0u);
  run_until(start + Duration{100'000'000});
  ASSERT_EQ(io.sent.size(), 2u);
  EXPECT_EQ(io.sent[0].side, Side::core);
  EXPECT_EQ(io.sent[0].at, start + Duration{12'000'000});
}

TEST_F(Shaping, AnUplinkTurnedFromShaperToWireSendsItsQueueFirst) {
  Bearer& bearer = add(kShapedUe, {.downlink = shaper(8'000'000), .uplink = shaper(64'000)});
  for (int i = 0; i < 5; ++i) {
    io.offer(Side::radio,
             {.src = Ip("10.45.0.2"), .dst = Ip("192.0.2.1"), .ident = static_cast<std::uint32_t>(i)});
  }
  worker->poll_once();
  BearerSettings wire = bearer_at(8'000'000);
  command(Reconfigure{&bearer, &wire});
  EXPECT_EQ(io.sent.size(), 5u);
  io.offer(Side::radio, {.src = Ip("10.45.0.2"), .dst = Ip("192.0.2.1")});
  worker->poll_once();
  EXPECT_EQ(io.sent.size(), 6u);
}

TEST_F(Shaping, SojournRunsFromArrivalToTheLastBit) {
  add(kShapedUe, bearer_at(8'000'000));
  offer(2);
  run_until(clock.now() + Duration{10'000'000});
  const DurationHistogram& h = shared->classes[0].legs[0].sojourn;
  EXPECT_EQ(h.sum_ns(), 1'500'000u + 3'000'000u);
  EXPECT_EQ(h.bucket(4), 1u);  // up to 2 ms
  EXPECT_EQ(h.bucket(5), 1u);  // up to 5 ms
}

}  // namespace
}  // namespace dp::test
