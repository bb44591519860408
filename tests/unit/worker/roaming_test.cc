// Bearers go from worker to worker while frames come from both sides: none is lost, doubled or overtaken,
// what lies with a bearer comes along, and its deadlines stay.
#include <map>
#include <random>

#include "tests/support/mesh_bench.h"
#include "tests/support/runs.h"

namespace dp::test {
namespace {

LegSettings with(const AqmConfig& aqm, std::uint64_t rate) {
  LegSettings settings = shaped(rate);
  settings.aqm = aqm;
  return settings;
}

// Drops nothing of a queue that lasts for seconds.
const FqCodel::Config kPatient{{.target = Duration{100'000'000'000}}};

// The channel fades, and in one of 2,000 runs for longer than the default MaxDAT lasts: AM then discards SDUs
// (TS 25.322 section 9.7.3), wherever the bearer is. None of these runs may lose any.
BearerSettings over_air() {
  LegSettings leg = shaped(2'000'000);
  AmLinkConfig air;
  air.max_dat = 40;
  leg.link = air;
  return {.downlink = leg, .uplink = leg};
}

// Loses nothing, so that all can be counted.
BearerSettings over_um() {
  LegSettings leg = shaped(1'500'000);
  leg.link = UmLinkConfig{.loss = 0, .delay = Duration{24'000'000}};
  return {.downlink = leg, .uplink = leg};
}

BearerSettings with_held_acks() {
  BearerSettings settings{.downlink = shaped(2'000'000)};
  settings.uplink.ack = {.stages = 1};
  settings.uplink.ack.stage[0] =
      AckRate::Config{.mode = AckRate::Mode::hold, .maxd = Duration{20'000'000}, .minth = {3}};
  return settings;
}

// Moves bearers about, and knows which are on their way.
class Roaming {
 public:
  explicit Roaming(Box& box) : box_(box), at_(box.bearers.size()), moving_(box.bearers.size()) {
    for (std::uint32_t n = 0; n < at_.size(); ++n) at_[n] = box.owner(n);
  }

  // To any other worker when it is at home, and home when it is not.
  void move(std::uint32_t n, unsigned to) {
    if (moving_[n]) return;
    const unsigned home = box_.owner(n);
    Bearer* const bearer = box_.bearers[n].get();
    if (at_[n] != home) {
      box_.command(home, CallHome{bearer, at_[n]});
    } else if (to != home) {
      box_.command(home, LendBearer{bearer, to});
    } else {
      return;
    }
    moving_[n] = true;
  }
  void look() {
    for (const auto& [bearer, worker] : box_.arrivals()) {
      const auto n = static_cast<std::uint32_t>(bearer->ue.lo - kFirstUe);
      ASSERT_TRUE(moving_[n]);
      ASSERT_NE(at_[n], worker);
      at_[n] = worker;
      moving_[n] = false;
      ++moves;
    }
  }
  bool still() const {
    return std::ranges::none_of(moving_, [](bool moving) { return moving; });
  }
  unsigned where(std::uint32_t n) const { return at_[n]; }

  unsigned moves = 0;

 private:
  Box& box_;
  std::vector<unsigned> at_;
  std::vector<bool> moving_;
};

// The workers and the rings between them hold exactly the frames that came in and did not go out.
void expect_conserved(const Box& box) {
  std::uint64_t given = 0, taken = 0;
  for (unsigned w = 0; w < box.size(); ++w) {
    ASSERT_EQ(box.snapshot(w).residue(), 0) << "worker " << w;
    given += box.account(w).given;
    taken += box.account(w).taken;
  }
  ASSERT_GE(given, taken);
}

TEST(Roaming, FramesOfABearerThatMovesAreNeitherLostNorOvertaken) {
  for (unsigned run = 0; run <= std::max(4u, runs_of(12)); ++run) {
    const unsigned seed = run == 0 ? 169 : run;  // 169: of 2,000 the one in which the default MaxDAT runs out
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    // A port with two queues for three workers or more, whose frames must leave in order too. It receives
    // none, since those would come by either queue.
    const bool two_queues = seed % 4 == 3;
    Box box(two_queues ? 3 + seed % 2 : 2 + seed % 3, {1, two_queues ? 2u : 1u});
    if (two_queues) box.io.free_slots = 8;
    constexpr std::uint32_t kUes = 12;
    for (std::uint32_t n = 0; n < kUes; ++n) {
      switch (n % 7) {
        case 0:
          box.add(n, shaped(50'000'000));
          break;
        case 1:
          box.add(n, LegSettings{});
          break;
        case 2:
          box.add(n, shaped(1'500'000));
          break;
        case 3:
          box.add(n, over_air());
          break;
        case 4:
          box.add(n, with(kPatient, 1'500'000));
          break;
        case 5:
          box.add(n, with_held_acks());
          break;
        case 6:
          box.add(n, over_um());
          break;
      }
    }
    Roaming roaming(box);
    std::array<std::array<std::size_t, kUes>, 2> next{};
    std::size_t offered = 0;
    for (int step = 0; step < 4000; ++step) {
      const std::uint32_t n = rng() % kUes;
      const Side side = two_queues || rng() % 2 == 0 ? Side::core : Side::radio;
      // Its length is its number among the frames of its UE.
      std::size_t& count = next[index(side)][n];
      if (count < 600) box.offer(side, n, count++), ++offered;
      if (rng() % 16 == 0) {
        const auto ue = static_cast<std::uint32_t>(rng() % kUes);
        roaming.move(ue, rng() % box.size());
      }
      if (rng() % 3 == 0) box.poll(rng() % box.size());
      box.clock.advance(Duration{static_cast<std::int64_t>(rng() % 20'000)});
      roaming.look();
      expect_conserved(box);
    }
    // Those on their way arrive while polls are close together: a port that takes nothing for
    // Departures::kLongest does not hold a bearer back, and time is about to go in longer steps.
    for (int i = 0; i < 1000 && !roaming.still(); ++i) {
      box.clock.advance(Duration{10'000});
      box.poll_all();
      roaming.look();
    }
    EXPECT_TRUE(roaming.still());
    for (int i = 0; i < 3; ++i) box.run(Duration{10'000'000'000});  // a port takes eight frames a poll
    EXPECT_GT(roaming.moves, two_queues ? 20u : 100u);
    std::array<std::map<std::uint32_t, std::size_t>, 2> seen;
    for (const auto& sent : box.io.sent) {
      const bool up = sent.side == Side::core;
      const std::uint32_t ue = load32(sent.bytes.data() + 14 + (up ? 12 : 16));
      ASSERT_EQ(load16(sent.bytes.data() + 14 + 2), 40 + seen[up][ue]++) << "of UE " << ue - kFirstUe;
    }
    EXPECT_EQ(box.io.sent.size(), offered);
    std::uint64_t given = 0, taken = 0;
    for (unsigned w = 0; w < box.size(); ++w) {
      const FrameAccount& account = box.account(w);
      EXPECT_EQ(account.residue(), 0) << w;
      EXPECT_EQ(account.buffered + account.held + account.retained + account.mbufs_held, 0u) << w;
      given += account.given;
      taken += account.taken;
      EXPECT_EQ(box.table(w).size(), box.shared(w).classes[0].bearers.get());
    }
    EXPECT_EQ(given, taken);
  }
}

// Two boxes get the same; in one the bearers move all the time. What is queued leaves at the same times.
TEST(Roaming, TheScheduleOfABacklogIsTheSameWhoeverServesIt) {
  std::array<std::map<std::uint32_t, std::vector<Time>>, 2> sent;  // by UE
  for (const bool moves : {false, true}) {
    Box box(2);
    for (std::uint32_t n = 0; n < 4; ++n)
      box.add(n, with(n < 2 ? AqmConfig(DropTail::Config{}) : AqmConfig(Red::Config{}), 1'000'000 + n));
    Roaming roaming(box);
    for (std::uint32_t n = 0; n < 4; ++n) {
      for (std::size_t i = 0; i < 12; ++i) box.offer(Side::core, n, 100 + i);
    }
    for (int i = 0; i < 4; ++i) box.poll_all();
    for (int i = 0; i < 4000; ++i) {
      box.clock.advance(Duration{10'000});
      if (moves && i % 7 == 0)
        roaming.move(static_cast<std::uint32_t>(i / 7 % 4),
                     1 - box.owner(static_cast<std::uint32_t>(i / 7 % 4)));
      roaming.look();
      box.poll_all();
    }
    if (moves) {
      EXPECT_GT(roaming.moves, 100u);
    }
    for (const auto& frame : box.io.sent)
      sent[moves][load32(frame.bytes.data() + 14 + 16)].push_back(frame.at);
  }
  ASSERT_EQ(sent[0].size(), 4u);
  for (const auto& [ue, times] : sent[0]) {
    ASSERT_EQ(times.size(), 12u);
    ASSERT_EQ(sent[1][ue].size(), 12u);
    for (std::size_t i = 0; i < 12; ++i) {
      // On its way between workers a bearer serves no SDU; the schedule does not wait for it.
      EXPECT_LE(sent[1][ue][i] - times[i], Duration{60'000}) << i;
      EXPECT_GE(sent[1][ue][i], times[i]) << i;
    }
  }
}

// A cell would else give a slot of before to a frame that came behind it.
TEST(Roaming, WhatIsDueGoesBeforeABearerThatComesLateInAPoll) {
  Box box(2);
  std::uint32_t stays = 0, comes = 0;
  while (box.owner(stays) != 1) ++stays;
  while (box.owner(comes) != 0) ++comes;
  Bearer* bearer = nullptr;
  for (const std::uint32_t n : {stays, comes}) {
    box.add(n, shaped(1'000'000));
    if (n == comes) bearer = box.bearers.back().get();
  }
  box.offer(Side::core, stays, 1000);
  box.poll_all();
  box.run(Duration{1'000'000});
  ASSERT_EQ(box.context(1).account.buffered, 1u) << "it takes 8 ms";
  box.command(0, LendBearer{bearer, 1});
  box.poll(0);
  box.io.receiving_takes = Duration{10'000'000};
  box.poll(1);
  box.io.receiving_takes = {};
  EXPECT_EQ(bearer->visits, 2) << "it has come in that poll";
  EXPECT_EQ(box.context(1).account.buffered, 0u) << "the frame was due when it came";
}

TEST(Roaming, WhatABearerHoldsIsCountedWhereItIs) {
  Box box(2);
  box.add(0, shaped(8'000));
  const unsigned home = box.owner(0), other = 1 - home;
  for (int i = 0; i < 10; ++i) box.offer(Side::core, 0, 100);
  for (int i = 0; i < 3; ++i) box.poll_all();
  EXPECT_EQ(box.account(home).buffered, 10u);
  const auto occupancy = [&](unsigned w) {
    return box.shared(w).classes[0].legs[index(Direction::downlink)].buffer_sdus.get();
  };
  EXPECT_EQ(occupancy(home), 10u);
  box.command(home, LendBearer{box.bearers[0].get(), other});
  EXPECT_EQ(box.account(home).buffered, 0u);
  EXPECT_EQ(box.account(home).given, 10u);
  EXPECT_EQ(occupancy(home), 0u);
  box.poll_all();
  box.poll_all();
  EXPECT_EQ(box.arrivals().size(), 1u);
  EXPECT_EQ(box.account(other).buffered, 10u);
  EXPECT_EQ(box.account(other).mbufs_held, 10u);
  EXPECT_EQ(occupancy(other), 10u);
  EXPECT_EQ(box.table(home).size(), 0u);
  EXPECT_EQ(box.table(home).away(), 1u);
  EXPECT_EQ(box.table(other).size(), 1u);
  for (unsigned w = 0; w < 2; ++w) box.command(w, SetMode{Mode::bypass});
  EXPECT_EQ(box.account(other).buffered, 0u) << "a change of mode finds it where it is";
}

// The stage keeps each ACK for 20 ms while three SDUs are queued.
TEST(Roaming, AcksThatAStageHoldsComeAlongAndLeaveInTime) {
  for (const bool moves : {false, true}) {
    Box box(2);
    BearerSettings settings = with_held_acks();
    settings.downlink.rate = 8'000;
    box.add(0, settings);
    const unsigned home = box.owner(0), other = 1 - home;
    for (std::uint32_t i = 0; i < 8; ++i) {
      box.io.offer(Side::core, {.src = Ip("192.0.2.1"), .dst = Ip(kFirstUe), .seq = 1 + 100 * i});
    }
    for (int i = 0; i < 3; ++i) box.poll_all();
    const Time start = box.clock.now();
    for (std::uint32_t i = 1; i <= 4; ++i) {
      box.io.offer(Side::radio, {.src = Ip(kFirstUe),
                                 .dst = Ip("192.0.2.1"),
                                 .sport = 5001,
                                 .dport = 40000,
                                 .ack = 1 + i,
                                 .payload = 0});
    }
    for (int i = 0; i < 3; ++i) box.poll_all();
    EXPECT_EQ(box.account(home).held, 4u);
    if (moves) {
      box.command(home, LendBearer{box.bearers[0].get(), other});
      EXPECT_EQ(box.account(home).held, 0u);
      for (int i = 0; i < 3; ++i) box.poll_all();
      EXPECT_EQ(box.account(other).held, 4u);
    }
    box.run(Duration{100'000'000});
    std::size_t acks = 0;
    for (const auto& sent : box.io.sent) {
      if (sent.side != Side::core) continue;
      ++acks;
      EXPECT_GE(sent.at - start, Duration{20'000'000});
      EXPECT_LE(sent.at - start, Duration{22'000'000});
    }
    EXPECT_EQ(acks, 4u);
  }
}

TEST(Roaming, ABearerThatComesInAnotherModeObeysIt) {
  for (const Mode mode : {Mode::tap, Mode::bypass, Mode::block}) {
    SCOPED_TRACE(name(mode));
    Box box(2);
    box.add(0, shaped(8'000));
    const unsigned home = box.owner(0), other = 1 - home;
    for (int i = 0; i < 10; ++i) box.offer(Side::core, 0, 100);
    for (int i = 0; i < 3; ++i) box.poll_all();
    box.command(home, LendBearer{box.bearers[0].get(), other});
    for (unsigned w = 0; w < 2; ++w) box.command(w, SetMode{mode});
    for (int i = 0; i < 3; ++i) box.poll_all();
    EXPECT_EQ(box.io.sent.size(), mode == Mode::block ? 0u : 10u);
    for (unsigned w = 0; w < 2; ++w) box.command(w, SetMode{Mode::inline_});
    box.run(Duration{3'000'000'000});
    EXPECT_EQ(box.io.sent.size(), 10u);
    for (unsigned w = 0; w < 2; ++w) EXPECT_EQ(box.account(w).residue(), 0);
  }
}

// Its frames wait at home for as long as there is room; it is the hanging worker that has the bearer.
TEST(Roaming, ABearerCalledFromAWorkerThatHangsComesWhenThatWakes) {
  Box box(2);
  box.add(0, shaped(8'000'000));
  const unsigned home = box.owner(0), other = 1 - home;
  box.command(home, LendBearer{box.bearers[0].get(), other});
  for (int i = 0; i < 3; ++i) box.poll_all();
  ASSERT_EQ(box.arrivals().size(), 1u);
  box.command(home, CallHome{box.bearers[0].get(), other});
  constexpr std::size_t kFrames = 5000;
  for (std::size_t i = 0; i < kFrames; ++i) box.offer(home == 0 ? Side::core : Side::radio, 0, 10);
  for (int i = 0; i < 200; ++i) {
    box.clock.advance(Duration{10'000});
    box.poll(home);
    ASSERT_EQ(box.snapshot(home).residue(), 0);
  }
  const std::uint64_t lost = box.dropped(DropReason::worker_full);
  EXPECT_GT(lost, 0u);
  box.run(Duration{5'000'000'000});
  ASSERT_EQ(box.arrivals().size(), 1u);
  EXPECT_EQ(box.io.sent.size() + lost + box.dropped(DropReason::buffer_sdus), kFrames);
  EXPECT_EQ(box.io.outstanding(), 0u);
}

// Nothing leaves by the ports: what was sent before may be overtaken then, but the bearer goes.
TEST(Roaming, APortThatTakesNothingHoldsNoBearerBackForLong) {
  Box box(2);
  box.add(0, LegSettings{});
  const unsigned home = box.owner(0), other = 1 - home;
  box.io.free_slots = 0;
  for (int i = 0; i < 10; ++i) box.offer(Side::core, 0, 100), box.offer(Side::radio, 0, 100);
  for (int i = 0; i < 3; ++i) box.poll_all();
  box.command(home, LendBearer{box.bearers[0].get(), other});
  for (int i = 0; i < 3; ++i) box.poll_all();
  EXPECT_EQ(box.arrivals().size(), 0u) << "it waits for what it sent";
  box.run(Departures::kLongest + Duration{1'000'000});
  EXPECT_EQ(box.arrivals().size(), 1u);
  box.io.free_slots = kBurst;
  box.run(Duration{10'000'000});
  EXPECT_EQ(box.io.sent.size(), 20u);
}

// Frames that wait for a bearer take no place in a buffer.
TEST(Roaming, FramesOfOthersGoOnWhileABearerIsAwaitedFromAWorkerThatHangs) {
  constexpr unsigned kHome = 0, kOther = 1, kHangs = 2;  // the first two have the ports
  Box box(3);
  std::uint32_t mine = 0, others = 0;
  while (box.owner(mine) != kHome) ++mine;
  while (box.owner(others) != kOther) ++others;
  box.add(mine, LegSettings{});
  box.add(others, LegSettings{});
  Bearer* const bearer = box.bearers[0].get();
  box.command(kHome, LendBearer{bearer, kHangs});
  for (int i = 0; i < 3; ++i) box.poll_all();
  ASSERT_EQ(box.arrivals().size(), 1u);
  box.command(kHome, CallHome{bearer, kHangs});
  const auto run = [&](std::size_t polls) {
    for (std::size_t i = 0; i < polls; ++i) {
      box.clock.advance(Duration{10'000});
      box.poll(kHome);
      box.poll(kOther);
    }
  };
  for (int i = 0; i < 3000; ++i) box.offer(Side::core, mine, 10), box.offer(Side::radio, mine, 10);
  run(300);
  const std::uint64_t lost = box.dropped(DropReason::worker_full);
  EXPECT_GT(lost, 0u);
  for (int i = 0; i < 100; ++i) box.offer(Side::core, others, 10), box.offer(Side::radio, others, 10);
  run(100);
  EXPECT_EQ(box.io.sent.size(), 200u);
  EXPECT_EQ(box.dropped(DropReason::worker_full), lost);
  box.run(Duration{100'000'000});
  EXPECT_EQ(box.io.sent.size(), 6200u - lost);
}

// A worker that splits nothing does not look for a router's messages: what its peer has handed to it must not
// go back and forth between the two.
TEST(Roaming, RoutersMessageForABearerThatIsAwayAndSplitsNothingGoesOnToItsServer) {
  Box box(2);
  BearerSettings settings{.downlink = shaped(1'000'000)};
  settings.proxy = SplitConfig{};
  box.add(0, settings);
  const unsigned home = box.owner(0);
  box.command(home, LendBearer{box.bearers[0].get(), 1 - home});
  box.run(std::chrono::milliseconds(100));
  ASSERT_EQ(box.arrivals().size(), 1u);
  constexpr std::uint32_t kRouters = 16;  // for either worker
  const Buffer lost = frame({.dst = Ip(kFirstUe), .payload = 200});
  for (std::uint32_t i = 0; i < kRouters; ++i) {
    box.io.offer(Side::radio, TestFrame(too_big(Ip(0xc6336401u + i), lost, 540), Side::radio));
  }
  box.run(std::chrono::milliseconds(100));
  EXPECT_EQ(box.io.sent.size(), kRouters);
  EXPECT_LE(box.account(0).taken + box.account(1).taken, 3 * kRouters + 1) << "handed from worker to worker";
}

}  // namespace
}  // namespace dp::test
