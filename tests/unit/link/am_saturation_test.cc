// What nobody fitted: with a buffer that is never empty the air carries its rate less the frames that it
// loses.
#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

constexpr Duration kSecond{1'000'000'000};

struct Carried {
  double goodput = 0;  // of the rate
  double air = 0;      // 1 - FER, with the losses of the run
  double again = 0;    // PDUs that had come before, of the PDUs that the rate would have carried
};

class Saturation : public WorkerBench {
 protected:
  // The first 20 s are left out; the other direction has STATUS only.
  Carried carried(std::uint64_t rate, Duration nack_hold) {
    AmLinkConfig config;
    config.nack_hold = nack_hold;
    LegSettings leg = shaper(rate, 100);
    leg.link = config;
    const Bearer& bearer = add(ue_ipv4(0x0a2d0002), {.downlink = leg, .uplink = leg});
    pass(bearer, 20);
    const Hop& hop = bearer.air->hop(Direction::downlink);
    const std::uint64_t bytes = bearer.downlink.buffer().delivered_bytes(), sent = hop.frames_sent(),
                        lost = hop.frames_lost(), again = duplicates(bearer);
    constexpr int kSeconds = 600;
    pass(bearer, kSeconds);
    const auto since = [](std::uint64_t now, std::uint64_t then) { return static_cast<double>(now - then); };
    const double bits = static_cast<double>(rate) * kSeconds;
    EXPECT_NEAR(since(hop.frames_sent(), sent), kSeconds * 100, kSeconds);  // the window stalls at times
    return {since(bearer.downlink.buffer().delivered_bytes(), bytes) * 8 / bits,
            1 - since(hop.frames_lost(), lost) / since(hop.frames_sent(), sent),
            since(duplicates(bearer), again) * static_cast<double>(config.payload_bits()) / bits};
  }

 private:
  // What has come to the UE's end.
  static std::uint64_t duplicates(const Bearer& bearer) {
    return bearer.air->sender(Direction::uplink).stats().pdus_duplicate.get();
  }
  void pass(const Bearer& bearer, int seconds) {
    for (int i = 0; i < 10 * seconds; ++i) {
      while (bearer.downlink.buffer().sdus() < 80) {
        const std::uint32_t before = bearer.downlink.buffer().sdus();
        for (int n = 0; n < 20; ++n) {
          FrameSpec spec{.payload = 1460};
          spec.dst = Ip("10.45.0.2");
          io.offer(Side::core, TestFrame(spec, Side::core));
        }
        run_until(clock.now());
        if (bearer.downlink.buffer().sdus() == before) break;
      }
      run_until(clock.now() + kSecond / 10);
      io.sent.clear();
    }
  }
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

}  // namespace
}  // namespace dp::test
