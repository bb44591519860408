// Counters of an air as control reads them: by bearer from the air itself, by class from the worker's board.
#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

constexpr Duration kSecond{1'000'000'000};

class AmTotalsTest : public WorkerBench {
 protected:
  static BearerSettings lossy(double fer) {
    AmLinkConfig config;
    config.fer = fer;
    config.doppler = 0.3;  // no long bursts of losses
    LegSettings leg = shaper(384'000, 400);
    leg.link = config;
    return {.downlink = leg, .uplink = leg};
  }
  void offer_downlink(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) io.offer(Side::core, {.dst = Ip("10.45.0.2"), .payload = 1460});
  }
  // The totals of a class on the worker's board.
  AmEventTotals board(ClassId cls, Direction d) const {
    AmEventTotals totals;
    for (std::size_t e = 0; e < kAmEvents; ++e) {
      totals.counts[e] = shared->classes[cls].legs[index(d)].am[e].get();
    }
    return totals;
  }
};

TEST_F(AmTotalsTest, OnAnIdealAirNothingIsRetransmittedAndStatusComesBack) {
  const Bearer& bearer = add(ue_ipv4(0x0a2d0002), lossy(0));
  offer_downlink(10);
  run_until(clock.now() + kSecond);
  const AmEventTotals down = bearer.radio_link->totals(Direction::downlink);
  EXPECT_GE(down[AmEvent::pdu_new], 10u * 1500 / 40);
  EXPECT_EQ(down[AmEvent::pdu_retransmitted], 0u);
  EXPECT_EQ(down[AmEvent::pdu_status], 0u);
  EXPECT_EQ(down.frame_error_ratio(), 0);
  EXPECT_GT(bearer.radio_link->totals(Direction::uplink)[AmEvent::pdu_status], 0u);
}

TEST_F(AmTotalsTest, OnALossyAirTheSharesAreThoseOfTheChannel) {
  const Bearer& bearer = add(ue_ipv4(0x0a2d0002), lossy(0.1));
  for (int i = 0; i < 60; ++i) {
    offer_downlink(30);
    run_until(clock.now() + kSecond);
  }
  const AmEventTotals down = bearer.radio_link->totals(Direction::downlink);
  EXPECT_NEAR(down.frame_error_ratio(), 0.1, 0.03);
  EXPECT_NEAR(down.retransmission_ratio(), down.frame_error_ratio(), 0.02);
}

TEST_F(AmTotalsTest, SdusInTransmissionAreCountedUntilTheyAreAcknowledged) {
  const Bearer& bearer = add(ue_ipv4(0x0a2d0002), lossy(0));
  offer_downlink(3);
  run_until(clock.now() + kSecond / 20);
  EXPECT_GT(bearer.radio_link->in_transmission(Direction::downlink), 0u);
  EXPECT_EQ(bearer.radio_link->in_transmission(Direction::uplink), 0u);
  run_until(clock.now() + kSecond);
  EXPECT_EQ(bearer.radio_link->in_transmission(Direction::downlink), 0u);
}

TEST_F(AmTotalsTest, AFlushLeavesNothingInTransmission) {
  const Bearer& bearer = add(ue_ipv4(0x0a2d0002), lossy(0));
  offer_downlink(30);
  run_until(clock.now() + kSecond / 10);
  command(SetMode{Mode::bypass});
  EXPECT_EQ(bearer.radio_link->in_transmission(Direction::downlink), 0u);
}

TEST_F(AmTotalsTest, OfAClassAreThoseOfItsBearersWhileTheyWereOfIt) {
  BearerSettings settings = lossy(0.2);
  Bearer& bearer = add(ue_ipv4(0x0a2d0002), settings);
  offer_downlink(50);
  run_until(clock.now() + 5 * kSecond);
  const AmEventTotals before = bearer.radio_link->totals(Direction::downlink);
  EXPECT_EQ(board(0, Direction::downlink), before);
  settings.cls = 3;
  command(Reconfigure{&bearer, &settings});
  offer_downlink(50);
  run_until(clock.now() + 5 * kSecond);
  EXPECT_EQ(board(0, Direction::downlink), before);
  const AmEventTotals after = bearer.radio_link->totals(Direction::downlink);
  for (std::size_t e = 0; e < kAmEvents; ++e) {
    EXPECT_EQ(board(3, Direction::downlink).counts[e], after.counts[e] - before.counts[e]);
  }
  EXPECT_GT(board(3, Direction::downlink)[AmEvent::pdu_new], 0u);
}

}  // namespace
}  // namespace dp::test
