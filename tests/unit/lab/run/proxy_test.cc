// A split proxy in the lab: bearers have that of their class, over the radio as over a shaper, and nothing is
// unaccounted for.
#include "tests/unit/lab/support.h"

namespace lab {
namespace {

using testing::on_air;
using testing::shaped;

constexpr const char* kTwentyFiles = "flows.0.traffic={file: {size: 50kB, gap: 1s, times: 20}}";
constexpr const char* kFarServer = "wires={w: {delay: 100ms}}";
constexpr const char* kSplitAtTen = "classes.a.proxy={split: {initial_window: 10}}";

// Frames that the proxy makes and takes need no further check: it makes ACKs, and takes those of the UE.
void expect_nothing_lost(const RunResult& run) {
  EXPECT_EQ(run.frames.residue, 0);
  EXPECT_EQ(run.frames.damaged, 0u);
}

double mean_response(const RunResult& run) {
  EXPECT_EQ(run.flows[0].transfers.size(), 20u);
  double sum = 0;
  for (const Transfer& transfer : run.flows[0].transfers) sum += transfer.response();
  return sum / 20;
}

TEST(LabProxy, OverAShaperFilesTakeLess) {
  const auto without = simulate(shaped({kTwentyFiles, kFarServer, "duration=200s"}), 1);
  const auto with = simulate(shaped({kTwentyFiles, kFarServer, "duration=200s", kSplitAtTen}), 1);
  expect_nothing_lost(with);
  EXPECT_LT(mean_response(with), 0.9 * mean_response(without));
}

// Segments that the proxy sends upon an ACK of the UE go to the air that has just brought the ACK.
TEST(LabProxy, OverTheRadioFilesTakeLess) {
  const auto without = simulate(on_air({kTwentyFiles, kFarServer, "duration=200s"}), 1);
  const auto with = simulate(on_air({kTwentyFiles, kFarServer, "duration=200s", kSplitAtTen}), 1);
  expect_nothing_lost(with);
  EXPECT_LT(mean_response(with), 0.9 * mean_response(without));
}

TEST(LabProxy, WhatTheProxyHasIsNoOverflow) {
  const auto run = simulate(
      on_air({kTwentyFiles, kFarServer, "duration=200s", kSplitAtTen, "classes.a.downlink.rate=64k"}), 1);
  EXPECT_EQ(run.bearers[0].dropped_overflow, 0u) << "repeats of a FIN that the UE has yet to acknowledge";
}

// A frame of the proxy's that waits in the bearer's buffer is had twice.
TEST(LabProxy, ARunThatEndsInATransferIsInBalance) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto run = simulate(on_air({"duration=3s", kSplitAtTen}), seed);
    expect_nothing_lost(run);
    EXPECT_GT(run.flows[0].goodput_1460, 0);
  }
}

}  // namespace
}  // namespace lab
