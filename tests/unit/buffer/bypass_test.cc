// A policy is notified of each SDU that comes, also of those that find the buffer full, on every path through
// a leg (dataplane/bearer/leg.h, dataplane/buffer/aqm_instance.h).
#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

class PolicyBypass : public WorkerBench {
 protected:
  // RED's average after `arrivals` at once into a buffer of ten.
  double average_after(int arrivals, const LinkConfig& link) {
    BearerSettings settings = bearer_at(8'000, 10);
    settings.downlink.link = link;
    settings.downlink.aqm = Red::Config{.maxp = 0, .weight = kWeight};
    Bearer& bearer = add(ue_ipv4(0x0a2d0002), settings);
    for (int i = 0; i < arrivals; ++i) io.offer(Side::core, {.dst = Ip("10.45.0.2"), .payload = 960});
    settle();
    const double average = std::get<Red>(bearer.parts().of<AqmKind>(0)->policy()).average();
    EXPECT_EQ(bearer.downlink.buffer().sdus(), 10u);
    command(RemoveBearer{&bearer});
    return average;
  }
  static constexpr double kWeight = 0.1;
};

TEST_F(PolicyBypass, AnAverageIsOneOverThoseThatFoundTheBufferFullToo) {
  double average = 0;
  for (int i = 0; i < 40; ++i) average += kWeight * (std::min(i, 10) + 1 - average);
  for (const LinkConfig& link : {LinkConfig(ShaperSpec::Config{}), LinkConfig(UmLinkConfig{.loss = 0})}) {
    EXPECT_NEAR(average_after(40, link), average, 1e-9);
  }
  EXPECT_EQ(dropped(DropReason::buffer_sdus), 60u);
}

}  // namespace
}  // namespace dp::test
