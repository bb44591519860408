// Two and three workers, polled in turn (dataplane/mesh): any of them may receive a frame, the worker that
// has its UE shapes it (dataplane/downlink/distribute.h, dataplane/uplink/distribute.h), and none is lost,
// doubled or out of order.
#include <algorithm>
#include <map>
#include <random>

#include "tests/support/mesh_bench.h"
#include "tests/support/runs.h"

namespace dp::test {
namespace {

// The IP identification stands for the frame: its UE and its place among that UE's.
TEST(Mesh, EveryUeIsShapedByItsOwnerWhoeverReceivesAndSendsForIt) {
  for (const unsigned workers : {2u, 3u}) {
    SCOPED_TRACE(workers);
    Box box(workers);
    constexpr std::uint32_t kUes = 40;
    for (std::uint32_t n = 0; n < kUes; ++n) box.add(n, shaped(8'000'000));
    std::vector<unsigned> of_owner(workers);
    for (std::uint32_t n = 0; n < kUes; ++n) {
      ++of_owner[box.owner(n)];
      for (int i = 0; i < 5; ++i) box.offer(Side::core, n, 100);
      for (int i = 0; i < 3; ++i) box.offer(Side::radio, n, 100);
    }
    for (const unsigned count : of_owner) EXPECT_GT(count, kUes / workers / 3) << "even shares";
    box.run(Duration{100'000'000});
    EXPECT_EQ(box.io.sent.size(), kUes * 8);
    for (const auto& bearer : box.bearers) {
      EXPECT_EQ(bearer->downlink.buffer().delivered_sdus(), 5u);
      EXPECT_EQ(bearer->uplink.buffer().delivered_sdus(), 3u);
    }
    std::uint64_t given = 0, taken = 0;
    for (unsigned w = 0; w < workers; ++w) {
      EXPECT_EQ(box.account(w).residue(), 0) << w;
      given += box.account(w).given;
      taken += box.account(w).taken;
    }
    EXPECT_EQ(given, taken);
    EXPECT_GT(given, 0u);
    EXPECT_EQ(box.io.outstanding(), 0u);
  }
}

TEST(Mesh, WithAQueueEachOnBothPortsNobodySendsForAnother) {
  Box box(2, {2, 2});
  for (std::uint32_t n = 0; n < 20; ++n) box.add(n, shaped(8'000'000));
  for (std::uint32_t n = 0; n < 20; ++n) box.offer(Side::core, n, 100);
  box.run(Duration{50'000'000});
  EXPECT_EQ(box.io.sent.size(), 20u);
  for (unsigned w = 0; w < 2; ++w) EXPECT_GT(box.account(w).sent[1].frames, 0u);
}

TEST(Mesh, FramesOfAUeStayInOrderWhateverTheTurns) {
  for (unsigned seed = 1; seed <= std::max(2u, runs_of(10)); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    Box box(3);
    for (std::uint32_t n = 0; n < 12; ++n) box.add(n, n % 2 == 0 ? shaped(50'000'000) : LegSettings{});
    std::array<std::size_t, 12> next{};
    std::size_t offered = 0;
    for (int step = 0; step < 2000; ++step) {
      const std::uint32_t n = rng() % 12;
      // Its length is its number among the frames of its UE.
      if (next[n] < 1000) box.offer(Side::core, n, next[n]++), ++offered;
      if (rng() % 3 == 0) box.poll(rng() % 3);
      box.clock.advance(Duration{static_cast<std::int64_t>(rng() % 20'000)});
    }
    box.run(Duration{3'000'000'000});
    ASSERT_EQ(box.io.sent.size(), offered);
    std::map<std::uint32_t, std::size_t> seen;
    for (const auto& sent : box.io.sent) {
      const std::uint32_t ue = load32(sent.bytes.data() + 14 + 16);
      EXPECT_EQ(load16(sent.bytes.data() + 14 + 2), 40 + seen[ue]++) << "of UE " << ue - kFirstUe;
    }
  }
}

// A worker that hangs costs the frames of its UEs, counted; the others go on.
TEST(Mesh, AWorkerThatHangsDoesNotStopTheOthers) {
  Box box(2);
  std::uint32_t theirs = 0, ours = 0;
  while (box.owner(theirs) != 1) ++theirs;
  while (box.owner(ours) != 0) ++ours;
  box.add(theirs, LegSettings{});
  box.add(ours, LegSettings{});
  constexpr std::size_t kFrames = 4000;
  for (std::size_t i = 0; i < kFrames; ++i) box.offer(Side::core, theirs, 10);
  for (std::size_t i = 0; i < 50; ++i) box.offer(Side::radio, ours, 10), box.offer(Side::core, ours, 10);
  for (int i = 0; i < 500; ++i) {
    box.clock.advance(Duration{10'000});
    box.poll(0);
  }
  EXPECT_GT(box.dropped(DropReason::worker_full), 0u);
  EXPECT_EQ(box.bearers[1]->downlink.buffer().delivered_sdus(), 50u) << "it goes on with its own";
  EXPECT_EQ(box.snapshot(0).residue(), 0);
  box.run(Duration{100'000'000});  // the other wakes up
  EXPECT_EQ(box.bearers[0]->downlink.buffer().delivered_sdus() + box.dropped(DropReason::worker_full),
            kFrames);
  for (unsigned w = 0; w < 2; ++w) EXPECT_EQ(box.account(w).residue(), 0);
  EXPECT_EQ(box.io.outstanding(), 0u);
}

TEST(Mesh, ModesHoldForFramesOnTheirWayBetweenWorkers) {
  for (const Mode mode : {Mode::tap, Mode::bypass, Mode::block}) {
    SCOPED_TRACE(name(mode));
    Box box(2);
    for (std::uint32_t n = 0; n < 10; ++n) box.add(n, shaped(100'000));
    for (std::uint32_t n = 0; n < 10; ++n) box.offer(Side::core, n, 100);
    box.poll(0);  // received, and half of them given away
    for (unsigned w = 0; w < 2; ++w) box.command(w, SetMode{mode});
    for (std::uint32_t n = 0; n < 10; ++n) box.offer(Side::core, n, 100);
    for (int i = 0; i < 5; ++i) box.poll_all();
    if (mode != Mode::block) {
      EXPECT_EQ(box.io.sent.size(), 20u);
    }
    for (unsigned w = 0; w < 2; ++w) EXPECT_EQ(box.account(w).residue(), 0);
    for (unsigned w = 0; w < 2; ++w) box.command(w, SetMode{Mode::bypass});
  }
}

TEST(FrameRing, TakesAndGivesInBatchesInOrderAndNoMoreThanItHolds) {
  FrameRing ring;
  std::vector<Sdu> sdus(FrameRing::kCapacity + 100);
  std::vector<Sdu*> frames;
  for (Sdu& sdu : sdus) frames.push_back(&sdu);
  std::size_t pushed = 0, popped = 0;
  std::mt19937 rng(1);
  for (int round = 0; round < 10'000; ++round) {
    const std::size_t many = rng() % 100, at = pushed % sdus.size();
    const auto some = std::span(frames).subspan(at, std::min(many, frames.size() - at));
    pushed += ring.push(some);
    ASSERT_LE(pushed - popped, FrameRing::kCapacity);
    std::array<Sdu*, 64> out;
    const std::size_t count = ring.pop(std::span(out).first(rng() % 65));
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(out[i], frames[(popped + i) % frames.size()]);
    popped += count;
  }
  EXPECT_GT(popped, 100'000u);
}

}  // namespace
}  // namespace dp::test
