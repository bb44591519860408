// Errors of each PDU by itself (`errors: pdu`): what shares a fate and what does not, and what counts.
#include "dataplane/link/am/channel_rng.h"
#include "dataplane/link/am/transport_channel.h"
#include "tests/support/am_single.h"

namespace dp::test {
namespace {

AmLinkConfig pdu_errors(std::uint64_t seed) {
  AmLinkConfig config;
  static_cast<AmConfig&>(config) = quiet_but([](AmConfig& c) { c.tx_window = c.rx_window = 2047; });
  config.channel = ChannelChoice{ChannelList::index_of("bernoulli")};
  config.errors = AmErrors::pdu;
  config.delay = ms(0);
  config.seed = seed;
  return config;
}

// A hop between two entities, at `pdus` PDUs a TTI; nothing comes back.
class OneWay {
 public:
  OneWay(const AmLinkConfig& config, unsigned pdus)
      : from(config.rlc(), Time{}),
        to(config.rlc(), Time{}),
        channel(config, Duration{}, channel_rng(config, 0, Direction::downlink)),
        tti_(config.tti) {
    channel.set_rate(config.payload_bits() * pdus * 100);
  }
  // Number of PDUs that arrive of one TTI's frame.
  unsigned step() {
    const auto before = to.entity.stats().pdus_received.get();
    channel.send(from.entity, now_);
    channel.receive(to.entity, now_);
    now_ += tti_;
    return static_cast<unsigned>(to.entity.stats().pdus_received.get() - before);
  }

  PairEnd from, to;
  TransportChannel channel;

 private:
  const Duration tti_;
  Time now_{};
};

struct Moments {
  double mean = 0, variance = 0;
};
template <class Draw>
Moments moments(unsigned n, Draw&& draw) {
  double sum = 0, squares = 0;
  for (unsigned i = 0; i < n; ++i) {
    const double x = draw();
    sum += x;
    squares += x * x;
  }
  return {sum / n, squares / n - sum / n * (sum / n)};
}

// A TTI loses 1.2 of its 12 PDUs, with the variance 12 * 0.1 * 0.9 of independent losses; it were 144 * 0.09
// if all shared one fate.
TEST(AmPduErrors, ThePdusOfATtiAreLostEachByItself) {
  double mean = 0, variance = 0;
  constexpr unsigned kSeeds = 20, kTtis = 170;  // within one window
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    OneWay air(pdu_errors(seed), 12);
    for (unsigned i = 0; i < 60; ++i) air.from.offer(Buffer(1500, std::byte{1}));
    const Moments lost = moments(kTtis, [&] { return 12.0 - air.step(); });
    mean += lost.mean / kSeeds;
    variance += lost.variance / kSeeds;
    EXPECT_EQ(air.channel.frames_sent(), 12u * kTtis) << "blocks";
    EXPECT_EQ(air.channel.frames_received(), air.to.entity.stats().pdus_received.get());
  }
  EXPECT_NEAR(mean, 1.2, 0.06);
  EXPECT_NEAR(variance, 1.08, 0.1);
}

TEST(AmPduErrors, WithErrorsOfFramesThePdusOfATtiShareTheirFate) {
  AmLinkConfig config = pdu_errors(1);
  config.errors = AmErrors::frame;
  OneWay air(config, 12);
  for (unsigned i = 0; i < 60; ++i) air.from.offer(Buffer(1500, std::byte{1}));
  for (unsigned i = 0; i < 170; ++i) {
    const unsigned came = air.step();
    EXPECT_TRUE(came == 0 || came == 12) << came;
  }
  EXPECT_EQ(air.channel.frames_sent(), 170u);
}

// Two blocks a TTI: a STATUS, and a PDU of data.
TEST(AmPduErrors, ControlAndDataOfATtiAreLostIndependently) {
  unsigned control_lost = 0, data_lost = 0, both_lost = 0;
  constexpr unsigned kSeeds = 5, kTtis = 1800;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    AmLinkConfig config = pdu_errors(seed);
    config.timer_status_periodic = config.tti;
    OneWay air(config, 2);
    for (unsigned i = 0; i < 100; ++i) air.from.offer(Buffer(1500, std::byte{1}));
    air.step();  // before the first report is due
    for (unsigned i = 0; i < kTtis; ++i) {
      const AmCount before = air.to.entity.receiver().vr_h();
      const unsigned came = air.step();
      const bool data = air.to.entity.receiver().vr_h() != before;
      const bool control = came > (data ? 1u : 0u);
      data_lost += data ? 0 : 1;
      control_lost += control ? 0 : 1;
      both_lost += data || control ? 0 : 1;
    }
  }
  constexpr double kAll = kSeeds * kTtis;
  EXPECT_NEAR(data_lost / kAll, 0.1, 0.01);
  EXPECT_NEAR(control_lost / kAll, 0.1, 0.01);
  EXPECT_NEAR(both_lost / kAll, 0.01, 0.003);
}

// A report of every other PDU of 1200 takes several PDUs, and so more than half a TTI.
TEST(AmPduErrors, AllControlPdusOfATtiAreOneBlock) {
  AmLinkConfig config = pdu_errors(1);
  config.timer_status_periodic = config.tti;
  OneWay air(config, 12);
  Buffer pdu(config.pdu_size, std::byte{1});
  for (Sn sn = 1; sn < 1200; sn = static_cast<Sn>(sn + 2)) {
    write_amd_octets(pdu.data(), sn, false, He::data);
    air.from.entity.receive(pdu, 0, Time{});
  }
  air.step();
  unsigned lost = 0;
  constexpr unsigned kTtis = 2000;
  for (unsigned i = 0; i < kTtis; ++i) {
    const auto sent = air.from.entity.stats().pdus_status.get();
    const unsigned came = air.step();
    const auto written = static_cast<unsigned>(air.from.entity.stats().pdus_status.get() - sent);
    EXPECT_GT(written, 2u);
    EXPECT_TRUE(came == 0 || came == written) << came << " of " << written;
    lost += came == 0 ? 1 : 0;
  }
  EXPECT_NEAR(lost, kTtis * 0.1, kTtis * 0.02);
  EXPECT_EQ(air.channel.frames_sent(), kTtis);
  EXPECT_EQ(air.channel.frames_lost(), lost);
}

}  // namespace
}  // namespace dp::test
