// Whole transfers whose windows are advertised in units that are small and large beside a segment.
#include "tests/support/runs.h"
#include "tests/unit/ack/property_bench.h"

namespace dp::test {
namespace {

using namespace std::chrono_literals;

class WindowRegulatorTransfer : public PathBench {
 protected:
  static PathSpec spec(std::uint8_t shift) {
    PathSpec s;
    s.bearer = bearer_at(600'000, 50);
    s.bearer.uplink.ack.stages = 1;
    s.bearer.uplink.ack.stage[0] = WindowRegulator::Config{};
    s.sender.mss = s.receiver.mss = 1'000;
    s.receiver.window = shift == 0 ? 65'535 : 1'000'000;
    s.receiver.window_scale = shift;
    s.receiver.ack_every = 1;
    s.wired = 1ms;
    s.radio = 100ms;
    s.source_never_ends = true;
    return s;
  }
};

TEST_F(WindowRegulatorTransfer, NothingOverflowsAndTheLinkIsBusyWhateverTheScale) {
  for (std::uint8_t shift = 0; shift <= 14; shift += step_of(14)) {
    const std::uint64_t before = dropped(DropReason::buffer_sdus);
    begin(spec(shift));
    run_for(60s);
    EXPECT_EQ(dropped(DropReason::buffer_sdus) - before, 0u) << unsigned{shift};
    EXPECT_EQ(source->stats().timeouts, 0u) << unsigned{shift};
    EXPECT_GT(goodput(), 0.97 * 600'000 * 1'000 / 1'040) << unsigned{shift};
    command(RemoveBearer{std::exchange(bearer, nullptr)});
  }
}

}  // namespace
}  // namespace dp::test
