// Our TCP engine beside ns-2's agents (README.md): the same wires, the same settings.
#include "tests/oracle/ns2.h"

#include <cmath>

namespace dp::test {
namespace {

using Segments = std::vector<Offset>;

// Without queues: 250 ms of wires, and what a data packet and its ACK take to be sent on each.
constexpr double kRoundTrip = 0.250 + 1500 * 8 / 1e6 + 1500 * 8 / 384e3 + 40 * 8 / 384e3 + 40 * 8 / 1e6;

const Ns2Agent kTahoe{"Agent/TCP", "Agent/TCPSink", Tahoe::Config{}};
const Ns2Agent kReno{"Agent/TCP/Reno", "Agent/TCPSink", Reno::Config{}};
const Ns2Agent kNewReno{"Agent/TCP/Newreno", "Agent/TCPSink", NewReno::Config{}};
const Ns2Agent kSack{"Agent/TCP/Sack1", "Agent/TCPSink/Sack1", SackReno::Config{}};

struct Pair {
  const char* name;
  Ns2Agent agent;
  bool guard;
};
const Pair kPairs[]{{"tahoe", kTahoe, true},
                    {"reno", kReno, false},
                    {"reno with the guard", kReno, true},
                    {"newreno", kNewReno, true},
                    {"sack", kSack, true}};

RunSpec run_of(const Pair& pair, std::uint16_t ack_every = 2) {
  return {.kind = pair.agent.kind, .guard = pair.guard, .ack_every = ack_every};
}

std::string text(const Segments& segments) {
  std::string out;
  for (const Offset s : segments) out += (out.empty() ? "" : " ") + std::to_string(s);
  return out;
}

// Losses of one to four packets, neighbours or apart, in a window of twenty of a transfer of 200.
TEST(Ns2, LosingPacketsOfOneWindowRepeatsTheSameAndEndsWithinARoundTrip) {
  for (const Pair& pair : kPairs) {
    for (const std::uint16_t ack_every : {1, 2}) {
      for (int count = 1; count <= 4; ++count) {
        for (const int apart : {1, 2, 3}) {
          Segments drops;
          for (int i = 0; i < count; ++i) drops.push_back(62 + i * apart);
          RunSpec run = run_of(pair, ack_every);
          run.initial_ssthresh = 20;
          const DropRun ours = controlled_drop_run(run, drops);
          const DropRun theirs = ns2_controlled_drops(pair.agent, run, drops);
          const std::string what = std::string(pair.name) + ", an ACK every " + std::to_string(ack_every) +
                                   ", lost " + text(drops);
          EXPECT_EQ(text(ours.retransmitted), text(theirs.retransmitted)) << what;
          EXPECT_EQ(ours.timeouts, theirs.timeouts) << what;
          EXPECT_NEAR(ours.completion, theirs.completion, kRoundTrip) << what;
        }
      }
    }
  }
}

TEST(Ns2, WithoutLossEndsTheSameMillisecond) {
  for (const Pair& pair : kPairs) {
    const double ours = controlled_drop_run(run_of(pair), {}).completion;
    EXPECT_NEAR(ours, ns2_controlled_drops(pair.agent, run_of(pair), {}).completion, 0.001) << pair.name;
  }
}

TEST(Ns2, OvershootingADropTailQueueForAMinuteDeliversTheSameWithinFivePercent) {
  std::printf("%-20s %5s %12s %12s %7s  %s\n", "", "queue", "ours kbit/s", "ns-2 kbit/s", "ratio",
              "drops, repeats, timeouts: ours / ns-2");
  for (const Pair& pair : kPairs) {
    for (const std::size_t queue : {10u, 15u, 25u, 50u}) {
      RunSpec run = run_of(pair);
      run.queue = queue;
      const BulkRun ours = overshoot_run(run);
      const BulkRun theirs = ns2_overshoot(pair.agent, run);
      const auto a = static_cast<double>(ours.delivered), b = static_cast<double>(theirs.delivered);
      std::printf("%-20s %5zu %12.1f %12.1f %7.3f  %lu %lu %lu / %lu %lu %lu\n", pair.name, queue, a * 0.2,
                  b * 0.2, a / b, ours.dropped, ours.retransmitted, ours.timeouts, theirs.dropped,
                  theirs.retransmitted, theirs.timeouts);
      EXPECT_NEAR(a / b, 1, 0.05) << pair.name << " " << queue;
      EXPECT_GT(ours.dropped, 0u) << pair.name << " " << queue;
    }
  }
}

// A run in which Sack1 departs from RFC 6675. Both sides must send exactly these segments.
struct Difference {
  const char* reason;
  Segments drops, ours, theirs;
  std::uint64_t our_timeouts, their_timeouts;
};

const Difference kDifferences[]{
    {"NextSeg rule 4: the last segment out is repeated once, so that its loss needs no timeout",
     {190, 200},
     {190, 200},
     {190, 200},
     0,
     1},
    {"the same with more holes", {185, 190, 195, 200}, {185, 190, 200, 195}, {185, 190, 195, 200}, 0, 1},
    {"the price of rule 4: a repeat for nothing, when the last segment was not lost",
     {196},
     {196, 200},
     {196},
     0,
     0},
    {"the same, before the second hole counts as lost", {190, 195}, {190, 200, 195}, {190, 195}, 0, 0},
    {"section 5.1: after a timeout what is SACKed anew is skipped, Sack1 goes back over all",
     {198, 199},
     {198, 199},
     {198, 199, 200},
     1,
     1},
    {"the pipe: Sack1 counts what was lost as in flight, so with more than half a window lost it falls "
     "silent",
     {61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72},
     {61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72},
     {61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77},
     0,
     1},
};

TEST(Ns2, Sack1DiffersFromRfc6675InTheCasesListed) {
  for (const Difference& d : kDifferences) {
    RunSpec run = run_of(kPairs[4]);
    run.initial_ssthresh = 20;
    const DropRun ours = controlled_drop_run(run, d.drops);
    const DropRun theirs = ns2_controlled_drops(kSack, run, d.drops);
    EXPECT_EQ(text(ours.retransmitted), text(d.ours)) << d.reason;
    EXPECT_EQ(text(theirs.retransmitted), text(d.theirs)) << d.reason;
    EXPECT_EQ(ours.timeouts, d.our_timeouts) << d.reason;
    EXPECT_EQ(theirs.timeouts, d.their_timeouts) << d.reason;
    // Never to our loss by more than a round trip.
    EXPECT_LT(ours.completion, theirs.completion + kRoundTrip) << d.reason;
  }
}

}  // namespace
}  // namespace dp::test
