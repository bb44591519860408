#include "dataplane/ack/engines.h"
#include "tests/support/repair_bench.h"

namespace dp::test {
namespace {

using Notify = FdaSpec::Notify;

// 004 Table 1.
TEST(FdaDraws, HaveThePapersProbabilities) {
  const FdaSpec::Config config;
  EXPECT_NEAR(Fda::notice_probability(config, 60, 30), 0.016, 1e-12);
  EXPECT_NEAR(Fda::notice_probability(config, 128, 30), 0.0523, 5e-5);
}

// Distances are uniform from 1 to 1/P: 31.75 and 10.07 on the average (004 section 3.4).
TEST(FdaDraws, AreSpacedEvenly) {
  for (const auto& [average, expected] : {std::pair{60.0, 31.75}, std::pair{128.0, 10.07}}) {
    const double p = Fda::notice_probability(FdaSpec::Config{}, average, 30);
    Rng rng(7);
    std::uint64_t draws = 0, longest = 0;
    constexpr int kEvents = 100'000;
    for (int event = 0; event < kEvents; ++event) {
      std::uint32_t count = 0;
      while (!rng.chance(Fda::spaced(p, count))) ++count;
      draws += count + 1;
      longest = std::max<std::uint64_t>(longest, count + 1);
    }
    EXPECT_NEAR(static_cast<double>(draws) / kEvents, expected, 0.01 * expected);
    EXPECT_LE(static_cast<double>(longest), 1 / p + 1);
  }
}

class FdaTest : public RepairBench {
 protected:
  // Notifies sources as soon as two segments are in the buffer.
  static FdaSpec::Config eager() {
    return {.threshold = {2}, .minsize = {1}, .weight = 1, .pc = 1, .pr = 1, .loss = 0.5};
  }
  Bearer& begin(const FdaSpec::Config& config, const Looks& how = {}) {
    Bearer& bearer = add(kUe, keeping({config, NewSnoop::Config{.places = Places::buffer}}));
    open(how);
    data(1, 20);
    run_for(40);
    down();
    return bearer;
  }
  std::vector<bool> eces() {
    std::vector<bool> out;
    for (const auto& sent : io.sent) {
      if (sent.side == Side::core) out.push_back((load8(sent.bytes.data() + 34 + 13) & TcpView::kEce) != 0);
    }
    look_away();
    return out;
  }
};

TEST_F(FdaTest, ThreeCopiesFollowANewAckAndNoMoreUntilThatIsOver) {
  begin(eager());
  ack(2);
  EXPECT_EQ(up(), (Numbers{2, 2, 2, 2}));
  EXPECT_EQ(created(Creation::forced_ack), 3u);
  EXPECT_EQ(counted(AckEvent::copied), 3u);
  EXPECT_EQ(counted(AckEvent::notified), 1u);
  for (std::uint32_t n = 3; n <= 15; ++n) ack(n);
  EXPECT_EQ(up().size(), 13u) << "none before what was there then is acknowledged";
  ack(21);
  up();
  data(21, 40);
  run_for(40);
  ack(22);
  EXPECT_EQ(up(), (Numbers{22, 22, 22, 22}));
}

TEST_F(FdaTest, NothingHappensBelowTheThreshold) {
  FdaSpec::Config config = eager();
  config.threshold = {21};
  begin(config);
  for (std::uint32_t n = 2; n <= 21; ++n) ack(n);
  EXPECT_EQ(up().size(), 20u);
  EXPECT_EQ(counted(AckEvent::notified) + counted(AckEvent::unheard), 0u);
}

// 004 eq. 1: 64 ACKs at a constant occupancy.
TEST_F(FdaTest, TheAverageFollowsTheOccupancy) {
  FdaSpec::Config config;
  const double at64 = 20 * (1 - std::pow(1 - config.weight, 20));
  // It moves before the ACK frees anything: 20, 19, ... places.
  double average = 0;
  for (int q = 20; q > 0; --q) average += config.weight * (q - average);
  EXPECT_LT(average, at64);
  for (const bool reached : {true, false}) {
    config.threshold = {static_cast<std::uint32_t>(reached ? average : average + 1)};
    config.minsize = {1};
    config.pc = 1;
    const std::uint64_t before = counted(AckEvent::notified);
    Bearer& bearer = begin(config);
    for (std::uint32_t n = 2; n <= 21; ++n) ack(n);
    EXPECT_EQ(counted(AckEvent::notified) > before, reached);
    command(RemoveBearer{&bearer});
    look_away();
  }
}

TEST_F(FdaTest, ADuplicateLetsAKeptSegmentGoThatWasSentOnceOnly) {
  Bearer& bearer = begin(eager());
  ack(2);
  up();
  EXPECT_EQ(retained(), 19u);
  acks(2, 3);
  EXPECT_EQ(counted(AckEvent::let_go), 3u);
  EXPECT_EQ(retained(), 16u);
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 16u);
  EXPECT_NE(bearer.acks->kept_of(flow_of(bearer)), 0u);
  run_for(20);
  EXPECT_LE(down().size(), 1u);
}

TEST_F(FdaTest, AFlowWithEcnIsToldByEceUntilItAnswers) {
  begin(eager(), {.sack = true, .ecn = true});
  ack(2);
  ack(3);
  EXPECT_EQ(eces(), (std::vector<bool>{true, true}));
  data(21, 21, 40000, TcpView::kAck | TcpView::kCwr);
  ack(4);
  ack(5);
  EXPECT_EQ(eces(), (std::vector<bool>{false, false}));
  EXPECT_EQ(counted(AckEvent::copied), 0u);
  EXPECT_EQ(created(Creation::forced_ack), 0u);
}

TEST_F(FdaTest, AFlowThatHeedsNeitherIsCounted) {
  begin(eager(), {.sack = true});
  ack(2);
  EXPECT_EQ(up(), (Numbers{2}));
  EXPECT_EQ(counted(AckEvent::unheard), 1u);
}

TEST_F(FdaTest, EceIsNotWrittenForFlowsWithoutEcn) {
  FdaSpec::Config config = eager();
  config.notify = Notify::ece;
  begin(config);
  ack(2);
  EXPECT_EQ(eces(), (std::vector<bool>{false}));
  EXPECT_EQ(counted(AckEvent::unheard), 1u);
}

TEST_F(FdaTest, PlainSynsMakeCopiesWorkOnEverybody) {
  FdaSpec::Config config = eager();
  config.plain_syn = true;
  add(kUe, keeping({config, NewSnoop::Config{.places = Places::buffer}}));
  open({.sack = true, .stamps = true});
  looks.stamps = false;
  data(1, 20);
  run_for(40);
  ack(2);
  EXPECT_EQ(up().size(), 4u);
}

TEST_F(FdaTest, WithoutMemoryFewerCopiesLeave) {
  begin(eager());
  io.max_frames = 0;
  ack(2);
  EXPECT_EQ(up(), (Numbers{2}));
  EXPECT_EQ(created(Creation::forced_ack), 0u);
  io.max_frames = 1000;
}

TEST_F(FdaTest, AUeThatSplitsItsAcksDoesNotDriveTheAverage) {
  FdaSpec::Config config;
  config.threshold = {10};
  config.minsize = {1};
  config.weight = 0.02;
  config.pc = 1;
  for (const auto count : {FdaSpec::Count::segment, FdaSpec::Count::ack}) {
    config.count = count;
    const std::uint64_t before = counted(AckEvent::notified);
    Bearer& bearer = begin(config);
    for (std::uint32_t octets = 10; octets <= 1000; octets += 10) {
      io.offer(Side::radio, {.src = Ip("10.45.0.2"),
                             .dst = Ip("192.0.2.1"),
                             .sport = 40000,
                             .dport = 80,
                             .seq = kUeIsn + 1,
                             .ack = seq_of(1) + octets,
                             .window = kWindow,
                             .payload = 0});
      settle();
    }
    EXPECT_EQ(counted(AckEvent::notified) > before, count == FdaSpec::Count::ack);
    command(RemoveBearer{&bearer});
    look_away();
  }
}

}  // namespace
}  // namespace dp::test
