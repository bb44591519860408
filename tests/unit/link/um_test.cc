// The link that loses and does not repair (dataplane/link/um), with its bearer's frames: exact times, order,
// the seed's losses, places of frames, changes in place. WorkerBench adds the frames up after each test.
#include <algorithm>
#include <map>
#include <random>

#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

constexpr UeAddress kUmUe = ue_ipv4(0x0a2d0002);
constexpr std::uint64_t kUmRate = 8'000'000;  // a byte a microsecond
constexpr Duration kUmDelay{24'000'000};

LegSettings um_leg(const UmLinkConfig& config, std::uint64_t rate = kUmRate, std::uint32_t sdus = 1000) {
  LegSettings leg = shaper(rate, sdus, 64u << 20);
  leg.link = config;
  return leg;
}
BearerSettings um_down(const UmLinkConfig& config, std::uint64_t rate = kUmRate) {
  return {.downlink = um_leg(config, rate)};
}
BearerSettings um_both(const UmLinkConfig& config) {
  return {.downlink = um_leg(config), .uplink = um_leg(config)};
}

struct Crossing {
  std::uint16_t ident;
  Time at;
  friend bool operator==(const Crossing&, const Crossing&) = default;
};

class UmBench : public WorkerBench {
 protected:
  // Numbered from 0 on each side; an IP packet of `bytes`.
  void offer(Side side, std::size_t n, std::size_t bytes = 1000) {
    for (; n > 0; --n) {
      FrameSpec spec{.ident = next_[index(side)]++, .payload = bytes - 40};
      (side == Side::core ? spec.dst : spec.src) = Ip("10.45.0.2");
      io.offer(side, spec);
    }
  }
  std::vector<Crossing> crossed(Side side) const {
    std::vector<Crossing> out;
    for (const auto& sent : io.sent) {
      if (sent.side == side) out.push_back({load16(sent.bytes.data() + 18), sent.at});
    }
    return out;
  }
  // The numbers of the frames that left there; they rise.
  std::vector<std::uint16_t> numbers(Side side) const {
    std::vector<std::uint16_t> out;
    for (const Crossing& c : crossed(side)) out.push_back(c.ident);
    EXPECT_TRUE(std::ranges::is_sorted(out));
    EXPECT_EQ(std::ranges::adjacent_find(out), out.end());
    return out;
  }
  void run_for(Duration d) { run_until(clock.now() + d); }
  const FrameAccount& account() const { return worker->context().account; }

  std::array<std::uint16_t, 2> next_{};
};

TEST_F(UmBench, AnSduArrivesOneDelayBehindItsLastBitAndNotANanosecondEarlier) {
  add(kUmUe, um_down({.loss = 0, .delay = kUmDelay}));
  const Time start = clock.now();
  offer(Side::core, 1);
  run_until(start + Duration{1'000'000} + kUmDelay - Duration{1});
  EXPECT_TRUE(io.sent.empty());
  run_for(Duration{1});
  ASSERT_EQ(io.sent.size(), 1u);
  EXPECT_EQ(io.sent[0].side, Side::radio);
  EXPECT_EQ(worker->next_deadline(), kNever);
}

// At a rate that leaves fractions of a nanosecond, with pauses, in both directions.
TEST_F(UmBench, WhatArrivesDoesSoOneDelayAfterAShaperWouldHaveSentItWhateverElseIsLost) {
  constexpr std::uint64_t kOdd = 7'777'777;
  std::map<std::uint16_t, Time> shaped;
  std::vector<Crossing> lossless, lossy;
  const Time epoch = clock.now();
  for (const LegSettings& leg : {shaper(kOdd, 1000, 64u << 20), um_leg({.loss = 0, .delay = kUmDelay}, kOdd),
                                 um_leg({.loss = 0.3, .burst = 2, .delay = kUmDelay}, kOdd)}) {
    next_ = {};
    io.sent.clear();
    Bearer& bearer = add(kUmUe, {.downlink = leg});
    const Time start = clock.now();
    std::mt19937 rng(5);
    for (int i = 0; i < 200; ++i) {
      offer(Side::core, rng() % 8, 40 + rng() % 1400);
      run_for(Duration{static_cast<std::int64_t>(rng() % 8'000'000)});
    }
    run_for(Duration{2'000'000'000});
    std::vector<Crossing> all = crossed(Side::radio);
    for (Crossing& c : all) c.at = epoch + (c.at - start);
    if (shaped.empty()) {
      for (const Crossing& c : all) shaped[c.ident] = c.at;
    } else {
      (lossless.empty() ? lossless : lossy) = all;
    }
    command(RemoveBearer{&bearer});
  }
  ASSERT_GT(shaped.size(), 500u);
  EXPECT_EQ(lossless.size(), shaped.size());
  EXPECT_NEAR(static_cast<double>(lossy.size()), 0.7 * static_cast<double>(shaped.size()),
              0.1 * static_cast<double>(shaped.size()));
  for (const auto* all : {&lossless, &lossy}) {
    for (const Crossing& c : *all) EXPECT_EQ(c.at, shaped.at(c.ident) + kUmDelay) << c.ident;
  }
}

TEST_F(UmBench, ALatePollDeliversAllThatWasDueAndGoesOnFromTheSchedule) {
  add(kUmUe, um_down({.loss = 0, .delay = kUmDelay}));
  const Time start = clock.now();
  offer(Side::core, 40);
  worker->poll_once();
  clock.set(start + Duration{30'500'000});  // thirty were sent, the first six of which have arrived
  settle();
  EXPECT_EQ(io.sent.size(), 6u);
  EXPECT_EQ(worker->next_deadline(), start + Duration{31'000'000});
}

TEST_F(UmBench, WhatIsLostIsDroppedForTheRadioAndNotDelivered) {
  Bearer& bearer = add(kUmUe, um_both({.loss = 0.25}));
  ClassLegCounters stats;
  bearer.downlink.count_in(stats);
  offer(Side::core, 400);
  offer(Side::radio, 400);
  run_for(Duration{10'000'000'000});
  for (const Direction d : kDirections) {
    const RlcBuffer& buffer = bearer.leg(d).buffer();
    const UmRadioLink& um = *UmPart::own(bearer, index(d));
    EXPECT_EQ(buffer.delivered_sdus() + buffer.dropped_sdus(), 400u);
    EXPECT_EQ(um.sdus_sent(), 400u);
    EXPECT_EQ(um.sdus_lost(), buffer.dropped_sdus());
    EXPECT_EQ(um.sdus_on_the_way(), 0u);
    EXPECT_NEAR(static_cast<double>(um.sdus_lost()), 100, 45);
    EXPECT_EQ(numbers(exit_of(d)).size(), buffer.delivered_sdus());
  }
  const auto& down = bearer.downlink.buffer();
  EXPECT_EQ(stats.dropped_sdus[index(DropReason::radio)].get(), down.dropped_sdus());
  EXPECT_EQ(stats.delivered_sdus.get(), down.delivered_sdus());
  EXPECT_EQ(dropped(DropReason::radio), down.dropped_sdus() + bearer.uplink.buffer().dropped_sdus());
}

TEST_F(UmBench, WhatIsOnItsWayIsOutOfTheOccupancyAndStillHere) {
  Bearer& bearer = add(kUmUe, um_down({.loss = 0, .delay = kUmDelay}));
  offer(Side::core, 3);
  run_for(Duration{2'500'000});
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 1u);
  EXPECT_EQ(bearer.downlink.buffer().delivered_sdus(), 2u);
  EXPECT_EQ(UmPart::own(bearer, 0)->sdus_on_the_way(), 2u);
  EXPECT_EQ(account().buffered, 3u);
  EXPECT_EQ(account().mbufs_held, 3u);
  EXPECT_EQ(account().retained, 0u);
  run_for(Duration{500'000});
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 0u);
  EXPECT_TRUE(bearer.holds());
  EXPECT_EQ(command(RemoveSilent{&bearer, clock.now(), LearnFrom::both}).status, CommandStatus::in_use);
  run_for(kUmDelay);
  EXPECT_FALSE(bearer.holds());
  EXPECT_EQ(account().buffered, 0u);
  EXPECT_EQ(account().mbufs_held, 0u);
}

TEST_F(UmBench, ItTakesChains) {
  add(kUmUe, um_down({.loss = 0}));
  TestFrame frame(FrameSpec{.dst = Ip("10.45.0.2"), .payload = 1000});
  frame.chained(100);
  io.offer(Side::core, std::move(frame));
  run_for(Duration{5'000'000});
  EXPECT_EQ(account().mbufs_held, 2u);
  run_for(Duration{1'000'000'000});
  EXPECT_EQ(io.sent.size(), 1u);
  EXPECT_EQ(account().mbufs_held, 0u);
}

TEST_F(UmBench, TheSeedDecidesWhatIsLostForEachBearerAndDirectionByItself) {
  const auto lost_by = [&](std::uint64_t seed, std::uint64_t number, Side side) {
    next_ = {};
    io.sent.clear();
    bearers.push_back(prepare_bearer(um_both({.loss = 0.3, .seed = seed}), number));
    Bearer& bearer = *bearers.back();
    bearer.ue = kUmUe;
    command(AddBearer{&bearer});
    offer(side, 200);
    run_for(Duration{1'000'000'000});
    command(RemoveBearer{&bearer});
    return numbers(opposite(side));
  };
  const auto first = lost_by(1, 0, Side::core);
  EXPECT_EQ(lost_by(1, 0, Side::core), first);
  EXPECT_NE(lost_by(2, 0, Side::core), first) << "another seed";
  EXPECT_NE(lost_by(1, 1, Side::core), first) << "another bearer of the seed";
  EXPECT_NE(lost_by(1, 0, Side::radio), first) << "the other direction";
}

TEST_F(UmBench, AShorterDelayOvertakesNothingThatIsOnItsWay) {
  const BearerSettings far = um_down({.loss = 0, .delay = Duration{50'000'000}});
  const BearerSettings near = um_down({.loss = 0, .delay = Duration{5'000'000}});
  Bearer& bearer = add(kUmUe, far);
  const Time start = clock.now();
  offer(Side::core, 60);
  run_for(Duration{20'000'000});
  change(bearer, far, near);
  EXPECT_EQ(UmPart::own(bearer, 0)->sdus_on_the_way(), 20u);
  run_for(Duration{1'000'000'000});
  const auto all = crossed(Side::radio);
  ASSERT_EQ(numbers(Side::radio).size(), 60u);
  EXPECT_EQ(all[19].at, start + Duration{70'000'000});
  EXPECT_EQ(all[20].at, start + Duration{70'000'000}) << "behind the one before it";
  EXPECT_EQ(all[59].at, start + Duration{70'000'000}) << "sent at 60 ms, it would have arrived at 65";
  offer(Side::core, 1);
  const Time again = clock.now();
  run_for(Duration{1'000'000'000});
  EXPECT_EQ(io.sent.back().at, again + Duration{6'000'000});
}

TEST_F(UmBench, AnotherLossCountsFromTheNextSduAndTouchesNothingOnItsWay) {
  const BearerSettings good = um_down({.loss = 0}), dead = um_down({.loss = 1});
  Bearer& bearer = add(kUmUe, good);
  const UmRadioLink* const um = UmPart::own(bearer, 0);
  offer(Side::core, 20);
  run_for(Duration{10'500'000});
  const Answer answer = change(bearer, good, dead);
  EXPECT_EQ(answer.lost, 0u);
  EXPECT_EQ(UmPart::own(bearer, 0), um) << "the one that was prepared goes home";
  EXPECT_EQ(answer.parts.of<UmKind>(0), fresh.back().of<UmPart>(0).get());
  EXPECT_EQ(answer.in_use.of<UmKind>(0), um);
  run_for(Duration{1'000'000'000});
  EXPECT_EQ(numbers(Side::radio).size(), 10u);
  EXPECT_EQ(um->sdus_lost(), 10u);
  change(bearer, dead, good);
  offer(Side::core, 20);
  run_for(Duration{1'000'000'000});
  EXPECT_EQ(numbers(Side::radio).size(), 30u);
}

TEST_F(UmBench, AnotherLossDrawsOnAndAnotherSeedAfresh) {
  const auto sent = [&](const UmLinkConfig& second) {
    next_ = {};
    io.sent.clear();
    const BearerSettings before = um_down({.loss = 0.5, .seed = 1}), after = um_down(second);
    Bearer& bearer = add(kUmUe, before);
    offer(Side::core, 100);
    run_for(Duration{1'000'000'000});
    fresh.push_back(prepare_change(before, after, 0, 0));
    command(Reconfigure{&bearer, &after, fresh.back().get()});
    offer(Side::core, 100);
    run_for(Duration{1'000'000'000});
    command(RemoveBearer{&bearer});
    auto all = numbers(Side::radio);
    const auto middle = std::ranges::lower_bound(all, 100);
    std::vector<std::uint16_t> first(all.begin(), middle), rest(middle, all.end());
    for (auto& n : rest) n = static_cast<std::uint16_t>(n - 100);
    return std::pair(first, rest);
  };
  const auto [first, on] = sent({.loss = 0.5, .delay = Duration{1'000'000}, .seed = 1});
  EXPECT_NE(first, on) << "the losses of the first hundred are not repeated";
  const auto [again, other] = sent({.loss = 0.5, .seed = 2});
  EXPECT_EQ(first, again);
  next_ = {};
  io.sent.clear();
  add(kUmUe, um_down({.loss = 0.5, .seed = 2}));
  offer(Side::core, 100);
  run_for(Duration{1'000'000'000});
  EXPECT_EQ(numbers(Side::radio), other);
}

TEST_F(UmBench, BlockStopsWhatIsOnItsWayAsLongAsWhatWaits) {
  add(kUmUe, um_down({.loss = 0, .delay = kUmDelay}));
  const Time start = clock.now();
  offer(Side::core, 10);
  run_for(Duration{5'500'000});
  command(SetMode{Mode::block});
  run_for(Duration{60'000'000'000});
  EXPECT_TRUE(io.sent.empty());
  command(SetMode{Mode::inline_});
  run_for(Duration{1'000'000'000});
  const auto all = crossed(Side::radio);
  ASSERT_EQ(all.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(all[i].at, start + Duration{60'000'000'000} + kUmDelay +
                             Duration{1'000'000 * static_cast<std::int64_t>(i + 1)})
        << i;
  }
}

TEST_F(UmBench, ABypassARemovalAndAnotherLinkSendWhatIsOnItsWayFirst) {
  const BearerSettings settings = um_both({.loss = 0, .delay = kUmDelay});
  for (int how = 0; how < 3; ++how) {
    SCOPED_TRACE(how);
    next_ = {};
    io.sent.clear();
    Bearer& bearer = add(kUmUe, settings);
    offer(Side::core, 20);
    offer(Side::radio, 20);
    run_for(Duration{8'500'000});
    ASSERT_TRUE(io.sent.empty());
    if (how == 0) command(SetMode{Mode::bypass});
    if (how == 1) command(RemoveBearer{&bearer});
    if (how == 2) change(bearer, settings, bearer_at(kUmRate));
    worker->poll_once();
    EXPECT_EQ(numbers(Side::radio).size(), 20u);
    EXPECT_EQ(numbers(Side::core).size(), 20u);
    EXPECT_EQ(account().buffered, 0u);
    EXPECT_EQ(account().mbufs_held, 0u);
    command(SetMode{Mode::inline_});
    if (how != 1) command(RemoveBearer{&bearer});
  }
}

TEST_F(UmBench, WithoutWhatItNeedsABearerStaysAsItIs) {
  const BearerSettings shaped = bearer_at(kUmRate), wanted = um_down({});
  Bearer& bearer = add(kUmUe, shaped);
  command(Reconfigure{&bearer, &wanted});
  EXPECT_EQ(UmPart::own(bearer, 0), nullptr);
  offer(Side::core, 1);
  const Time start = clock.now();
  run_for(Duration{1'000'000'000});
  ASSERT_EQ(io.sent.size(), 1u);
  EXPECT_EQ(io.sent[0].at, start + Duration{1'000'000});
}

TEST_F(UmBench, AnAirMayTakeItsPlaceAndGiveItBack) {
  const BearerSettings um = um_both({.loss = 0, .delay = kUmDelay});
  AmLinkConfig lossless;
  lossless.fer = 0;
  BearerSettings air = {.downlink = shaper(384'000, 1000), .uplink = shaper(384'000, 1000)};
  air.downlink.link = air.uplink.link = lossless;
  Bearer& bearer = add(kUmUe, um);
  const BearerSettings* now = &um;
  for (const BearerSettings* to : {&std::as_const(air), &um, &std::as_const(air), &um}) {
    offer(Side::core, 20);
    offer(Side::radio, 20);
    run_for(Duration{8'500'000});
    change(bearer, *now, *to);
    now = to;
    ASSERT_EQ(shared->snapshot.read().account.residue(), 0);
    EXPECT_EQ(account().mbufs_held, 0u);
  }
  run_for(Duration{5'000'000'000});
  EXPECT_EQ(numbers(Side::radio).size(), 80u);
  EXPECT_EQ(numbers(Side::core).size(), 80u);
}

// Any change at any time: what came in is out, here, or dropped with a reason.
TEST_F(UmBench, AThousandRandomChangesLoseNothingWithoutAReasonAndKeepTheOrder) {
  std::mt19937 rng(11);
  const auto up_to = [&](std::uint32_t n) { return static_cast<std::int64_t>(rng() % n); };
  const auto random_um = [&] {
    return UmLinkConfig{.loss = static_cast<double>(up_to(101)) / 100,
                        .burst = 1 + static_cast<double>(up_to(8)),
                        .delay = Duration{up_to(60'000'000)},
                        .seed = static_cast<std::uint64_t>(up_to(3))};
  };
  const auto random_leg = [&]() -> LegSettings {
    const std::uint64_t rate = 100'000 + static_cast<std::uint64_t>(up_to(20'000'000));
    switch (rng() % 4) {
      case 0:
        return shaper(rate, 40);
      case 1:
        return {};
      default:
        return um_leg(random_um(), rate, 40);
    }
  };
  BearerSettings now = um_both(random_um());
  Bearer* bearer = &add(kUmUe, now);
  std::size_t changes = 0, ums = 0;
  std::uint64_t most_on_the_way = 0;
  while (changes < 1000) {
    offer(rng() % 2 == 0 ? Side::core : Side::radio, rng() % 12, 40 + rng() % 1400);
    run_for(Duration{up_to(8'000'000)});
    for (const Direction d : kDirections) {
      if (const UmRadioLink* um = UmPart::own(*bearer, index(d))) {
        most_on_the_way = std::max(most_on_the_way, um->sdus_on_the_way());
      }
    }
    if (rng() % 3 != 0) continue;
    ++changes;
    switch (rng() % 8) {
      case 0:
        command(SetMode{static_cast<Mode>(rng() % 4)});
        if (rng() % 4 != 0) command(SetMode{Mode::inline_});
        break;
      case 1: {
        const std::uint64_t reasons = dropped(DropReason::blocked);
        command(RemoveBearer{bearer});
        EXPECT_TRUE(worker->context().mode == Mode::block || dropped(DropReason::blocked) == reasons);
        bearer = &add(kUmUe, now);
        break;
      }
      default: {
        BearerSettings to = now;
        if (rng() % 2 == 0) {  // in place
          for (LegSettings* leg : {&to.downlink, &to.uplink})
            if (std::holds_alternative<UmLinkConfig>(leg->link))
              leg->link = random_um(), leg->rate = 100'000 + rng() % 20'000'000;
        } else {
          to = {.downlink = random_leg(), .uplink = random_leg()};
        }
        change(*bearer, now, to);
        now = to;
        ums += UmPart::wanted(to, 0) + UmPart::wanted(to, 1);
      }
    }
    const WorkerSnapshot s = shared->snapshot.read();
    ASSERT_EQ(s.account.residue(), 0);
    std::uint64_t here = 0;
    for (const Direction d : kDirections) {
      here += bearer->leg(d).buffer().sdus();
      if (const UmRadioLink* um = UmPart::own(*bearer, index(d))) here += um->sdus_on_the_way();
    }
    ASSERT_EQ(account().buffered, here);
    ASSERT_EQ(account().mbufs_held, here);
    ASSERT_EQ(account().retained, 0u);
  }
  EXPECT_GT(ums, 500u);
  EXPECT_GT(most_on_the_way, 10u);
  command(SetMode{Mode::inline_});
  run_for(Duration{60'000'000'000});
  EXPECT_EQ(account().buffered, 0u);
  EXPECT_EQ(account().mbufs_held, 0u);
  EXPECT_GT(dropped(DropReason::radio), 500u);
  EXPECT_EQ(worker->next_deadline(), kNever);
  numbers(Side::core);
  numbers(Side::radio);
}

}  // namespace
}  // namespace dp::test
