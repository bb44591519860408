// Two and three workers, polled in turn: whoever receives a frame, the worker that has its UE shapes it, and
// none is lost, doubled or out of order.
#include <deque>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "dataplane/mesh/peers.h"
#include "dataplane/worker/prepare.h"
#include "dataplane/worker/worker.h"
#include "tests/support/memory_io.h"

namespace dp::test {
namespace {

constexpr std::uint32_t kFirstUe = 0x0a2d0001;

LegSettings shaped(std::uint64_t rate) {
  return {.link = ShaperLink::Config{}, .rate = rate, .buffer = {1000, 1u << 22}};
}

// The workers of one box on one bench. Ports have one queue each, of different workers, unless it says more.
class Box {
 public:
  explicit Box(unsigned workers, std::array<unsigned, 2> queues = {1, 1}) : mesh_(workers, queues) {
    for (unsigned w = 0; w < workers; ++w) {
      Peers& end = ends_.emplace_back(mesh_, w);
      shared_.push_back(std::make_unique<WorkerShared>());
      workers_.push_back(std::make_unique<Worker<ManualClock, MemoryIo>>(
          clock, io, *shared_.back(), WorkerLimits{.max_bearers = 512, .peers = &end}));
    }
  }
  // What waits between the workers leaves, so that no frame outlives its record.
  ~Box() { run(Duration{1'000'000'000}); }

  unsigned owner(std::uint32_t n) const { return owner_of(ue_ipv4(kFirstUe + n), mesh_.workers()); }

  template <class Body>
  void command(unsigned w, const Body& body) {
    ASSERT_TRUE(shared_[w]->mailbox.commands.push({1, body}));
    workers_[w]->poll_once();
    Answer answer;
    ASSERT_TRUE(shared_[w]->mailbox.answers.pop(answer));
    ASSERT_EQ(answer.status, CommandStatus::done);
  }
  void add(std::uint32_t n, const LegSettings& downlink) {
    bearers.push_back(prepare_bearer({.downlink = downlink}));
    bearers.back()->ue = ue_ipv4(kFirstUe + n);
    command(owner(n), AddBearer{bearers.back().get()});
  }
  void offer(Side side, std::uint32_t n, std::size_t payload) {
    const Ip ue(kFirstUe + n), other("192.0.2.1");
    io.offer(side, side == Side::core ? FrameSpec{.src = other, .dst = ue, .payload = payload}
                                      : FrameSpec{.src = ue, .dst = other, .payload = payload});
  }
  void poll(unsigned w) { workers_[w]->poll_once(); }
  void poll_all() {
    for (unsigned w = 0; w < workers_.size(); ++w) poll(w);
  }
  void run(Duration time) {
    for (int i = 0; i < 200; ++i) {
      clock.advance(time / 200);
      poll_all();
    }
  }
  const FrameAccount& account(unsigned w) const { return workers_[w]->context().account; }
  FrameAccount snapshot(unsigned w) const { return shared_[w]->snapshot.read().account; }
  unsigned size() const { return static_cast<unsigned>(workers_.size()); }
  std::uint64_t dropped(DropReason reason) const {
    std::uint64_t sum = 0;
    for (unsigned w = 0; w < size(); ++w) {
      for (const auto& port : account(w).dropped) sum += port[index(reason)].frames;
    }
    return sum;
  }

  ManualClock clock{time_ns(1'000'000)};
  MemoryIo io{clock};
  std::deque<PreparedBearer> bearers;

 private:
  Mesh mesh_;
  std::deque<Peers> ends_;
  std::vector<std::unique_ptr<WorkerShared>> shared_;
  std::vector<std::unique_ptr<Worker<ManualClock, MemoryIo>>> workers_;
};

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
  for (unsigned seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    Box box(3);
    for (std::uint32_t n = 0; n < 12; ++n) box.add(n, n % 2 == 0 ? shaped(50'000'000) : LegSettings{});
    std::array<std::size_t, 12> next{};
    std::size_t offered = 0;
    for (int step = 0; step < 2000; ++step) {
      const std::uint32_t n = rng() % 12;
      // Its length tells which of its UE's it is.
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
