// Whole connections of the engines through the split proxy (dataplane/split): every octet arrives, and both
// wires are checked.
#include "tests/support/runs.h"
#include "tests/unit/split/split_bench.h"

namespace dp::test {
namespace {

using namespace std::chrono_literals;

class SplitStream : public SplitBench {
 protected:
  // A connection as chance would have it.
  PathSpec spec_for(std::uint32_t seed) const {
    static constexpr std::array kLosses{0.0, 0.0, 0.005, 0.02, 0.06, 0.15};
    static constexpr std::array<std::uint16_t, 6> kMss{1460, 1460, 536, 1200, 300, 1448};
    static constexpr std::array<std::uint8_t, 5> kScales{0, 2, 7, 10, 14};
    std::mt19937 draw(seed);
    const auto of = [&](const auto& list) { return list[draw() % list.size()]; };
    PathSpec s;
    s.seed = seed;
    s.bearer = bearer_at(std::array{256'000u, 2'000'000u, 8'000'000u}[draw() % 3], 10 + draw() % 60);
    SplitConfig proxy;
    proxy.initial_window = static_cast<std::uint16_t>(1 + draw() % 20);
    proxy.window = 4096u << draw() % 6;
    proxy.min_rto = std::array{200ms, 1000ms}[draw() % 2];
    proxy.ack_every = static_cast<std::uint16_t>(1 + draw() % 3);
    proxy.congestion = draw() % 2 == 0 ? SplitCongestion::newreno : SplitCongestion::cubic;
    proxy.store = std::max(proxy.window, 65'536u);
    s.bearer.proxy = proxy;
    s.wired = std::array{1ms, 20ms, 100ms}[draw() % 3];
    s.radio = std::array{2ms, 10ms, 75ms}[draw() % 3];
    s.wired_loss = of(kLosses);
    s.wired_ack_loss = of(kLosses);
    s.radio_loss = of(kLosses);
    s.radio_ack_loss = of(kLosses);
    s.jitter = draw() % 3 == 0 ? 8ms : 0ms;
    s.sender.mss = of(kMss);
    s.receiver.mss = of(kMss);
    s.sender.sack = draw() % 3 != 0;
    s.receiver.sack = draw() % 4 != 0;
    if (s.sender.sack) s.sender.congestion = SackReno::Config{};
    s.sender.timestamps = draw() % 2 == 0;
    s.receiver.timestamps = draw() % 4 != 0;
    s.sender.initial_window = static_cast<std::uint16_t>(1 + draw() % 12);
    s.sender.retries = s.receiver.retries = 200;
    s.receiver.window_scale = of(kScales);
    s.receiver.window = std::max(6'000u << draw() % 8, 2u << s.receiver.window_scale);
    s.receiver.ack_every = static_cast<std::uint16_t>(1 + draw() % 2);
    if (draw() % 5 == 0) s.receiver.read_rate = 100'000 + draw() % 400'000;
    s.ipv6 = draw() % 4 == 0;
    s.ue_connects = draw() % 2 == 0;
    if (over_am) {
      AmLinkConfig link;
      link.channel = ChannelChoice{ChannelList::index_of("bernoulli")};
      link.errors = draw() % 2 == 0 ? AmErrors::pdu : AmErrors::frame;
      s.bearer.downlink.link = s.bearer.uplink.link = link;
      s.bearer.uplink.rate = s.bearer.downlink.rate;
      s.bearer.uplink.buffer = s.bearer.downlink.buffer;
    }
    return s;
  }

  bool over_am = false;

  void expect_nothing_left() {
    const FrameAccount& account = worker->context().account;
    EXPECT_EQ(account.residue(), 0);
    EXPECT_EQ(account.retained, 0u);
    EXPECT_EQ(worker->context().proxy_store.taken(), 0u);
    EXPECT_EQ(counters().stored_bytes.get(), 0u);
    EXPECT_EQ(counters().at_risk_bytes.get(), 0u);
    for (const Counter& state : counters().flows) EXPECT_EQ(state.get(), 0u);
  }

  // Answers whether it was split.
  bool run_one(std::uint32_t seed, std::uint64_t octets) {
    const PathSpec spec = spec_for(seed);
    const std::uint64_t acked = counters().acked_bytes.get();
    begin_split(spec);
    source->offer(octets);
    source->close();
    EXPECT_TRUE(run_to_both_ends(3h)) << "source at " << source->stats().acked_bytes << " of " << octets;
    EXPECT_EQ(ue->stats().delivered_bytes, octets);
    EXPECT_EQ(ue->stats().corrupt, 0u);
    run_for(1s);
    EXPECT_EQ(bearer->proxy->split(), 0u);
    command(RemoveBearer{std::exchange(bearer, nullptr)});
    expect_nothing_left();
    return counters().acked_bytes.get() > acked;
  }
};

TEST_F(SplitStream, EveryOctetOfRandomConnectionsArrives) {
  // From which seed, and how many: others than these are one command away.
  const char* const from = std::getenv("RNCD_SPLIT_FROM");
  const char* const many = std::getenv("RNCD_SPLIT_CONNECTIONS");
  const std::uint32_t first = from == nullptr ? 1 : static_cast<std::uint32_t>(std::atoi(from));
  const std::uint32_t count = many == nullptr ? runs_of(10'000) : static_cast<std::uint32_t>(std::atoi(many));
  std::uint32_t split = 0;
  for (std::uint32_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 draw(seed + 77);
    split += run_one(seed, 1 + draw() % (seed % 50 == 0 ? 2'000'000 : 60'000)) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GE(split, count * 8 / 10);
}

// The legs share an air. Several ACKs that one TTI of the uplink delivers are several times to send by the
// downlink, while the air is at work.
TEST_F(SplitStream, EveryOctetArrivesOverAcknowledgedMode) {
  for (std::uint32_t seed = 1; seed <= runs_of(200); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    over_am = true;
    run_one(seed, 30'000 + seed * 100);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace dp::test
