// A worker whose frames are captured (dataplane/worker/tapping.h, dataplane/tap/tap.h).
#include <map>
#include <set>

#include "dataplane/worker/other_modes.h"
#include "dataplane/worker/tapping.h"
#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

constexpr UeAddress kTappedUe = ue_ipv4(0x0a2d0002), kUntappedUe = ue_ipv4(0x0a2d0003);
const FrameSpec kTappedDown{.dst = Ip("10.45.0.2"), .payload = 1000};
const FrameSpec kTappedUp{.src = Ip("10.45.0.2"), .dst = Ip("192.0.2.1"), .payload = 12};

struct Seen {
  TapRecord record;
  Buffer bytes;
};

class TapBench : public WorkerBench {
 protected:
  void begin(const TapFilter& filter, std::size_t slots = std::size_t{1} << 12) {
    tap = std::make_unique<Tap>(slots);
    taps[0] = tap.get();
    plan.filters[3] = filter;
    command(SetTap{&plan, taps});
  }
  void end() { command(SetTap{nullptr, taps}); }
  // The records since the last call.
  std::vector<Seen> records() {
    std::vector<Seen> out;
    while (const TapRecord* const one = tap->ring().front()) {
      out.push_back({*one, Buffer(one->bytes(), one->bytes() + one->captured)});
      tap->ring().pop();
    }
    return out;
  }
  static std::map<TapPoint, std::size_t> count(const std::vector<Seen>& seen) {
    std::map<TapPoint, std::size_t> counts;
    for (const Seen& one : seen) ++counts[one.record.point];
    return counts;
  }
  static TapFilter of_ue(const UeAddress& ue, std::uint32_t snaplen = 128) {
    return {.of = TapFilter::Of::ue, .ue = ue, .snaplen = snaplen};
  }
  void TearDown() override {
    end();
    WorkerBench::TearDown();
  }

  TapPlan plan;
  std::unique_ptr<Tap> tap;
  std::array<Tap*, 1> taps{};
};

TEST_F(TapBench, AFrameIsSeenAsItComesAndAsItLeavesUnderOneName) {
  add(kTappedUe, bearer_at(8'000'000));
  begin(of_ue(kTappedUe));
  io.offer(Side::core, kTappedDown);
  io.offer(Side::radio, kTappedUp);
  run_until(clock.now() + Duration{5'000'000});
  const auto seen = records();
  ASSERT_EQ(seen.size(), 4u);
  using enum TapPoint;
  const auto counts = count(seen);
  EXPECT_EQ(counts,
            (std::map<TapPoint, std::size_t>{{core_in, 1}, {radio_out, 1}, {radio_in, 1}, {core_out, 1}}));
  std::map<std::uint64_t, std::set<TapPoint>> names;
  for (const Seen& one : seen) names[one.record.frame].insert(one.record.point);
  ASSERT_EQ(names.size(), 2u);
  for (const auto& [name, points] : names) {
    EXPECT_TRUE(points == (std::set{core_in, radio_out}) || points == (std::set{radio_in, core_out}));
  }
  for (const Seen& one : seen) {
    EXPECT_EQ(one.record.captures, TapPlan::bit(3));
    EXPECT_EQ(one.record.captured, std::min(one.record.length, 128u));
    if (one.record.point == radio_out) {
      EXPECT_GT(one.record.at, clock.now() - Duration{5'000'000});
    }
  }
}

TEST_F(TapBench, TheBytesAreThoseOfTheFrame) {
  add(kTappedUe, bearer_at(8'000'000));
  begin(of_ue(kTappedUe, 4096));
  TestFrame frame(kTappedUp, Side::radio);
  io.offer(Side::radio, kTappedUp);
  run_until(clock.now() + Duration{1'000'000});
  const auto seen = records();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].bytes, seen[1].bytes);
  EXPECT_EQ(seen[0].bytes.size(), seen[0].record.length);
  EXPECT_GE(seen[0].bytes.size(), frame.sdu().head().size());
}

TEST_F(TapBench, FramesOfOthersAreNotCaptured) {
  add(kTappedUe, bearer_at(8'000'000));
  add(kUntappedUe, bearer_at(8'000'000));
  begin(of_ue(kUntappedUe));
  for (int i = 0; i < 5; ++i) io.offer(Side::core, kTappedDown);
  run_until(clock.now() + Duration{20'000'000});
  EXPECT_TRUE(records().empty());
  EXPECT_EQ(io.sent.size(), 5u);
}

// In = out + dropped + inside, by name, over a closed window; nothing twice.
TEST_F(TapBench, WhatCameHasLeftWasDroppedOrIsInside) {
  Bearer& bearer = add(kTappedUe, bearer_at(1'000'000, 20));
  add(kUntappedUe, bearer_at(8'000'000));
  begin(of_ue(kTappedUe));
  const FrameSpec other{.dst = Ip("10.45.0.3"), .payload = 500};
  for (int i = 0; i < 60; ++i) {
    io.offer(Side::core, kTappedDown);
    io.offer(Side::core, other);
    if (i % 3 == 0) io.offer(Side::radio, kTappedUp);
    run_until(clock.now() + Duration{2'000'000});
  }
  std::map<std::uint64_t, int> inside;
  std::map<TapPoint, std::size_t> counts;
  for (const Seen& one : records()) {
    ++counts[one.record.point];
    const bool in = one.record.point == TapPoint::core_in || one.record.point == TapPoint::radio_in;
    int& here = inside[one.record.frame];
    ASSERT_EQ(here, in ? 0 : 1) << "a frame left that was not inside, or came twice";
    here = in ? 1 : 0;
    if (one.record.point == TapPoint::dropped) {
      ASSERT_TRUE(one.record.reason);
      EXPECT_EQ(*one.record.reason, DropReason::buffer_sdus);
      EXPECT_EQ(one.record.queued_sdus, 20u);
    }
  }
  std::size_t held = 0;
  for (const auto& [name, here] : inside) held += static_cast<std::size_t>(here);
  EXPECT_EQ(held, bearer.downlink.buffer().sdus());
  EXPECT_EQ(counts[TapPoint::core_in], 60u);
  EXPECT_GT(counts[TapPoint::dropped], 0u);
  EXPECT_EQ(counts[TapPoint::dropped], dropped(DropReason::buffer_sdus));
  EXPECT_EQ(counts[TapPoint::core_in], counts[TapPoint::radio_out] + counts[TapPoint::dropped] + held);
  EXPECT_EQ(counts[TapPoint::radio_in], counts[TapPoint::core_out]);
}

TEST_F(TapBench, AFullRingLosesRecordsAndNoFrame) {
  add(kTappedUe, bearer_at(80'000'000));
  begin(of_ue(kTappedUe), 16);
  for (int i = 0; i < 40; ++i) io.offer(Side::radio, kTappedUp);
  run_until(clock.now() + Duration{1'000'000});
  EXPECT_EQ(io.sent.size(), 40u);
  const auto counts = count(records());
  EXPECT_EQ(counts.at(TapPoint::radio_in) + tap->lost(3, TapPoint::radio_in), 40u);
  EXPECT_EQ(tap->lost(3, TapPoint::core_out), 40u);
  EXPECT_EQ(tap->lost(0, TapPoint::core_out), 0u);
}

TEST_F(TapBench, AFrameThatThePortDoesNotTakeIsCapturedOnceItDoes) {
  add(kTappedUe, bearer_at(8'000'000));
  begin(of_ue(kTappedUe));
  io.free_slots = 0;
  for (int i = 0; i < 3; ++i) io.offer(Side::radio, kTappedUp);
  worker->poll_once();
  worker->poll_once();
  EXPECT_EQ(count(records()), (std::map<TapPoint, std::size_t>{{TapPoint::radio_in, 3}}));
  io.free_slots = 1000;
  worker->poll_once();
  EXPECT_EQ(count(records()), (std::map<TapPoint, std::size_t>{{TapPoint::core_out, 3}}));
}

TEST_F(TapBench, APortsFramesAreCapturedWhoeversTheyAreAndInAllModes) {
  add(kTappedUe, bearer_at(8'000'000));
  begin({.of = TapFilter::Of::port, .port = Side::radio, .snaplen = 64});
  for (const Mode mode : {Mode::inline_, Mode::tap, Mode::bypass}) {
    command(SetMode{mode});
    io.offer(Side::core, kTappedDown);
    io.offer(Side::radio, {.ethertype = 0x0806, .payload = 28});
    run_until(clock.now() + Duration{5'000'000});
    EXPECT_EQ(count(records()),
              (std::map<TapPoint, std::size_t>{{TapPoint::radio_out, 1}, {TapPoint::radio_in, 1}}));
  }
  command(SetMode{Mode::block});
  io.offer(Side::radio, kTappedUp);
  io.offer(Side::core, kTappedDown);
  worker->poll_once();
  EXPECT_EQ(count(records()),
            (std::map<TapPoint, std::size_t>{{TapPoint::dropped, 1}, {TapPoint::radio_in, 1}}));
}

TEST_F(TapBench, DropsAreCapturedOfAllFrames) {
  command(SetUnknown{Unknown::drop});
  begin({.of = TapFilter::Of::drops, .snaplen = 128});
  add(kTappedUe, bearer_at(8'000, 1));
  for (int i = 0; i < 4; ++i) io.offer(Side::core, kTappedDown);
  io.offer(Side::core, {.dst = Ip("198.51.100.9")});
  worker->poll_once();
  std::map<DropReason, int> reasons;
  for (const Seen& one : records()) {
    ASSERT_EQ(one.record.point, TapPoint::dropped);
    ++reasons[*one.record.reason];
  }
  EXPECT_EQ(reasons,
            (std::map<DropReason, int>{{DropReason::buffer_sdus, 3}, {DropReason::unknown_bearer, 1}}));
}

TEST_F(TapBench, APrefixOfIpv6HasAllItsAddresses) {
  add(ue_ipv6_64(0x20010db800010002), bearer_at(8'000'000));
  begin(of_ue(ue_ipv6_64(0x20010db800010002)));
  io.offer(Side::radio, {.src = Ip("2001:db8:1:2::7"), .dst = Ip("2001:db8:9::1")});
  io.offer(Side::radio, {.src = Ip("2001:db8:1:3::7"), .dst = Ip("2001:db8:9::1")});
  run_until(clock.now() + Duration{1'000'000});
  EXPECT_EQ(records().size(), 2u);
}

TEST_F(TapBench, WithoutCapturesNothingIsWritten) {
  add(kTappedUe, bearer_at(8'000'000));
  begin(of_ue(kTappedUe));
  end();
  io.offer(Side::radio, kTappedUp);
  run_until(clock.now() + Duration{1'000'000});
  EXPECT_TRUE(records().empty());
}

BearerSettings tapped_air() {
  BearerSettings settings = bearer_at(1'000'000);
  settings.downlink.link = settings.uplink.link = AmLinkConfig{};
  settings.uplink.rate = 1'000'000;
  settings.uplink.buffer = {50, 1u << 20};
  return settings;
}

TEST_F(TapBench, OverRlcTheCopyThatLeavesHasTheNameOfTheFrameThatCame) {
  add(kTappedUe, tapped_air());
  begin(of_ue(kTappedUe));
  io.offer(Side::core, kTappedDown);
  run_until(clock.now() + Duration{500'000'000});
  std::map<TapPoint, std::set<std::uint64_t>> names;
  std::size_t pdus = 0;
  for (const Seen& one : records()) {
    if (one.record.point == TapPoint::rlc) {
      pdus += 1;
      EXPECT_EQ(one.record.length, one.bytes.size());
    } else {
      names[one.record.point].insert(one.record.frame);
    }
  }
  EXPECT_EQ(names.size(), 2u);
  EXPECT_EQ(names[TapPoint::core_in], names[TapPoint::radio_out]);
  EXPECT_GT(pdus, 1000u / 42);
}

TEST_F(TapBench, RlcOfOthersIsNotCaptured) {
  add(kTappedUe, tapped_air());
  add(kUntappedUe, tapped_air());
  begin(of_ue(kUntappedUe));
  io.offer(Side::core, kTappedDown);
  run_until(clock.now() + Duration{500'000'000});
  EXPECT_TRUE(records().empty());
}

}  // namespace
}  // namespace dp::test
