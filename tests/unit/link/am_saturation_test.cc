// A figure that nothing was fitted to: with a buffer that is never empty the air carries its rate less the
// frames that it loses.
#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

constexpr Duration kSecond{1'000'000'000};

struct Carried {
  double goodput = 0;    // bytes that were acknowledged, of the rate
  double delivered = 0;  // bytes of the SDUs that left towards the UE, each once, of the rate
  double air = 0;        // 1 - FER, with the losses of the run
  double again = 0;      // PDUs that had come before, of the PDUs that the rate would have carried
};

class Saturation : public WorkerBench {
 protected:
  // The first 20 s are left out; the other direction has STATUS only.
  Carried carried(std::uint64_t rate, Duration nack_hold) {
    AmLinkConfig config;
    config.nack_hold = nack_hold;
    return carried(rate, config);
  }
  Carried carried(std::uint64_t rate, const AmLinkConfig& config) {
    LegSettings leg = shaper(rate, 100);
    leg.link = config;
    const Bearer& bearer = add(ue_ipv4(0x0a2d0002), {.downlink = leg, .uplink = leg});
    pass(bearer, 20);
    const TransportChannel& channel = bearer.radio_link->channel(Direction::downlink);
    const std::uint64_t bytes = bearer.downlink.buffer().delivered_bytes(), sent = channel.frames_sent(),
                        lost = channel.frames_lost(), again = duplicates(bearer),
                        delivered = delivered_bytes_;
    constexpr int kSeconds = 600;
    pass(bearer, kSeconds);
    const auto since = [](std::uint64_t now, std::uint64_t then) { return static_cast<double>(now - then); };
    const double bits = static_cast<double>(rate) * kSeconds;
    if (config.errors == AmErrors::frame) {
      // The window stalls at times.
      EXPECT_NEAR(since(channel.frames_sent(), sent), kSeconds * 100, kSeconds);
    }
    return {since(bearer.downlink.buffer().delivered_bytes(), bytes) * 8 / bits,
            since(delivered_bytes_, delivered) * 8 / bits,
            1 - since(channel.frames_lost(), lost) / since(channel.frames_sent(), sent),
            since(duplicates(bearer), again) * static_cast<double>(config.payload_bits()) / bits};
  }

 private:
  // Duplicates that have come to the UE's end.
  static std::uint64_t duplicates(const Bearer& bearer) {
    return bearer.radio_link->sender(Direction::uplink).stats().pdus_duplicate.get();
  }
  void pass(const Bearer& bearer, int seconds) {
    for (int i = 0; i < 10 * seconds; ++i) {
      while (bearer.downlink.buffer().sdus() < 80) {
        const std::uint32_t before = bearer.downlink.buffer().sdus();
        for (int n = 0; n < 20; ++n) {
          FrameSpec spec{.payload = kSduBytes - 40};
          spec.dst = Ip("10.45.0.2");
          io.offer(Side::core, TestFrame(spec, Side::core));
        }
        run_until(clock.now());
        if (bearer.downlink.buffer().sdus() == before) break;
      }
      run_until(clock.now() + kSecond / 10);
      for (const auto& frame : io.sent) {
        if (frame.side == Side::radio) delivered_bytes_ += kSduBytes;
      }
      io.sent.clear();
    }
  }

  static constexpr std::uint64_t kSduBytes = 1500;
  std::uint64_t delivered_bytes_ = 0;
};

TEST_F(Saturation, At384CarriesTheRateLessTheFramesLost) {
  const Carried c = carried(384'000, AmLinkConfig{}.nack_hold);
  EXPECT_NEAR(c.goodput / c.air, 1, 0.01);
}

TEST_F(Saturation, At64CarriesTheRateLessTheFramesLost) {
  const Carried c = carried(64'000, AmLinkConfig{}.nack_hold);
  EXPECT_NEAR(c.goodput / c.air, 1, 0.01);
}

TEST_F(Saturation, WithEveryNackHonouredWhatComesTwiceMakesUpForTheDifference) {
  const Carried c = carried(384'000, Duration{});
  EXPECT_GT(c.again, 0.01);
  EXPECT_NEAR((c.goodput + c.again) / c.air, 1, 0.01);
}

// PDUs lost each by itself over 75 ms, with a report every 100 ms and no polls.
AmLinkConfig by_pdu(double fer, std::uint64_t seed, Duration nack_hold = {}) {
  AmLinkConfig config;
  config.channel = ChannelChoice{ChannelList::index_of("bernoulli")};
  config.errors = AmErrors::pdu;
  config.fer = fer;
  config.seed = seed;
  config.delay = ms(75);
  config.poll_last = config.poll_last_retransmission = config.missing_pdu = false;
  config.poll_window = 0;
  config.timer_poll = config.timer_status_prohibit = {};
  config.timer_status_periodic = ms(100);
  config.max_dat_counts = AmMaxDat::transmissions;
  config.repeat_unreported = ms(160);
  config.nack_hold = nack_hold;
  return config;
}

// One PDU in 100 ms, 3.2 kbit/s, is the report of the other direction.
constexpr double reports_at(double rate) { return 3'200 / rate; }

struct Point {
  std::uint64_t rate;
  double fer;
  Duration nack_hold;
  double low, high;
};

class SaturationByPdu : public Saturation,
                        public testing::WithParamInterface<std::tuple<Point, std::uint64_t>> {};

TEST_P(SaturationByPdu, DeliversTheRateLessReportsLossesAndWhatIsSentTwice) {
  const auto& [point, seed] = GetParam();
  const Carried c = carried(point.rate, by_pdu(point.fer, seed, point.nack_hold));
  EXPECT_NEAR(c.air, 1 - point.fer, 0.003);
  EXPECT_GE(c.delivered, point.low);
  EXPECT_LE(c.delivered, point.high);
  EXPECT_NEAR((c.delivered + c.again) / (c.air - reports_at(static_cast<double>(point.rate))), 1, 0.015)
      << "what arrives comes once, or twice";
}

// An octet of each SDU is its length indicator.
constexpr double kIndicators = 0.001;

INSTANTIATE_TEST_SUITE_P(
    WithoutErrors, SaturationByPdu,
    testing::Combine(
        testing::Values(Point{256'000, 0, {}, 1 - reports_at(256e3) - kIndicators, 1 - reports_at(256e3)},
                        Point{64'000, 0, {}, 1 - reports_at(64e3) - kIndicators, 1 - reports_at(64e3)}),
        testing::Values(1, 2)));

// Reports come every 100 ms and the round trip is 150: a loss is named twice before its repeat can be.
INSTANTIATE_TEST_SUITE_P(EveryNackHonoured, SaturationByPdu,
                         testing::Combine(testing::Values(Point{256'000, 0.1, {}, 0.79, 0.85},
                                                          Point{64'000, 0.1, {}, 0.76, 0.82}),
                                          testing::Values(1, 2)));

INSTANTIATE_TEST_SUITE_P(CrossedNacksHeld, SaturationByPdu,
                         testing::Combine(testing::Values(Point{256'000, 0.1, ms(160), 0.86, 0.92},
                                                          Point{64'000, 0.1, ms(160), 0.825, 0.885}),
                                          testing::Values(1, 2)));

}  // namespace
}  // namespace dp::test
