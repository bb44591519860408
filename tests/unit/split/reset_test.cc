// RST at a split connection: the exact number ends both ends, any other ends nothing (RFC 5961 section 3.2).
#include <algorithm>
#include <array>
#include <vector>

#include "tests/unit/split/words_bench.h"

namespace dp::test {
namespace {

class SplitResetWords : public SplitWords {
 protected:
  // Four segments have come and were acknowledged to the server; the UE has acknowledged none.
  void begin_at_risk() {
    begin();
    open();
    for (std::uint32_t i = 0; i < 4; ++i) server({.seq = 1 + i * kMss, .payload = kMss});
    seen();
    ASSERT_EQ(counters().at_risk_bytes.get(), 4 * kMss);
  }
  void expect_it_goes_on() {
    EXPECT_EQ(bearer->proxy->split(), 1u);
    EXPECT_EQ(counters().at_risk_bytes.get(), 4 * kMss);
    server({.seq = kNext, .payload = kMss});
    EXPECT_EQ(at(Side::radio).size(), 1u);
    ue({.seq = 1, .ack = kNext + kMss});
    EXPECT_EQ(counters().at_risk_bytes.get(), 0u);
    EXPECT_EQ(counters().stored_bytes.get(), 0u);
  }
  void expect_it_ended() {
    EXPECT_EQ(bearer->proxy->split(), 0u);
    EXPECT_EQ(counters().at_risk_bytes.get(), 0u);
    EXPECT_EQ(counters().stored_bytes.get(), 0u);
  }
  static constexpr std::uint32_t kNext = 1 + 4 * kMss;
  static constexpr std::array<std::uint8_t, 2> kResets{kRst, kRst | kAck};
};

TEST_F(SplitResetWords, OfTheCoreInTheWindowIsChallengedAndReachesNobody) {
  for (const std::uint8_t flags : kResets) {
    for (const std::uint32_t off : {1u, 2u, 100u, kMss, 10'000u, 28'000u}) {
      SCOPED_TRACE(off);
      begin_at_risk();
      const std::uint64_t before = dropped(DropReason::proxied_data);
      server({.seq = kNext + off, .flags = flags});
      run_for(50ms);
      const auto all = seen();
      ASSERT_EQ(all.size(), 1u) << "the challenge";
      EXPECT_EQ(all[0].side, Side::core);
      EXPECT_EQ(all[0].segment.flags, kAck);
      EXPECT_EQ(number(all[0]), kNext);
      EXPECT_EQ(dropped(DropReason::proxied_data), before + 1);
      expect_it_goes_on();
      // The server's answer to the challenge.
      server({.seq = kNext + kMss, .flags = kRst});
      const auto radio = at(Side::radio);
      ASSERT_EQ(radio.size(), 1u);
      EXPECT_TRUE(radio[0].segment.has(kRst));
      expect_it_ended();
      command(RemoveBearer{std::exchange(bearer, nullptr)});
    }
  }
}

TEST_F(SplitResetWords, OfTheCoreOutsideTheWindowIsNotAnswered) {
  begin_at_risk();
  for (const std::uint8_t flags : kResets) {
    for (const std::uint32_t off : {0u - 1u, 0u - kMss, 0u - 4 * kMss, 40'000u, 1u << 20, 1u << 31}) {
      server({.seq = kNext + off, .flags = flags});
    }
  }
  run_for(50ms);
  EXPECT_TRUE(seen().empty());
  EXPECT_EQ(dropped(DropReason::proxied_data), 12u);
  expect_it_goes_on();
}

TEST_F(SplitResetWords, AFloodIsAnsweredByOneAckInTheTimeOfADelayedAck) {
  for (const Duration delay : {Duration{0}, Duration{40ms}}) {
    begin({.initial_window = 10, .window = 32'768, .ack_delay = delay});
    open();
    for (std::uint32_t i = 0; i < 2; ++i) server({.seq = 1 + i * kMss, .payload = kMss});
    seen();
    for (std::uint32_t i = 0; i < 1000; ++i) server({.seq = 2 * kMss + 2 + i, .flags = kRst});
    EXPECT_LE(at(Side::core).size(), static_cast<std::size_t>(1000ms / std::max<Duration>(delay, 10ms)) + 1);
    EXPECT_EQ(bearer->proxy->split(), 1u);
    command(RemoveBearer{std::exchange(bearer, nullptr)});
  }
}

// In a drain the proxy acknowledges less than has come, and a FIN only when the UE has it.
TEST_F(SplitResetWords, OfTheCoreAtWhatCameAndAtWhatTheServerWasToldEndsBothEnds) {
  for (const bool draining : {false, true}) {
    for (const std::uint32_t at_number : {kNext, kNext + kMss, kNext + kMss + 1}) {
      begin_at_risk();
      if (draining) command(DrainProxies{.on = true});
      server({.seq = kNext, .payload = kMss, .flags = kFin | kAck});
      run_for(50ms);
      const auto core = at(Side::core);
      const std::uint32_t told = core.empty() ? kNext : number(core.back());
      ASSERT_EQ(told, draining ? kNext : kNext + kMss);
      const bool exact = at_number == told || at_number == kNext + kMss + 1;
      server({.seq = at_number, .flags = kRst});
      const auto radio = this->at(Side::radio);
      EXPECT_EQ(std::ranges::count_if(radio, [](const Seen& s) { return s.segment.has(kRst); }),
                exact ? 1 : 0);
      EXPECT_EQ(bearer->proxy->split(), exact ? 0u : 1u);
      command(DrainProxies{.on = false});
      command(RemoveBearer{std::exchange(bearer, nullptr)});
    }
  }
}

TEST_F(SplitResetWords, OfTheUeThatTheServerDoesNotBelieveGoesToTheServerAndChangesNothing) {
  for (const std::uint8_t flags : kResets) {
    for (const std::uint32_t off : {1u, 2u, 100u, 7'000u, 31'000u, 0u - 1u, 1u << 20, 1u << 31}) {
      SCOPED_TRACE(off);
      begin_at_risk();
      const Said reset{.seq = 1 + off, .ack = 1, .flags = flags};
      ue(reset);
      const auto core = at(Side::core);
      ASSERT_EQ(core.size(), 1u);
      EXPECT_EQ(core[0].frame, frame_of(reset, true));
      // The UE answers the server's answer; both go on.
      server({.seq = kNext, .ack = 1});
      EXPECT_EQ(at(Side::radio).size(), 1u);
      expect_it_goes_on();
      command(RemoveBearer{std::exchange(bearer, nullptr)});
    }
  }
}

TEST_F(SplitResetWords, OfTheUeBehindAllThatItSentEndsTheConnection) {
  begin_at_risk();
  ue({.seq = 1, .ack = 1, .payload = 300});
  seen();
  ue({.seq = 1, .ack = 1, .flags = kRst});
  EXPECT_EQ(bearer->proxy->split(), 1u) << "the server has more by now";
  ue({.seq = 301, .ack = 1, .flags = kRst});
  EXPECT_EQ(at(Side::core).size(), 2u);
  expect_it_ended();
}

}  // namespace
}  // namespace dp::test
