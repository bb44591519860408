// Both TCP engines (dataplane/tcp) against each other over wires that lose, queue and delay.
#include <random>

#include <gtest/gtest.h>

#include "dataplane/packet/checksum.h"
#include "tests/support/tcp_runs.h"

namespace dp::test {
namespace {

using Segments = std::vector<Offset>;

RunSpec run_of(CongestionConfig kind) {
  RunSpec run;
  run.kind = std::move(kind);
  run.initial_ssthresh = 20;
  return run;
}

TEST(TcpTransfer, WithoutLossTakesTheTimeOfItsBitsAndItsSlowStart) {
  TcpBench bench(bench_of(run_of(Reno::Config{})));
  bench.sender.offer(200 * kRunMss);
  bench.sender.close();
  ASSERT_TRUE(bench.run_to_end(at_ms(60'000)));
  EXPECT_EQ(bench.receiver.stats().delivered_segments, 200u);
  EXPECT_EQ(bench.sender.stats().retransmitted, 0u);
  EXPECT_EQ(bench.forward[1].dropped, 0u);
  // 200 packets of 1500 bytes at 384 kbit/s are 6.25 s, and slow start leaves the link idle at first.
  EXPECT_GT(bench.clock.now(), at_ms(6'250 + 250));
  EXPECT_LT(bench.clock.now(), at_ms(8'500));
}

TEST(TcpTransfer, EndsOnBothSides) {
  for (const bool ipv6 : {false, true}) {
    BenchSpec spec;
    spec.ipv6 = ipv6;
    spec.receiver_connects = ipv6;
    spec.sender.timestamps = true;
    TcpBench bench(spec);
    bench.sender.offer(100'000);
    bench.sender.close();
    bench.run_until(at_ms(10'000));
    EXPECT_TRUE(bench.sender.all_acked());
    EXPECT_TRUE(bench.receiver.finished());
    EXPECT_EQ(bench.receiver.stats().delivered_bytes, 100'000u);
    EXPECT_EQ(bench.sender.next_deadline(), kNever);
    EXPECT_EQ(bench.receiver.next_deadline(), kNever);
  }
}

struct DropCase {
  const char* name;
  CongestionConfig kind;
  Segments drops, retransmitted;
  std::uint64_t timeouts;
};

const Segments kOne{62}, kTwo{62, 64}, kThree{62, 64, 66}, kFour{62, 64, 66, 68};

// A window of 20 segments. Tahoe repeats what it had after the first hole, too, as far as slow start gets
// before the ACKs jump; Reno needs the timeout from the third loss on; NewReno and SACK repeat the holes.
const DropCase kDropCases[]{
    {"tahoe", Tahoe::Config{}, kOne, {62}, 0},
    {"tahoe", Tahoe::Config{}, kTwo, {62, 64, 65}, 0},
    {"tahoe", Tahoe::Config{}, kThree, {62, 64, 65, 66, 67, 68}, 0},
    {"tahoe", Tahoe::Config{}, kFour, {62, 64, 65, 66, 67, 68, 69, 70, 71}, 0},
    {"reno", Reno::Config{}, kOne, {62}, 0},
    {"reno", Reno::Config{}, kTwo, {62, 64}, 1},
    {"reno", Reno::Config{}, kThree, {62, 64, 66, 67}, 1},
    {"reno", Reno::Config{}, kFour, {62, 64, 66, 67, 68, 69, 70}, 1},
    {"newreno", NewReno::Config{}, kOne, kOne, 0},
    {"newreno", NewReno::Config{}, kTwo, kTwo, 0},
    {"newreno", NewReno::Config{}, kThree, kThree, 0},
    {"newreno", NewReno::Config{}, kFour, kFour, 0},
    {"sack", SackReno::Config{}, kOne, kOne, 0},
    {"sack", SackReno::Config{}, kTwo, kTwo, 0},
    {"sack", SackReno::Config{}, kThree, kThree, 0},
    {"sack", SackReno::Config{}, kFour, kFour, 0},
    {"westwood-nr", WestwoodNr::Config{}, kFour, kFour, 0},
    {"cubic", Cubic::Config{}, kFour, kFour, 0},
};

TEST(TcpTransfer, WithSegmentsOfOneWindowLostRepeatsWhatItsKindSays) {
  for (const DropCase& c : kDropCases) {
    const DropRun run = controlled_drop_run(run_of(c.kind), c.drops);
    EXPECT_EQ(run.retransmitted, c.retransmitted) << c.name << " " << c.drops.size();
    EXPECT_EQ(run.timeouts, c.timeouts) << c.name << " " << c.drops.size();
  }
}

TEST(TcpTransfer, WithoutTheGuardLetsRenoMendTwoLossesByDuplicates) {
  RunSpec run = run_of(Reno::Config{});
  run.guard = false;
  const DropRun result = controlled_drop_run(run, kTwo);
  EXPECT_EQ(result.retransmitted, kTwo);
  EXPECT_EQ(result.timeouts, 0u);
}

TEST(TcpTransfer, OfMoreLossesTakesRenoLongerThanNewRenoAndNewRenoLongerThanSack) {
  const Segments drops{62, 63, 64, 65, 66, 67, 68};
  const double reno = controlled_drop_run(run_of(Reno::Config{}), drops).completion;
  const double newreno = controlled_drop_run(run_of(NewReno::Config{}), drops).completion;
  const double sack = controlled_drop_run(run_of(SackReno::Config{}), drops).completion;
  EXPECT_GT(reno, newreno);
  EXPECT_GT(newreno, sack);
}

TEST(TcpTransfer, ThroughAnApplicationThatReadsSlowlyRunsAtItsRateWithoutATimeout) {
  BenchSpec spec;
  spec.receiver.window = 16'000;
  spec.receiver.read_rate = 80'000;
  TcpBench bench(spec);
  bench.sender.offer_unbounded();
  bench.run_until(at_ms(30'000));
  // 10 kB a second for 30 s but the start, and up to a window in the buffer.
  EXPECT_GE(bench.receiver.stats().delivered_bytes, 297'000u + 8'000u);
  EXPECT_LE(bench.receiver.stats().delivered_bytes, 300'000u + 16'000u);
  EXPECT_EQ(bench.sender.stats().timeouts, 0u);
  EXPECT_EQ(bench.sender.stats().retransmitted, 0u);
}

TEST(TcpTransfer, ThatAnAckStageGivesASmallerWindowKeepsWithinIt) {
  TcpBench bench(bench_of(run_of(Reno::Config{})));
  bench.sender.offer_unbounded();
  Offset edge = 0;
  bench.on_way_back = [&](TcpBench::Packet& p) {
    if (p.segment.has(TcpView::kSyn)) return;
    std::byte* tcp = p.bytes.data() + 20;
    const std::uint16_t before = load16(tcp + 14);
    const std::uint16_t window = 3 * kRunMss >> 6;
    store16(tcp + 14, window);
    store16(tcp + 16, checksum_update16(load16(tcp + 16), before, window));
    EXPECT_TRUE(tcp_checksums_right(p.bytes));
    edge = std::max<Offset>(edge, Offset{p.segment.ack} + (Offset{window} << 6));
  };
  bench.run_until(at_ms(20'000));
  EXPECT_GT(bench.data.size(), 100u);
  EXPECT_LE(bench.forward[1].longest, 3u);
  EXPECT_EQ(bench.sender.stats().retransmitted, 0u);
  for (const auto& p : bench.data) {
    EXPECT_LE(Offset{p.segment.seq} + p.sent.payload, std::max<Offset>(edge, 1001 + kRunMss));
  }
}

TEST(TcpTransfer, ThatAClosedWindowInterruptsGoesOn) {
  TcpBench bench(BenchSpec{});
  bench.sender.offer(1'000'000);
  bench.sender.close();
  bench.run_until(at_ms(500));
  bench.receiver.pause(bench.clock.now());
  bench.run_until(at_ms(20'000));
  EXPECT_GE(bench.sender.stats().probes, 3u);
  EXPECT_EQ(bench.sender.stats().timeouts, 0u);
  EXPECT_LT(bench.receiver.stats().delivered_bytes, 1'000'000u);
  bench.receiver.resume(bench.clock.now());
  EXPECT_TRUE(bench.run_to_end(at_ms(60'000)));
  EXPECT_EQ(bench.receiver.stats().delivered_bytes, 1'000'000u);
  EXPECT_EQ(bench.receiver.stats().corrupt, 0u);
}

TEST(TcpTransfer, OfMoreThanSequenceSpaceHoldsKeepsCounting) {
  BenchSpec spec;
  spec.forward = spec.backward = {{.delay = ms(1)}};
  spec.sender.mss = 60'000;
  spec.receiver.mss = 60'000;
  spec.receiver.window = 4'000'000;
  spec.receiver.window_scale = 10;
  spec.sender.timestamps = true;
  TcpSender sender(spec.sender, test_path(), 5);
  TcpReceiver receiver(spec.receiver, test_path().reversed(), 6);
  ManualClock clock;
  std::vector<std::byte> buffer(65'536);
  receiver.listen();
  sender.connect();
  sender.offer(std::uint64_t{5} << 30);
  for (int round = 0; round < 100'000 && !(sender.established() && sender.all_acked()); ++round) {
    clock.advance(ms(0.1));
    while (const std::size_t n =
               sender.emit(clock.now(), buffer, [](std::uint32_t, Offset, std::span<std::byte>) {}))
      receiver.on_segment(*read_tcp({buffer.data(), n}), clock.now());
    while (const std::size_t n = receiver.emit(clock.now(), buffer))
      sender.on_segment(*read_tcp({buffer.data(), n}), clock.now());
  }
  EXPECT_EQ(receiver.stats().delivered_bytes, std::uint64_t{5} << 30);
  EXPECT_EQ(sender.stats().retransmitted, 0u);
}

struct Kind {
  const char* name;
  CongestionConfig config;
};

class RandomLoss : public ::testing::TestWithParam<Kind> {};

double part(std::mt19937& rng) { return std::uniform_real_distribution<>(0, 1)(rng); }

BenchSpec any_spec(const CongestionConfig& kind, std::mt19937& rng) {
  const auto chance = [&](double p) { return part(rng) < p; };
  BenchSpec spec;
  spec.sender.congestion = kind;
  spec.sender.timestamps = chance(0.5);
  spec.sender.sack = chance(0.8);
  spec.sender.limited_transmit = chance(0.5);
  spec.sender.guard = chance(0.5);
  spec.sender.halve_window = chance(0.3);
  spec.sender.initial_window = static_cast<std::uint16_t>(1 + rng() % 12);
  spec.sender.rto.floor = ms(chance(0.5) ? 200 : 1000);
  spec.sender.retries = spec.receiver.retries = 1000;
  spec.receiver.dsack = chance(0.5);
  spec.receiver.window = 3000 + rng() % 120'000;
  spec.receiver.window_scale = static_cast<std::uint8_t>(rng() % 3);
  spec.receiver.max_ranges = static_cast<std::uint16_t>(1 + rng() % 40);
  spec.receiver.read_rate = chance(0.2) ? 400'000 : 0;
  spec.sender_seq = 0xffff0000u + rng() % 0x10000;
  spec.receiver_seq = static_cast<std::uint32_t>(rng());
  spec.ipv6 = chance(0.3);
  spec.receiver_connects = chance(0.5);
  spec.forward = {{2'000'000, ms(20)}, {500'000, ms(30), 5 + rng() % 30}};
  return spec;
}

void expect_acks_never_go_back(const TcpBench& bench, std::uint32_t sender_seq) {
  Offset highest = 0;
  for (const auto& p : bench.acks) {
    if (!p.segment.has(TcpView::kAck)) continue;
    const Offset ack = SeqSpace(sender_seq).offset(p.segment.ack, highest);
    ASSERT_GE(ack, highest);
    highest = ack;
  }
}

// Whatever is lost either way: each byte comes into order once with the right content, ACKs never go back,
// and the transfer ends.
TEST_P(RandomLoss, LosesNothingAndEnds) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    const BenchSpec spec = any_spec(GetParam().config, rng);
    TcpBench bench(spec);
    const double loss = 0.3 * part(rng);
    bench.lose_data([&](std::size_t, const auto&) { return part(rng) < loss; });
    bench.lose_acks([&](std::size_t, const auto&) { return part(rng) < loss / 2; });
    std::uint64_t fresh = 0;
    bench.on_arrival = [&](const TcpReceiver::Arrival& a, const TcpBench::Packet&) { fresh += a.fresh; };
    const std::uint64_t size = 20'000 + rng() % 200'000;
    bench.sender.offer(size);
    bench.sender.close();
    ASSERT_TRUE(bench.run_to_end(Time{} + std::chrono::hours(3)));
    expect_acks_never_go_back(bench, spec.sender_seq);
    ASSERT_EQ(bench.receiver.stats().delivered_bytes, size);
    ASSERT_EQ(fresh, size);
    ASSERT_EQ(bench.receiver.stats().corrupt, 0u);
    ASSERT_EQ(bench.sender.stats().acked_bytes, size);
  }
}

std::vector<Kind> all_kinds() {
  std::vector<Kind> out;
  CongestionList::for_each([&]<class Tag>(Tag) {
    out.push_back({Tag::type::kName.data(), typename Tag::type::Config{}});
  });
  return out;
}
INSTANTIATE_TEST_SUITE_P(Kinds, RandomLoss, ::testing::ValuesIn(all_kinds()), [](const auto& info) {
  std::string name = info.param.name;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace dp::test
