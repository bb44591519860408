// Over a million segments (in a short form fewer), with losses before and behind the box, jitter, options and
// chains of all kinds: the source receives no ACK that the UE has not sent, and continues (property_bench.h
// checks each segment).
#include <algorithm>
#include <array>
#include <span>

#include "dataplane/ack/engines.h"
#include "tests/support/runs.h"
#include "tests/unit/ack/property_bench.h"

namespace dp::test {
namespace {

using namespace std::chrono_literals;

class RepairProperty : public PathBench {
 protected:
  struct Chain {
    const char* name;
    std::vector<AckConfig> stages;
  };
  static std::vector<Chain> chains() {
    const FdaSpec::Config fda{.threshold = {12}, .minsize = {6}, .weight = 0.1, .pc = 0.2, .pr = 0.05};
    FdaSpec::Config plain = fda;
    plain.plain_syn = true;
    return {{"snoop", {Snoop::Config{}}},
            {"snoop to the letter",
             {Snoop::Config{.sack = Blocks::pass, .repair = Holes::first, .places = Places::buffer}}},
            {"new-snoop", {NewSnoop::Config{}}},
            {"new-snoop that hides", {NewSnoop::Config{.places = Places::buffer, .repeats = Repeats::hide}}},
            {"fda, snoop", {fda, Snoop::Config{.cache = 16, .rtt = 30ms}}},
            {"fda, new-snoop", {plain, NewSnoop::Config{.cache = 24}}}};
  }
  static PathSpec spec_for(const std::vector<AckConfig>& stages, std::uint32_t seed) {
    static constexpr std::array kLosses{0.0, 0.001, 0.01, 0.03, 0.1, 0.2};
    PathSpec s;
    s.seed = seed;
    s.bearer = bearer_at(8'000'000, seed % 2 == 0 ? 20 : 60);
    s.bearer.uplink.ack.stages = static_cast<std::uint32_t>(stages.size());
    std::ranges::copy(stages, s.bearer.uplink.ack.stage.begin());
    s.radio_loss = kLosses[seed % kLosses.size()];
    s.radio_ack_loss = seed % 4 == 0 ? 0.05 : 0;
    s.wired_loss = seed % 5 == 0 ? 0.005 : 0;
    s.wired_ack_loss = seed % 3 == 0 ? 0.02 : 0;
    s.jitter = seed % 4 == 1 ? 8ms : 0ms;
    s.sender.mss = s.receiver.mss = 500;
    s.sender.sack = seed % 3 != 0;
    s.sender.timestamps = seed % 4 < 2;
    if (s.sender.sack) s.sender.congestion = SackReno::Config{};
    s.receiver.window_scale = 3;
    s.receiver.window = 200'000;
    s.receiver.ack_every = seed % 2 == 0 ? 2 : 1;
    s.ipv6 = seed % 6 == 0;
    s.ue_connects = seed % 2 == 1;
    s.source_never_ends = true;
    return s;
  }
};

TEST_F(RepairProperty, TheSourceHearsOnlyWhatTheUeHasSaidAndGoesOn) {
  std::uint64_t segments = 0;
  for (const Chain& chain : chains()) {
    for (std::uint32_t seed = 1; seed <= runs_of(12); ++seed) {
      SCOPED_TRACE(std::string(chain.name) + ", seed " + std::to_string(seed));
      const std::size_t before = to_source;
      begin(spec_for(chain.stages, seed));
      std::uint64_t delivered = 0;
      for (int turn = 0; turn < 3; ++turn) {
        run_for(1s * std::max(2u, runs_of(20)));
        if (HasFatalFailure()) return;
        EXPECT_GT(ue->stats().delivered_bytes, delivered) << "in " << turn;
        delivered = ue->stats().delivered_bytes;
      }
      EXPECT_EQ(ue->stats().corrupt, 0u);
      segments += delivered / 500 + to_source - before;
      command(RemoveBearer{std::exchange(bearer, nullptr)});
      EXPECT_EQ(worker->context().account.retained, 0u);
    }
  }
  EXPECT_GT(segments, runs_of(1'000'000));
}

// A constant round trip drives its variance to 0, and a timer without a margin fires just as the ACK comes.
TEST_F(RepairProperty, NothingIsSentAgainWhereNothingIsLost) {
  for (const Chain& chain : chains()) {
    for (std::uint32_t seed = 1; seed <= runs_of(4); ++seed) {
      SCOPED_TRACE(std::string(chain.name) + ", seed " + std::to_string(seed));
      PathSpec spec = spec_for(chain.stages, seed);
      spec.radio_loss = spec.radio_ack_loss = spec.wired_loss = spec.wired_ack_loss = 0;
      spec.jitter = {};
      spec.receiver.window = 16'000;  // less than the buffer holds
      spec.bearer.downlink.buffer = {60};
      begin(spec);
      run_for(1s * runs_of(150));
      EXPECT_GT(ue->stats().delivered_bytes, runs_of(10'000'000));
      const auto& resent = worker->context().account.created[index(Side::radio)];
      EXPECT_EQ(resent[static_cast<std::size_t>(Creation::local_retransmission)].frames, 0u);
      command(RemoveBearer{std::exchange(bearer, nullptr)});
    }
  }
}

// Losses for want of room are their source's: a buffer that overflows all the time carries what it carries
// without a stage, and the source repairs no more than then. That what is kept in the buffer costs a tenth
// and more shows that the test can fail.
TEST_F(RepairProperty, LossesOfAFullBufferAreLeftToTheSource) {
  constexpr std::array<std::uint32_t, 4> kSeeds{1, 2, 3, 9};
  for (const std::uint32_t seed : std::span(kSeeds).first(runs_of(kSeeds.size()))) {
    double alone = 0, repaired_alone = 0;
    for (const Chain& chain :
         std::vector<Chain>{{"none", {}},
                            {"snoop", {Snoop::Config{}}},
                            {"new-snoop", {NewSnoop::Config{}}},
                            {"in buffer", {NewSnoop::Config{.places = Places::buffer}}}}) {
      SCOPED_TRACE(std::string(chain.name) + ", seed " + std::to_string(seed));
      PathSpec spec = spec_for(chain.stages, seed);
      spec.radio_loss = spec.radio_ack_loss = spec.wired_loss = spec.wired_ack_loss = 0;
      spec.jitter = {};
      begin(spec);
      run_for(1s * std::max(20u, runs_of(100)));
      const double carried = goodput();
      const auto repaired = static_cast<double>(source->stats().retransmitted);
      const auto& created = worker->context().account.created[index(Side::radio)];
      const std::uint64_t resent = created[static_cast<std::size_t>(Creation::local_retransmission)].frames;
      if (chain.stages.empty()) {
        alone = carried, repaired_alone = repaired;
        EXPECT_GT(repaired, 20);
      } else if (chain.name == std::string_view("in buffer")) {
        EXPECT_LT(carried, 0.9 * alone);
      } else {
        EXPECT_GE(carried, 0.99 * alone);
        EXPECT_LE(repaired, 1.1 * repaired_alone);
        EXPECT_LE(resent, 5u);
      }
      command(RemoveBearer{std::exchange(bearer, nullptr)});
    }
  }
}

// A source with SACK repairs at once what blocks show to be lost: they are kept back as long as it is
// repaired here. That `pass` lets it shows that the test can fail.
TEST_F(RepairProperty, BlocksThatAreKeptBackSpareTheSourceItsRepairs) {
  for (const Blocks blocks : {Blocks::strip, Blocks::pass}) {
    PathSpec spec = spec_for({Snoop::Config{.sack = blocks}}, 1);
    spec.radio_loss = 0.03;
    spec.jitter = {};
    spec.sender.sack = true;
    spec.sender.congestion = SackReno::Config{};
    spec.receiver.window = 30'000;
    begin(spec);
    const auto seconds = std::max(20u, runs_of(200));
    run_for(1s * seconds);
    Flow* flow = nullptr;
    bearer->acks->flows().for_each([&](Flow& f) { flow = &f; });
    ASSERT_NE(flow, nullptr);
    EXPECT_GT(flow->resent, 500u * seconds / 200);
    EXPECT_EQ(source->stats().retransmitted * 20 < flow->resent, blocks == Blocks::strip)
        << source->stats().retransmitted << " beside " << flow->resent;
    command(RemoveBearer{std::exchange(bearer, nullptr)});
  }
}

}  // namespace
}  // namespace dp::test
