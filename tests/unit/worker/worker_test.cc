// Frames of bearers, strangers (dataplane/bearer/classify.h); modes; dataplane/worker/poll_times.h.
#include "dataplane/worker/worker.h"

#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

constexpr UeAddress kUe = ue_ipv4(0x0a2d0002);
const FrameSpec kDown{.dst = Ip("10.45.0.2"), .payload = 1460};
const FrameSpec kUp{.src = Ip("10.45.0.2"), .dst = Ip("192.0.2.1"), .payload = 12};

class WorkerTest : public WorkerBench {};

TEST_F(WorkerTest, FramesCrossUnchangedByteForByte) {
  add(kUe, bearer_at(8'000'000));
  io.offer(Side::core, kDown);
  io.offer(Side::radio, kUp);
  run_until(clock.now() + Duration{5'000'000});
  ASSERT_EQ(io.sent.size(), 2u);
  EXPECT_EQ(io.sent[0].bytes, frame(kUp));
  EXPECT_EQ(io.sent[0].side, Side::core);
  EXPECT_EQ(io.sent[1].bytes, frame(kDown));
  EXPECT_EQ(io.sent[1].side, Side::radio);
}

TEST_F(WorkerTest, FramesOfNoBearerPassOrAreDroppedAsConfigured) {
  io.offer(Side::core, kDown);
  worker->poll_once();
  EXPECT_EQ(io.sent.size(), 1u);
  EXPECT_EQ(passed(PassReason::unknown_bearer), 1u);
  command(SetUnknown{Unknown::drop});
  io.offer(Side::core, kDown);
  worker->poll_once();
  EXPECT_EQ(io.sent.size(), 1u);
  EXPECT_EQ(dropped(DropReason::unknown_bearer), 1u);
}

TEST_F(WorkerTest, WhatKeepsTheLinkAlivePassesEvenWhenStrangersAreDropped) {
  command(SetUnknown{Unknown::drop});
  const std::vector<FrameSpec> frames{
      {.ethertype = 0x0806, .payload = 28},                                  // ARP
      {.ethertype = 0x88cc, .payload = 50},                                  // LLDP
      {.dst = Ip("224.0.0.5"), .protocol = 89},                              // OSPF hello
      {.dst = Ip("198.51.100.1"), .protocol = 89},                           // OSPF unicast
      {.dst = Ip("198.51.100.1"), .protocol = 17, .dport = 3784},            // BFD
      {.dst = Ip("fe80::2"), .ttl = 255, .protocol = 58, .icmp_type = 135},  // ND
      {.dst = Ip("239.1.2.3"), .protocol = 17},                              // multicast
      {.ethertype = 0x8847, .payload = 60},                                  // MPLS
  };
  for (const FrameSpec& spec : frames) {
    for (Side side : kSides) io.offer(side, spec);
  }
  worker->poll_once();
  EXPECT_EQ(io.sent.size(), 2 * frames.size());
  EXPECT_EQ(worker->context().account.drops(), 0u);
}

TEST_F(WorkerTest, GarbagePassesUntouchedAndIsCounted) {
  command(SetUnknown{Unknown::drop});
  Buffer bad = frame(kDown);
  bad[14] = std::byte{0x42};  // IHL 2
  io.offer(Side::core, TestFrame(bad));
  io.offer(Side::core, TestFrame(bytes({1, 2, 3})));
  worker->poll_once();
  ASSERT_EQ(io.sent.size(), 2u);
  EXPECT_EQ(io.sent[0].bytes, bad);
  EXPECT_EQ(passed(PassReason::unparsable), 2u);
}

TEST_F(WorkerTest, AFrameShorterThanItsIpLengthIsDroppedAsTruncated) {
  add(kUe, bearer_at(8'000'000));
  Buffer cut = frame(kDown);
  cut.resize(cut.size() - 1);
  io.offer(Side::core, TestFrame(cut));
  worker->poll_once();
  EXPECT_EQ(dropped(DropReason::truncated), 1u);
}

TEST_F(WorkerTest, BearersOfIpv6PrefixesAndAddressesAreFound) {
  Bearer& prefix = add(ue_ipv6_64(0x20010db800450000), bearer_at(8'000'000));
  Bearer& address = add(ue_ipv6_128(0x20010db800450000, 7), bearer_at(8'000'000));
  io.offer(Side::core, {.dst = Ip("2001:db8:45::1")});
  io.offer(Side::core, {.dst = Ip("2001:db8:45::7")});
  io.offer(Side::radio, {.src = Ip("2001:db8:45::9"), .dst = Ip("2001:db8:ffff::1")});
  run_until(clock.now() + Duration{1'000'000'000});
  EXPECT_EQ(prefix.downlink.buffer().delivered_sdus(), 1u);
  EXPECT_EQ(address.downlink.buffer().delivered_sdus(), 1u);
  EXPECT_EQ(prefix.uplink.buffer().delivered_sdus(), 1u);
}

TEST_F(WorkerTest, TrafficBetweenTwoUesCrossesTheBearersOfBoth) {
  Bearer& a = add(kUe, bearer_at(8'000'000));
  Bearer& b = add(ue_ipv4(0x0a2d0003), bearer_at(8'000'000));
  const FrameSpec hairpin{.src = Ip("10.45.0.2"), .dst = Ip("10.45.0.3")};
  io.offer(Side::radio, hairpin);
  io.offer(Side::core, hairpin);  // the core sends it back
  run_until(clock.now() + Duration{10'000'000});
  EXPECT_EQ(a.uplink.buffer().delivered_sdus(), 1u);
  EXPECT_EQ(b.downlink.buffer().delivered_sdus(), 1u);
  EXPECT_EQ(io.sent.size(), 2u);
}

TEST_F(WorkerTest, AFullLoadOfTwoThousandBearersKeepsEachFlowInOrder) {
  for (std::uint32_t i = 0; i < 2000; ++i) add(ue_ipv4(0x0a2d0000 + i), bearer_at(1'000'000));
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < 2000; ++i)
      io.offer(Side::core, {.dst = Ip(0x0a2d0000 + i), .ident = round});
  }
  run_until(clock.now() + Duration{100'000'000});
  ASSERT_EQ(io.sent.size(), 6000u);
  std::map<std::uint32_t, unsigned> next;
  for (const auto& sent : io.sent) {
    const auto ue = load32(sent.bytes.data() + 30);
    EXPECT_EQ(load16(sent.bytes.data() + 18), next[ue]++);
  }
}

TEST_F(WorkerTest, ASecondBearerOfAUeAndOneBeyondTheTableAreRefusedAndComeHome) {
  worker = std::make_unique<BenchWorker>(clock, io, *shared, WorkerLimits{.max_bearers = 1});
  add(kUe, bearer_at(8'000'000));
  auto twin = prepare_bearer(bearer_at(1'000'000));
  twin->ue = kUe;
  const Answer exists = command(AddBearer{twin.get()});
  EXPECT_EQ(exists.status, CommandStatus::ue_exists);
  EXPECT_EQ(exists.bearer, twin.get());
  twin->ue = ue_ipv4(7);
  EXPECT_EQ(command(AddBearer{twin.get()}).status, CommandStatus::table_full);
}

TEST_F(WorkerTest, ARemovedBearerSendsItsQueueAndComesHome) {
  Bearer& bearer = add(kUe, bearer_at(64'000));
  for (int i = 0; i < 5; ++i) io.offer(Side::core, kDown);
  worker->poll_once();
  EXPECT_EQ(command(RemoveBearer{&bearer}).bearer, &bearer);
  EXPECT_EQ(io.sent.size(), 5u);
  EXPECT_EQ(worker->table().size(), 0u);
  io.offer(Side::core, kDown);
  worker->poll_once();
  EXPECT_EQ(passed(PassReason::unknown_bearer), 1u);
}

TEST_F(WorkerTest, AChangeOfClassMovesTheBearersOccupancyWithIt) {
  Bearer& bearer = add(kUe, bearer_at(64'000));
  for (int i = 0; i < 5; ++i) io.offer(Side::core, kDown);
  worker->poll_once();
  EXPECT_EQ(shared->classes[0].legs[0].buffer_sdus.get(), 5u);
  BearerSettings other = bearer_at(64'000);
  other.cls = 3;
  const Answer answer = command(Reconfigure{&bearer, &other});
  EXPECT_EQ(answer.settings, &other);
  EXPECT_EQ(shared->classes[0].legs[0].buffer_sdus.get(), 0u);
  EXPECT_EQ(shared->classes[0].bearers.get(), 0u);
  EXPECT_EQ(shared->classes[3].legs[0].buffer_sdus.get(), 5u);
  EXPECT_EQ(shared->classes[3].bearers.get(), 1u);
}

TEST_F(WorkerTest, LeavingInlineSendsTheQueueInOrderBeforeAnyLaterFrame) {
  for (Mode mode : {Mode::tap, Mode::bypass}) {
    io.sent.clear();
    command(SetMode{Mode::inline_});
    Bearer& bearer = add(kUe, bearer_at(64'000, 5000));
    for (std::uint32_t i = 0; i < 200; ++i) io.offer(Side::core, {.dst = Ip("10.45.0.2"), .ident = i});
    while (bearer.downlink.buffer().sdus() < 200) worker->poll_once();
    io.offer(Side::core, {.dst = Ip("10.45.0.2"), .ident = 200});
    command(SetMode{mode});
    run_until(clock.now());
    ASSERT_EQ(io.sent.size(), 201u) << name(mode);
    for (std::uint32_t i = 0; i <= 200; ++i) EXPECT_EQ(load16(io.sent[i].bytes.data() + 18), i);
    EXPECT_EQ(worker->context().account.drops(), 0u);
    command(RemoveBearer{&bearer});
  }
}

TEST_F(WorkerTest, AQueueLargerThanThePortsBacklogLeavesWholeWhenThePortIsSlow) {
  Bearer& bearer = add(kUe, {.downlink = shaper(64'000, 20'000, 1u << 30)});
  for (std::uint32_t i = 0; i < 10'000; ++i) io.offer(Side::core, {.dst = Ip("10.45.0.2"), .payload = 0});
  while (bearer.downlink.buffer().sdus() < 10'000) worker->poll_once();
  io.free_slots = 3;
  command(SetMode{Mode::bypass});
  for (int i = 0; i < 4000; ++i) worker->poll_once();
  EXPECT_EQ(io.sent.size(), 10'000u);
  EXPECT_EQ(worker->context().account.drops(), 0u);
}

TEST_F(WorkerTest, APortThatTakesNothingCostsItsOwnFramesOnlyAndTheyAreCounted) {
  command(SetMode{Mode::bypass});
  io.free_slots = 0;
  for (std::uint64_t i = 0; i < Egress::kCap + 100; ++i)
    io.offer(Side::core, {.dst = Ip("10.45.0.2"), .payload = 0});
  for (int i = 0; i < 100; ++i) worker->poll_once();
  EXPECT_EQ(dropped(DropReason::egress_full), 100u);
  EXPECT_EQ(worker->next_deadline(), clock.now());
  io.free_slots = kBurst;
  worker->poll_once();
  EXPECT_EQ(io.sent.size(), Egress::kCap);
}

TEST_F(WorkerTest, CountsTheBytesOfWhatAPortHasTakenHoweverLittleItTakesAtATime) {
  command(SetMode{Mode::bypass});
  const auto bytes_sent = [&] {
    std::uint64_t sum = 0;
    for (const auto& frame : io.sent) sum += frame.bytes.size();
    return sum;
  };
  for (const std::size_t frames : {10, 100, 300}) {
    io.free_slots = 0;
    for (std::size_t i = 0; i < frames; ++i)
      io.offer(Side::core, {.dst = Ip("10.45.0.2"), .payload = i * 37 % 1000});
    for (int i = 0; i < 6; ++i) worker->poll_once();
    const FrameAccount& account = worker->context().account;
    ASSERT_EQ(worker->context().egress[1].frames.size(), frames);
    for (const std::size_t slots : {3, 50, 64, 7}) {
      io.free_slots = slots;
      worker->poll_once();
      EXPECT_EQ(account.sent[1].bytes, bytes_sent());
      EXPECT_EQ(account.received[0].bytes, bytes_sent() + worker->context().egress[1].sum.bytes);
    }
    io.free_slots = kBurst;
    for (int i = 0; i < 6; ++i) worker->poll_once();
    EXPECT_EQ(account.sent[1].bytes, bytes_sent());
    EXPECT_EQ(account.received[0].bytes, bytes_sent());
  }
}

// A leg whose limit takes any packet does not look at it when it is empty.
TEST_F(WorkerTest, AnEmptyLegRefusesAPacketLongerThanItsLimitBeforeAndBehindAChange) {
  constexpr std::uint64_t kLegRate = 8'000'000;  // a byte a microsecond
  const BearerSettings wide{.downlink = shaper(kLegRate, 50, 1u << 20)};
  const BearerSettings narrow{.downlink = shaper(kLegRate, 50, 100)};
  Bearer& bearer = add(kUe, wide);
  const BearerSettings* is = &wide;
  std::uint64_t refused = 0;
  for (const BearerSettings* to : {&wide, &narrow, &wide, &narrow}) {
    if (to != is) change(bearer, *is, *to);
    is = to;
    for (const std::size_t payload : {10, 400}) {
      io.sent.clear();
      io.offer(Side::core, {.dst = Ip("10.45.0.2"), .payload = payload});
      worker->poll_once();
      const bool taken = payload == 10 || to == &wide;
      refused += !taken;
      EXPECT_EQ(bearer.downlink.buffer().sdus(), taken ? 1u : 0u);
      EXPECT_EQ(dropped(DropReason::buffer_bytes), refused);
      if (!taken) continue;
      const Time leaves = worker->next_deadline();
      EXPECT_EQ(leaves, clock.now() + Duration{1000} * bearer.downlink.buffer().bytes());
      clock.advance(leaves - clock.now());
      worker->poll_once();
      EXPECT_EQ(io.sent.size(), 1u);
    }
  }
  EXPECT_EQ(refused, 2u);
}

TEST_F(WorkerTest, FlushedQueuesThatNoPortTakesCountAgainstTheBuffersShareOfThePool) {
  constexpr std::uint64_t kShare = 5000;
  worker =
      std::make_unique<BenchWorker>(clock, io, *shared, WorkerLimits{.max_bearers = 4, .mbuf_cap = kShare});
  Bearer& bearer = add(kUe, {.downlink = shaper(64'000, 20'000, 1u << 30)});
  io.free_slots = 0;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 6000; ++i) io.offer(Side::core, {.dst = Ip("10.45.0.2"), .payload = 0});
    for (int i = 0; i < 100; ++i) worker->poll_once();
    command(SetMode{Mode::tap});
    command(SetMode{Mode::inline_});
  }
  EXPECT_LE(io.outstanding(), kShare + Egress::kCap);
  EXPECT_GT(dropped(DropReason::pool), 0u);
  io.free_slots = kBurst;
  settle();
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 0u);
}

TEST_F(WorkerTest, AFrameThatItsExitPortCannotSendIsDroppedAndNotCountedAsSent) {
  worker = std::make_unique<BenchWorker>(
      clock, io, *shared,
      WorkerLimits{.max_bearers = 4, .ports = {PortLimit{}, PortLimit{.max_frame = 1514, .chains = false}}});
  io.offer(Side::core, {.dst = Ip("10.45.0.2"), .payload = 1460});
  io.offer(Side::core, {.dst = Ip("10.45.0.2"), .payload = 1461});
  io.offer(Side::core, std::move(TestFrame(FrameSpec{.dst = Ip("10.45.0.2")}).chained(10)));
  io.offer(Side::radio, {.src = Ip("10.45.0.2"), .dst = Ip("192.0.2.1"), .payload = 3000});
  worker->poll_once();
  EXPECT_EQ(io.sent.size(), 2u);
  EXPECT_EQ(dropped(DropReason::too_long), 2u);
  EXPECT_EQ(passed(PassReason::unknown_bearer), 2u);
  EXPECT_EQ(worker->context().account.sent[1].frames, 1u);
}

TEST_F(WorkerTest, APortThatIsDownTakesNothingAndWhatWaitedForItIsDroppedWithItsOwnReason) {
  command(SetMode{Mode::bypass});
  io.free_slots = 0;
  for (int i = 0; i < 10; ++i) io.offer(Side::core, kDown);
  worker->poll_once();
  ASSERT_EQ(worker->context().egress[1].frames.size(), 10u);
  io.free_slots = kBurst;
  command(SetPort{Side::radio, true, kPortDown});
  EXPECT_EQ(dropped(DropReason::port_down), 10u);
  io.offer(Side::core, kDown);
  io.offer(Side::radio, kUp);
  worker->poll_once();
  EXPECT_EQ(dropped(DropReason::port_down), 11u);
  ASSERT_EQ(io.sent.size(), 1u) << "the other way goes on: the port still receives";
  EXPECT_EQ(io.sent[0].side, Side::core);
  command(SetPort{Side::radio, true, PortLimit{}});
  io.offer(Side::core, kDown);
  worker->poll_once();
  EXPECT_EQ(io.sent.size(), 2u);
}

TEST_F(WorkerTest, APortWithoutADeviceIsNotTouched) {
  Bearer& bearer = add(kUe, bearer_at(8'000'000));
  for (int i = 0; i < 10; ++i) io.offer(Side::core, kDown);
  worker->poll_once();
  command(SetPort{Side::radio, false, kPortDown});
  for (int i = 0; i < 5; ++i) io.offer(Side::radio, kUp);
  run_until(clock.now() + Duration{50'000'000});
  EXPECT_EQ(worker->context().account.received[1].frames, 0u);
  EXPECT_EQ(dropped(DropReason::port_down), 10u);
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 0u);
  command(SetPort{Side::radio, true, PortLimit{}});
  worker->poll_once();
  EXPECT_EQ(worker->context().account.received[1].frames, 5u);
  EXPECT_EQ(io.sent.size(), 5u);
}

TEST_F(WorkerTest, TapForwardsAtOnceAndStillCountsByBearer) {
  Bearer& bearer = add(kUe, bearer_at(64'000, 1));
  command(SetUnknown{Unknown::drop});
  command(SetMode{Mode::tap});
  for (int i = 0; i < 10; ++i) io.offer(Side::core, kDown);
  io.offer(Side::core, {.dst = Ip("10.99.0.1")});
  Buffer cut = frame(kDown);
  cut.resize(cut.size() - 1);
  io.offer(Side::core, TestFrame(cut));
  worker->poll_once();
  EXPECT_EQ(io.sent.size(), 12u);
  EXPECT_EQ(bearer.downlink.buffer().delivered_sdus(), 10u);
  EXPECT_EQ(worker->context().account.drops(), 0u);
}

TEST_F(WorkerTest, BypassForwardsWithoutLooking) {
  Bearer& bearer = add(kUe, bearer_at(64'000, 1));
  command(SetMode{Mode::bypass});
  for (int i = 0; i < 10; ++i) io.offer(Side::core, kDown);
  worker->poll_once();
  EXPECT_EQ(io.sent.size(), 10u);
  EXPECT_EQ(passed(PassReason::mode), 10u);
  EXPECT_EQ(bearer.downlink.buffer().delivered_sdus(), 0u);
}

TEST_F(WorkerTest, BlockKeepsTheQueueAndServiceGoesOnWhereItStopped) {
  Bearer& bearer = add(kUe, bearer_at(8'000'000));
  const Time start = clock.now();
  for (int i = 0; i < 3; ++i) io.offer(Side::core, kDown);
  worker->poll_once();
  clock.set(start + Duration{2'000'000});  // one is out, a third of the second too
  command(SetMode{Mode::block});
  EXPECT_EQ(worker->next_deadline(), kNever);
  io.offer(Side::core, kDown);
  run_until(start + Duration{500'000'000});
  EXPECT_EQ(io.sent.size(), 1u);
  EXPECT_EQ(dropped(DropReason::blocked), 1u);
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 2u);
  command(SetMode{Mode::inline_});
  EXPECT_EQ(worker->next_deadline(), start + Duration{501'000'000});
  run_until(start + Duration{600'000'000});
  ASSERT_EQ(io.sent.size(), 3u);
  EXPECT_EQ(io.sent[2].at, start + Duration{502'500'000});
}

TEST_F(WorkerTest, ARateChangedWhileBlockedHoldsFromTheMomentServiceStopped) {
  Bearer& bearer = add(kUe, bearer_at(8'000'000));
  const Time start = clock.now();
  io.offer(Side::core, kDown);
  worker->poll_once();
  clock.set(start + Duration{750'000});
  command(SetMode{Mode::block});
  clock.set(start + Duration{100'000'000});
  BearerSettings slow = bearer_at(2'000'000);
  command(Reconfigure{&bearer, &slow});
  clock.set(start + Duration{200'000'000});
  command(SetMode{Mode::inline_});
  run_until(start + Duration{300'000'000});
  ASSERT_EQ(io.sent.size(), 1u);
  EXPECT_EQ(io.sent[0].at, start + Duration{203'000'000});
}

TEST_F(WorkerTest, TheSnapshotTellsOfOneMoment) {
  add(kUe, bearer_at(8'000'000));
  for (int i = 0; i < 5; ++i) io.offer(Side::core, kDown);
  worker->poll_once();
  const WorkerSnapshot s = shared->snapshot.read();
  EXPECT_EQ(s.account.received[0].frames, 5u);
  EXPECT_EQ(s.account.received[0].bytes, 5 * 1514u);
  EXPECT_EQ(s.account.buffered, 5u);
  EXPECT_EQ(s.bearers, 1u);
  EXPECT_EQ(s.timers, 1u);
  EXPECT_EQ(s.account.residue(), 0);
}

TEST_F(WorkerTest, WhileItIsBusyItPublishesWithAnswersAloneIfItIsTold) {
  worker =
      std::make_unique<BenchWorker>(clock, io, *shared, WorkerLimits{.publish_every = kPublishWithAnswers});
  const auto told = [&] { return shared->snapshot.read().account.received[0].frames; };
  for (int i = 0; i < 3; ++i) {
    clock.advance(Duration{50'000'000});
    io.offer(Side::core, kDown);
    worker->poll_once();
    EXPECT_EQ(told(), 0u);
  }
  command(SetUnknown{Unknown::pass});
  EXPECT_EQ(told(), 3u);
  io.offer(Side::core, kDown);
  worker->poll_once();
  EXPECT_EQ(told(), 3u);
  worker->poll_once();  // finds nothing
  EXPECT_EQ(told(), 4u);
}

TEST_F(WorkerTest, TimeOfPollsThatDidSomethingCountsAsBusy) {
  io.offer(Side::core, kDown);
  worker->poll_once();
  clock.advance(Duration{700});
  worker->poll_once();
  clock.advance(Duration{50'000'000});
  worker->poll_once();
  const WorkerSnapshot s = shared->snapshot.read();
  EXPECT_EQ(s.busy_ns, 700u);
  EXPECT_EQ(s.idle_ns, 50'000'000u);
  EXPECT_EQ(s.busy_polls, 1u);
}

}  // namespace
}  // namespace dp::test
