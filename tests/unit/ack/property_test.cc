// For any loss pattern the source never sees an ACK number go back, a right edge shrink beyond what the UE
// did itself, or an ACK of data that the UE has not acknowledged, and every byte arrives: property_bench.h
// looks at each segment that leaves for the source, the tests choose stages, scales and losses.
#include "dataplane/ack/engines.h"
#include "tests/support/runs.h"
#include "tests/support/types.h"
#include "tests/unit/ack/property_bench.h"

namespace dp::test {
namespace {

using namespace std::chrono_literals;

// Ways in which each stage may work.
template <class S>
std::vector<AckConfig> variants() {
  return {typename S::Config{}};
}
template <>
std::vector<AckConfig> variants<AckRate>() {
  return {AckRate::Config{}, AckRate::Config{.mode = AckRate::Mode::spacing, .maxd = 40ms},
          AckRate::Config{.mode = AckRate::Mode::hold, .maxd = 60ms},
          AckRate::Config{.duplicates = AckRate::News::pass}};
}
template <>
std::vector<AckConfig> variants<WindowRegulator>() {
  using F = WindowRegulator::Form;
  return {WindowRegulator::Config{.form = F::static_}, WindowRegulator::Config{.form = F::dynamic},
          WindowRegulator::Config{.form = F::ack_buffer},
          WindowRegulator::Config{.form = F::dynamic, .target = 60ms},
          WindowRegulator::Config{.form = F::ack_buffer, .buffer = Amount{3}, .min_rto = 200ms}};
}

const std::uint64_t kBytes = std::max(200'000u, runs_of(400'000));
const std::uint32_t kPathSeeds = std::max(7u, runs_of(15));

PathSpec spec_for(const AckConfig& stage, std::uint32_t seed) {
  PathSpec s;
  s.seed = seed;
  s.bearer = bearer_at(1'000'000, seed % 2 == 0 ? 8 : 30);
  s.bearer.uplink.ack.stages = 1;
  s.bearer.uplink.ack.stage[0] = stage;
  s.bearer.uplink.ack.max_held = seed % 5 == 0 ? 4 : 256;
  s.sender.sack = seed % 3 != 0;
  s.sender.timestamps = seed % 4 < 2;
  if (s.sender.sack) s.sender.congestion = SackReno::Config{};
  s.receiver.window_scale = static_cast<std::uint8_t>(seed * 5 % 15);
  s.receiver.window = s.receiver.window_scale == 0 ? 65'535 : 1'000'000;
  s.receiver.ack_every = seed % 2 == 0 ? 2 : 1;
  s.receiver.read_rate = seed % 7 == 0 ? 700'000 : 0;
  s.ipv6 = seed % 6 == 0;
  s.ue_connects = seed % 2 == 1;
  return s;
}

template <class S>
class AckProperty : public PathBench {
 protected:
  void transfer(const PathSpec& spec) {
    begin(spec);
    source->offer(kBytes);
    source->close();
    EXPECT_TRUE(run_to_end(600s)) << ue->stats().delivered_bytes;
    EXPECT_EQ(ue->stats().delivered_bytes, kBytes);
    EXPECT_EQ(ue->stats().corrupt, 0u);
    run_for(30s);
    EXPECT_EQ(worker->context().account.held, 0u);
    command(RemoveBearer{std::exchange(bearer, nullptr)});
  }
};
TYPED_TEST_SUITE(AckProperty, Types<AckEngines>::Type);

TYPED_TEST(AckProperty, HoldsWithoutAnyLossButTheBuffersOwn) {
  for (const AckConfig& stage : variants<TypeParam>()) {
    for (std::uint32_t seed = 1; seed <= kPathSeeds; ++seed) {
      SCOPED_TRACE(seed);
      this->transfer(spec_for(stage, seed));
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(AckProperty, HoldsForAnyLossPattern) {
  for (const AckConfig& stage : variants<TypeParam>()) {
    for (std::uint32_t seed = 1; seed <= kPathSeeds; ++seed) {
      SCOPED_TRACE(seed);
      PathSpec spec = spec_for(stage, seed);
      (seed % 2 == 0 ? spec.wired_loss : spec.radio_loss) = 0.02;
      (seed % 3 == 0 ? spec.wired_ack_loss : spec.radio_ack_loss) = 0.05;
      this->transfer(spec);
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(AckProperty, HoldsOverAnAirThatKeepsAndDelays) {
  for (const AckConfig& stage : variants<TypeParam>()) {
    for (std::uint32_t seed = 1; seed <= std::max(2u, runs_of(4)); ++seed) {
      SCOPED_TRACE(seed);
      PathSpec spec = spec_for(stage, seed);
      spec.radio = {};
      spec.wired_loss = 0.005;
      AmLinkConfig air;
      air.fer = 0.1;
      air.doppler = 0.01;
      for (LegSettings* leg : {&spec.bearer.downlink, &spec.bearer.uplink}) {
        leg->link = air;
        leg->rate = 384'000;
      }
      this->transfer(spec);
      if (this->HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace dp::test
