// The emulated air link (dataplane/link/am): TTIs, real bytes both ways, BO until the peer's last ACK,
// losses, discards, flushes, changes in place. WorkerBench adds the frames up after each test.
#include <map>

#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

constexpr UeAddress kUe = ue_ipv4(0x0a2d0002);
constexpr Duration kTti{10'000'000};
constexpr Duration kDelay{25'000'000};
constexpr std::uint64_t kRate = 384'000;

AmLinkConfig air(double fer) {
  AmLinkConfig config;
  config.fer = fer;
  return config;
}

BearerSettings over(const AmLinkConfig& config, std::uint64_t rate = kRate, std::uint32_t sdus = 100) {
  LegSettings leg = shaper(rate, sdus);
  leg.link = config;
  return {.downlink = leg, .uplink = leg};
}

class AmLinkTest : public WorkerBench {
 protected:
  // Frames with a number in the TCP sequence field, and bytes that follow from it.
  void offer(Side side, std::size_t n, std::size_t payload = 1460) {
    for (std::size_t i = 0; i < n; ++i) {
      FrameSpec spec{.seq = next_[index(side)]++, .payload = payload, .padding = payload == 0 ? 6u : 0u};
      (side == Side::core ? spec.dst : spec.src) = Ip("10.45.0.2");
      TestFrame frame(spec, side);
      const auto bytes = frame.bytes();
      for (std::byte& b : bytes.last(spec.padding)) b = std::byte{0xa5};  // a trailer, not only padding
      offered_[index(side)].emplace_back(bytes.begin(), bytes.end());
      io.offer(side, std::move(frame));
    }
  }

  // Frames that left on `side`: those offered on the other but for the missing ones, in order and equal.
  std::size_t expect_crossed(Side side) {
    const auto& sent = offered_[index(opposite(side))];
    std::size_t at = 0, crossed = 0;
    for (const auto& out : io.sent) {
      if (out.side != side) continue;
      while (at < sent.size() && sent[at] != out.bytes) ++at;
      EXPECT_LT(at, sent.size()) << "not among those offered, or out of order";
      if (at++ < sent.size()) ++crossed;
    }
    return crossed;
  }

  // The beginning of the next TTI.
  Time next_tti(const Bearer& b) { return b.radio_link->channel(Direction::downlink).next_tti(clock.now()); }
  void run_for(Duration d) { run_until(clock.now() + d); }

 private:
  std::array<std::uint32_t, 2> next_{1, 1};
  std::array<std::vector<Buffer>, 2> offered_;
};

TEST_F(AmLinkTest, AnSduCrossesInTheTtisThatItsPdusTakeAndOneDelay) {
  Bearer& bearer = add(kUe, over(air(0)));
  const Time first = next_tti(bearer);
  offer(Side::core, 1);  // 1500 bytes: 38 PDUs of 40, 12 a TTI
  run_until(first + 3 * kTti + kDelay - Duration{1});
  EXPECT_TRUE(io.sent.empty());
  run_for(Duration{1});
  ASSERT_EQ(io.sent.size(), 1u);
  EXPECT_EQ(io.sent[0].side, Side::radio);
  EXPECT_EQ(expect_crossed(Side::radio), 1u);
}

TEST_F(AmLinkTest, AnSduStaysInTheOccupancyUntilTheStatusComesBack) {
  Bearer& bearer = add(kUe, over(air(0)));
  const Time first = next_tti(bearer);
  offer(Side::core, 1);
  // The last of its four frames polls, arrives after the delay, and is answered in the next TTI.
  const Time back = first + 3 * kTti + Duration{30'000'000} + kDelay;
  run_until(back - Duration{1});
  EXPECT_EQ(io.sent.size(), 1u);
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 1u);
  EXPECT_EQ(worker->context().account.retained, 1u);
  run_for(Duration{1});
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 0u);
  EXPECT_EQ(worker->context().account.retained, 0u);
  EXPECT_EQ(bearer.downlink.buffer().delivered_sdus(), 1u);
  EXPECT_EQ(worker->next_deadline(), kNever);
}

TEST_F(AmLinkTest, AnIdealAirCarriesTheNominalRate) {
  add(kUe, over(air(0), kRate, 1000));
  offer(Side::core, 500);
  const Time start = clock.now();
  run_until(start + Duration{30'000'000'000});
  ASSERT_EQ(io.sent.size(), 500u);
  const double seconds = std::chrono::duration<double>(io.sent.back().at - start).count();
  EXPECT_NEAR(500 * 1500 * 8 / seconds, kRate, kRate * 0.01);
}

TEST_F(AmLinkTest, RatesBetweenWholePdusHoldOverTime) {
  add(kUe, over(air(0), 100'000, 1000));  // 3.125 PDUs a TTI
  offer(Side::core, 200);
  const Time start = clock.now();
  run_until(start + Duration{60'000'000'000});
  ASSERT_EQ(io.sent.size(), 200u);
  const double seconds = std::chrono::duration<double>(io.sent.back().at - start).count();
  EXPECT_NEAR(200 * 1500 * 8 / seconds, 100'000, 700);
}

TEST_F(AmLinkTest, BothDirectionsCarryTheirBytesOverALossyAir) {
  Bearer& bearer = add(kUe, over(air(0.1), kRate, 400));
  for (int i = 0; i < 40; ++i) {
    offer(Side::core, 8, 100 + static_cast<std::size_t>(i) * 35);
    offer(Side::radio, 3, static_cast<std::size_t>(i) * 20);
    run_for(Duration{300'000'000});
    ASSERT_EQ(shared->snapshot.read().account.residue(), 0);
  }
  run_for(Duration{20'000'000'000});
  const std::uint64_t lost = dropped(DropReason::rlc);
  EXPECT_EQ(expect_crossed(Side::radio) + expect_crossed(Side::core) + lost, 440u);
  EXPECT_LT(lost, 10u);
  EXPECT_GT(bearer.radio_link->sender(Direction::downlink).stats().pdus_retransmitted.get(), 100u);
  EXPECT_GT(bearer.radio_link->channel(Direction::uplink).frames_lost(), 10u);
  EXPECT_EQ(bearer.downlink.buffer().sdus() + bearer.uplink.buffer().sdus(), 0u);
  EXPECT_EQ(worker->next_deadline(), kNever);
}

TEST_F(AmLinkTest, ADeadAirGivesSdusUpAsRlcDoes) {
  Bearer& bearer = add(kUe, over(air(1)));
  offer(Side::core, 3);
  run_for(Duration{20'000'000'000});
  EXPECT_TRUE(io.sent.empty());
  EXPECT_GT(bearer.radio_link->sender(Direction::downlink).stats().resets.get() +
                bearer.radio_link->sender(Direction::downlink).stats().mrws.get(),
            0u);
  EXPECT_EQ(dropped(DropReason::rlc), 3u);
}

TEST_F(AmLinkTest, ABypassSendsWhatIsInTheAirOnceAndInOrder) {
  Bearer& bearer = add(kUe, over(air(0.1), kRate, 400));
  offer(Side::core, 60);
  offer(Side::radio, 60, 700);
  run_for(Duration{700'000'000});
  EXPECT_LT(io.sent.size(), 120u);
  command(SetMode{Mode::bypass});
  EXPECT_EQ(expect_crossed(Side::radio), 60u);
  EXPECT_EQ(expect_crossed(Side::core), 60u);
  EXPECT_EQ(io.sent.size(), 120u);
  EXPECT_EQ(bearer.downlink.buffer().sdus() + bearer.uplink.buffer().sdus(), 0u);
  command(SetMode{Mode::inline_});
  offer(Side::core, 5);
  run_for(Duration{5'000'000'000});
  EXPECT_EQ(expect_crossed(Side::radio), 65u);
}

TEST_F(AmLinkTest, ABearerCanLeaveWithItsAirFull) {
  Bearer& bearer = add(kUe, over(air(0.1)));
  offer(Side::core, 30);
  offer(Side::radio, 30);
  run_for(Duration{400'000'000});
  command(RemoveBearer{&bearer});
  EXPECT_EQ(io.sent.size(), 60u);
  EXPECT_EQ(worker->context().timers.size(), 0u);
}

TEST_F(AmLinkTest, WithoutAFrameForThePeerTheSduIsLostToThePool) {
  add(kUe, over(air(0)));
  offer(Side::core, 1);
  run_for(Duration{1'000'000});
  io.max_frames = 1;  // the original
  run_for(Duration{2'000'000'000});
  EXPECT_TRUE(io.sent.empty());
  EXPECT_EQ(dropped(DropReason::pool), 1u);
}

TEST_F(AmLinkTest, AFrameOfSeveralSegmentsIsRefused) {
  add(kUe, over(air(0)));
  TestFrame frame(FrameSpec{.dst = Ip("10.45.0.2"), .payload = 1000});
  frame.chained(0);
  io.offer(Side::core, std::move(frame));
  run_for(Duration{1'000'000'000});
  EXPECT_EQ(dropped(DropReason::too_long), 1u);
}

TEST_F(AmLinkTest, AnotherFrameErrorRatioChangesNothingUnderWay) {
  const BearerSettings before = over(air(0));
  Bearer& bearer = add(kUe, before);
  offer(Side::core, 50);
  run_for(Duration{400'000'000});
  const std::size_t sent = io.sent.size();
  const BearerSettings after = over(air(1));
  const auto fresh = AmPart::make(after, 0, part_seeds(7, 0));
  EXPECT_EQ(change_part<AmKind>(bearer, after, fresh.get()), fresh.get());
  EXPECT_EQ(io.sent.size(), sent);
  const auto healed = AmPart::make(before, 0, part_seeds(8, 0));
  run_for(Duration{100'000'000});
  EXPECT_EQ(change_part<AmKind>(bearer, before, healed.get()), healed.get());
  run_for(Duration{20'000'000'000});
  EXPECT_EQ(expect_crossed(Side::radio), 50u);
}

// This keeps the frames on their way and the state of RLC, like any change of the channel.
TEST_F(AmLinkTest, ErrorsOfPdusMayTakeThePlaceOfThoseOfFramesAndGiveItBack) {
  AmLinkConfig frames = air(0.1);
  frames.channel = ChannelChoice{ChannelList::index_of("bernoulli")};
  AmLinkConfig pdus = frames;
  pdus.errors = AmErrors::pdu;
  const BearerSettings before = over(frames, kRate, 400), after = over(pdus, kRate, 400);
  Bearer& bearer = add(kUe, before);
  const TransportChannel& channel = bearer.radio_link->channel(Direction::downlink);
  const auto counted_in = [&](Duration time) {
    const std::uint64_t then = channel.frames_sent();
    run_for(time);
    return channel.frames_sent() - then;
  };
  offer(Side::core, 300);
  EXPECT_EQ(counted_in(100 * kTti), 100u);
  const auto fresh = AmPart::make(after, 0, part_seeds(7, 0));
  EXPECT_EQ(change_part<AmKind>(bearer, after, fresh.get()), fresh.get());
  EXPECT_EQ(counted_in(100 * kTti), 1200u);
  const auto again = AmPart::make(before, 0, part_seeds(8, 0));
  EXPECT_EQ(change_part<AmKind>(bearer, before, again.get()), again.get());
  EXPECT_EQ(counted_in(100 * kTti), 100u);
  run_for(Duration{20'000'000'000});
  EXPECT_EQ(expect_crossed(Side::radio), 300u);
}

TEST_F(AmLinkTest, OtherRlcSettingsSendWhatIsThereAndBeginAfresh) {
  const BearerSettings before = over(air(0));
  Bearer& bearer = add(kUe, before);
  offer(Side::core, 50);
  run_for(Duration{400'000'000});
  AmLinkConfig larger = air(0);
  larger.pdu_size = 82;
  const BearerSettings after = over(larger);
  auto fresh = AmPart::make(after, 0, part_seeds(7, 0));
  const dp::AmRadioLink* old = bearer.radio_link;
  EXPECT_EQ(change_part<AmKind>(bearer, after, fresh.get()), old);
  EXPECT_EQ(expect_crossed(Side::radio), 50u);
  bearers.back().parts.of<AmPart>() = std::move(fresh);
  offer(Side::core, 10);
  run_for(Duration{5'000'000'000});
  EXPECT_EQ(expect_crossed(Side::radio), 60u);
}

TEST_F(AmLinkTest, AShaperMayTakeTheAirsPlaceAndGiveItBack) {
  Bearer& bearer = add(kUe, over(air(0.1)));
  offer(Side::core, 20);
  run_for(Duration{200'000'000});
  const BearerSettings shaped = bearer_at(kRate);
  EXPECT_EQ(change_part<AmKind>(bearer, shaped, nullptr), bearers.back().parts.of<AmPart>().get());
  EXPECT_EQ(expect_crossed(Side::radio), 20u);
  offer(Side::core, 5);
  run_for(Duration{1'000'000'000});
  EXPECT_EQ(expect_crossed(Side::radio), 25u);
  const BearerSettings back = over(air(0.1));
  bearers.back().parts.of<AmPart>() = AmPart::make(back, 0, part_seeds(3, 0));
  EXPECT_EQ(change_part<AmKind>(bearer, back, bearers.back().parts.of<AmPart>().get()), nullptr);
  offer(Side::core, 5);
  run_for(Duration{5'000'000'000});
  EXPECT_EQ(expect_crossed(Side::radio), 30u);
}

TEST_F(AmLinkTest, BlockStopsItsClockAndLosesNothingThatWasUnderWay) {
  Bearer& bearer = add(kUe, over(air(0)));
  offer(Side::core, 20);
  offer(Side::radio, 20);
  run_for(Duration{217'000'000});
  const std::size_t before = io.sent.size();
  const std::uint64_t polls = bearer.radio_link->sender(Direction::downlink).stats().polls.get();
  command(SetMode{Mode::block});
  run_for(Duration{60'000'000'000});
  EXPECT_EQ(io.sent.size(), before);
  EXPECT_EQ(bearer.radio_link->sender(Direction::downlink).stats().polls.get(), polls);
  command(SetMode{Mode::inline_});
  run_for(Duration{3'000'000'000});
  EXPECT_EQ(expect_crossed(Side::radio), 20u);
  EXPECT_EQ(expect_crossed(Side::core), 20u);
}

TEST_F(AmLinkTest, ARateChangeCountsFromTheNextTti) {
  const BearerSettings fast = over(air(0)), slow = over(air(0), 64'000);
  Bearer& bearer = add(kUe, fast);
  offer(Side::core, 60);
  run_for(Duration{500'000'000});
  command(Reconfigure{&bearer, &slow});
  const std::size_t at_change = io.sent.size();
  run_for(Duration{50'000'000});  // the frames sent before arrive
  const std::size_t settled = io.sent.size();
  EXPECT_LE(settled - at_change, 2u);
  run_for(Duration{3'000'000'000});
  EXPECT_NEAR(static_cast<double>(io.sent.size() - settled), 3.0 * 64'000 / 12'000, 1.5);
}

TEST_F(AmLinkTest, BearersOfOneSeedDrawTheirOwnErrors) {
  bearers.push_back(prepare_bearer(over(air(0.1)), 1));
  bearers.push_back(prepare_bearer(over(air(0.1)), 2));
  for (std::uint32_t i : {0u, 1u}) {
    bearers[i]->ue = ue_ipv4(0x0a2d0002 + i);
    command(AddBearer{bearers[i].get()});
    for (int n = 0; n < 60; ++n) {
      io.offer(Side::core, {.dst = Ip(i == 0 ? "10.45.0.2" : "10.45.0.3"), .payload = 1460});
    }
  }
  run_for(Duration{20'000'000'000});
  const auto lost = [&](int i) { return bearers[i]->radio_link->channel(Direction::downlink).frames_lost(); };
  EXPECT_NE(lost(0), lost(1));
  EXPECT_NE(bearers[0]->radio_link->channel(Direction::downlink).next_tti(clock.now()),
            bearers[1]->radio_link->channel(Direction::downlink).next_tti(clock.now()));
}

}  // namespace
}  // namespace dp::test
