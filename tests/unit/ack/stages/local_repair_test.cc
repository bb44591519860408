// The common rules of `snoop` and `new-snoop` (dataplane/ack/stages); the differences are in snoop_test.cc.
#include "dataplane/ack/engines.h"
#include "tests/support/repair_bench.h"

namespace dp::test {
namespace {

enum class Variant { snoop, new_snoop };

class LocalRepairTest : public RepairBench, public ::testing::WithParamInterface<Variant> {
 protected:
  // The stage, after change(config).
  template <class Change>
  void set(Change&& change) {
    if (GetParam() == Variant::snoop) {
      Snoop::Config config;
      change(config);
      stage = config;
    } else {
      NewSnoop::Config config;
      change(config);
      stage = config;
    }
  }
  void SetUp() override {
    set([](auto&) {});
  }
  Bearer& begin(const Looks& how = {}, std::uint32_t sdus = 128) {
    Bearer& bearer = add(how.ipv6 ? *parse_ue("2001:db8:45::/64") : kUe, keeping({stage}, 8'000'000, sdus));
    open(how);
    return bearer;
  }
  // The UE has had segment 1 and acknowledged it after 20 ms, so that the radio's round trip is known.
  Bearer& measured(const Looks& how = {}, std::uint32_t sdus = 128) {
    Bearer& bearer = begin(how, sdus);
    data(1);
    run_for(21);
    ack(2);
    EXPECT_EQ(up(), (Numbers{2}));
    EXPECT_EQ(down(), (Numbers{1}));
    return bearer;
  }
  void end(Bearer& bearer) {
    command(RemoveBearer{&bearer});
    look_away();
  }
  // Number of duplicates that reach the source before a loss is repaired.
  std::size_t first() const { return GetParam() == Variant::snoop ? 1 : 0; }

  AckConfig stage;
};
INSTANTIATE_TEST_SUITE_P(Stages, LocalRepairTest, ::testing::Values(Variant::snoop, Variant::new_snoop),
                         [](const auto& which) {
                           return which.param == Variant::snoop ? "snoop" : "new_snoop";
                         });

TEST_P(LocalRepairTest, ALostSegmentIsSentAgainFromHereAndTheSourceHearsNothing) {
  Bearer& bearer = measured();
  data(2, 6);
  run_for(20);
  EXPECT_EQ(down(), (Numbers{2, 3, 4, 5, 6}));
  EXPECT_EQ(retained(), 5u);
  EXPECT_EQ(bearer.downlink.buffer().sdus(), 0u) << "what is kept is not in the buffer any more";
  // 2 is lost; 3 to 6 bring about four duplicates.
  acks(2, 4);
  run_for(20);
  EXPECT_EQ(down(), (Numbers{2}));
  EXPECT_EQ(up(), Numbers(first(), 2));
  EXPECT_EQ(counted(AckEvent::resent), 1u);
  EXPECT_EQ(counted(AckEvent::suppressed), 4 - first());
  ack(7);
  EXPECT_EQ(up(), (Numbers{7}));
  EXPECT_EQ(kept(), 0u);
  EXPECT_EQ(retained(), 0u);
  EXPECT_EQ(flow_of(bearer).hidden, 1u);
  EXPECT_EQ(created(Creation::local_retransmission), 1u);
  EXPECT_EQ(io.copied, 0u) << "nobody else had the frame any more";
}

TEST_P(LocalRepairTest, GoesAheadOfWhatWaits) {
  measured();
  data(2, 5);
  run_for(20);
  down();
  data(6, 30);
  run_for(5);
  const Numbers before = down();
  acks(2, 3);
  run_for(100);
  const Numbers after = down();
  ASSERT_FALSE(after.empty());
  // The one in transmission ends first.
  EXPECT_EQ(after[0], before.back() + 1);
  EXPECT_EQ(after[1], 2u);
  EXPECT_EQ(after.size(), 30 - before.back() + 1);
}

TEST_P(LocalRepairTest, TheTimerSendsTheLastSegmentAgain) {
  measured();
  data(2);
  run_for(2);
  EXPECT_EQ(down(), (Numbers{2}));
  run_for(60);
  EXPECT_EQ(down(), (Numbers{})) << "20 ms, and a margin";
  run_for(60);
  EXPECT_EQ(down(), (Numbers{2}));
  EXPECT_EQ(up(), (Numbers{}));
  ack(3);
  EXPECT_EQ(up(), (Numbers{3}));
  run_for(1000);
  EXPECT_EQ(down(), (Numbers{}));
}

// 2 and 5 are lost, and after 7 the source has no more to send: no ACK requests 5 once 2 is there.
TEST_P(LocalRepairTest, TheNextHoleIsSentATimeoutAfterTheOneBefore) {
  measured();
  data(2, 7);
  run_for(20);
  down();
  acks(2, 4);
  run_for(40);
  EXPECT_EQ(down(), (Numbers{2}));
  ack(5);
  run_for(50);
  EXPECT_EQ(down(), (Numbers{})) << "90 ms after the repair";
  run_for(20);
  EXPECT_EQ(down(), (Numbers{5})) << "70 ms after the ACK: it was sent long ago";
}

TEST_P(LocalRepairTest, HasNoTimerBeforeTheRadioWasMeasured) {
  begin();
  data(1, 2);
  run_for(5000);
  EXPECT_EQ(down(), (Numbers{1, 2}));
  // Two flows on: what the other has shown will do.
  open({}, 40001);
  data(1, 1, 40001);
  run_for(30);
  ack(2, {}, 40001);
  data(3);
  run_for(200);
  EXPECT_EQ(down(), (Numbers{1, 3})) << "the timer of the first flow starts with its next event";
}

TEST_P(LocalRepairTest, UntilThenGoesByTheRoundTripThatWasSet) {
  set([](auto& config) { config.rtt = std::chrono::milliseconds(40); });
  begin();
  data(1);
  run_for(115);
  EXPECT_EQ(down(), (Numbers{1}));
  run_for(10);
  EXPECT_EQ(down(), (Numbers{1}));
}

TEST_P(LocalRepairTest, DuplicatesOfWhatWaitsHereStayHere) {
  measured();
  data(2, 40);
  run_for(3);
  const std::uint32_t sent = down().back();
  ack(sent + 1);
  EXPECT_EQ(up(), (Numbers{sent + 1}));
  run_for(1);
  down();
  acks(sent + 2, 1);
  up();
  acks(sent + 2, 3);
  run_for(0);
  EXPECT_EQ(counted(AckEvent::resent), 0u);
}

TEST_P(LocalRepairTest, WhatIsKeptTakesRoomFromArrivalsOnlyWherePlacesAreTheBuffers) {
  for (const Places places : {Places::apart, Places::buffer}) {
    set([&](auto& config) { config.places = places; });
    Bearer& bearer = measured({}, 10);
    data(2, 11);
    run_for(20);
    const std::uint32_t counted = places == Places::apart ? 0 : 10;
    EXPECT_EQ(bearer.downlink.buffer().sdus(), counted);
    EXPECT_EQ(retained(), 10u);
    const std::uint64_t before = dropped(DropReason::buffer_sdus);
    data(12, 15);
    EXPECT_EQ(dropped(DropReason::buffer_sdus), before + (places == Places::apart ? 0 : 4));
    // Other places hold for what is sent from now on.
    const BearerSettings was = keeping({stage}, 8'000'000, 10);
    set([&](auto& config) { config.places = places == Places::apart ? Places::buffer : Places::apart; });
    change(bearer, was, keeping({stage}, 8'000'000, 10));
    EXPECT_EQ(bearer.acks->flows().size(), 1u);
    run_for(20);
    EXPECT_EQ(bearer.downlink.buffer().sdus(), places == Places::apart ? 4u : 10u);
    ack(16);
    run_for(1);
    EXPECT_EQ(bearer.downlink.buffer().sdus(), 0u);
    EXPECT_EQ(retained(), 0u);
    end(bearer);
  }
}

// 2 is lost before it comes here, and its source repairs it: duplicates are what its recovery goes by.
TEST_P(LocalRepairTest, WhileTheSourceRepairsItHearsDuplicatesAndBlocksUnlessTheyAreHidden) {
  for (const Repeats repeats : {Repeats::tell, Repeats::hide}) {
    set([&](auto& config) { config.repeats = repeats; });
    Bearer& bearer = measured({.sack = true});
    data(3, 20);
    run_for(5);
    ack(2, {.blocks = {{3, 4}}});
    ack(2, {.blocks = {{3, 5}}});
    ack(2, {.blocks = {{3, 6}}});
    EXPECT_EQ(up(), (Numbers{2, 2, 2}));
    data(2);
    EXPECT_EQ(flow_of(bearer).kept, 16u) << "2, and 6 to 20";
    const std::uint64_t edited = counted(AckEvent::edited), hidden = counted(AckEvent::suppressed);
    ack(2, {.blocks = {{3, 7}}});
    ack(2, {.blocks = {{3, 8}}});
    EXPECT_EQ(up().size(), repeats == Repeats::tell ? 2u : 0u);
    EXPECT_EQ(counted(AckEvent::edited) == edited, repeats == Repeats::tell) << "blocks are taken out";
    EXPECT_EQ(counted(AckEvent::suppressed), hidden + (repeats == Repeats::tell ? 0 : 2));
    end(bearer);
  }
}

// Segments ahead of the source's repeat in the queue still cause duplicates after the repeat was sent.
TEST_P(LocalRepairTest, DuplicatesOfWhatWasSentBeforeARepeatDoNotTellThatItWasLost) {
  measured();
  data(3, 8);
  run_for(21);
  acks(2, 3);
  data(2);
  run_for(2);
  EXPECT_EQ(down().back(), 2u);
  acks(2, 3);
  run_for(10);
  EXPECT_EQ(down(), (Numbers{}));
  EXPECT_EQ(counted(AckEvent::resent), 0u);
}

TEST_P(LocalRepairTest, WithSackWhatIsLostBehindAHoleOfTheSourcesIsRepairedMeanwhile) {
  Bearer& bearer = measured({.sack = true, .stamps = true});
  data(3, 8);
  run_for(20);
  down(), up();
  // 2 has not come here; 5 was lost on the radio.
  ack(2, {.blocks = {{6, 7}, {3, 5}}});
  run_for(5);
  EXPECT_EQ(down(), (Numbers{5}));
  EXPECT_EQ(up(), (Numbers{2}));
  end(bearer);
}

// Once the UE has the source's repeat of 2, it takes what is kept, and older, for a duplicate of long ago.
TEST_P(LocalRepairTest, WithTimestampsARepeatBehindAHoleOfTheSourcesGoesOn) {
  for (const bool stamps : {false, true}) {
    Bearer& bearer = measured({.sack = true, .stamps = stamps});
    data(3, 8);
    run_for(20);
    down(), up();
    ack(2, {.blocks = {{3, 5}}});
    data(2);
    data(5);
    run_for(20);
    EXPECT_EQ(down(), stamps ? (Numbers{2, 5}) : (Numbers{2}));
    EXPECT_EQ(counted(AckEvent::swallowed), 1u) << "that without timestamps";
    end(bearer);
  }
}

TEST_P(LocalRepairTest, WhatTheSourceRepeatsMeanwhileIsSwallowed) {
  measured();
  data(2, 6);
  run_for(20);
  acks(2, 4);
  down(), up();
  data(2);
  data(4);
  run_for(20);
  EXPECT_EQ(down(), (Numbers{2})) << "the local one";
  EXPECT_EQ(counted(AckEvent::swallowed), 2u);
  EXPECT_EQ(dropped(DropReason::repeated), 2u);
  ack(7);
  EXPECT_EQ(up(), (Numbers{7}));
}

TEST_P(LocalRepairTest, ARepeatOfWhatTheUeHasIsAnsweredTwiceASecond) {
  for (const Looks& how : {Looks{}, Looks{.stamps = true},
                           Looks{.stamps = true, .ipv6 = true, .vlans = {{0x88a8, 7}, {0x8100, 9}}}}) {
    SCOPED_TRACE(how.ipv6 ? "IPv6" : how.stamps ? "timestamps" : "plain");
    Bearer& bearer = measured(how);
    data(2, 3);
    run_for(20);
    ack(4);
    down(), up();
    for (int i = 0; i < 10; ++i) data(2, 3);
    EXPECT_EQ(up(), (Numbers{4}));
    EXPECT_EQ(down(), (Numbers{}));
    const auto& answer = io.sent.back();
    TestFrame frame(answer.bytes, Side::radio);
    parse(frame.sdu());
    const auto segment = flow_segment(frame.sdu(), Direction::uplink);
    ASSERT_TRUE(segment);
    EXPECT_EQ(segment->payload, 0u);
    EXPECT_EQ(segment->tcp.flags(), TcpView::kAck);
    EXPECT_EQ(segment->tcp.window(), kWindow);
    EXPECT_EQ(segment->tcp.seq(), kUeIsn + 1);
    EXPECT_EQ(segment->key, flow_of(bearer).key);
    EXPECT_EQ(frame.sdu().frame_len, frame.sdu().l3_offset + frame.sdu().ip_len);
    EXPECT_EQ(answer.bytes[0], std::byte{2}) << "a MAC address";
    EXPECT_EQ(answer.bytes[5], std::byte{1}) << "the source's, which came as the sender's";
    std::size_t stamps = 0;
    for (const TcpOption option : segment->tcp.options()) stamps += option.timestamps() ? 1 : 0;
    EXPECT_EQ(stamps, how.stamps ? 1u : 0u);
    run_for(600);
    data(2);
    EXPECT_EQ(up(), (Numbers{4}));
    end(bearer);
  }
}

TEST_P(LocalRepairTest, AWindowUpdateOrDataPassesWithoutItsBlocks) {
  measured({.sack = true});
  data(2, 6);
  run_for(20);
  acks(2, 1);
  up();
  ack(2, {.blocks = {{3, 5}}, .window = 1000});
  EXPECT_EQ(up(), (Numbers{2})) << "another window";
  ack(2, {.blocks = {{3, 5}}, .payload = 10});
  EXPECT_EQ(up(), (Numbers{2})) << "data";
  for (const auto& sent : io.sent) {
    if (sent.side != Side::core) continue;
    TestFrame frame(sent.bytes, Side::radio);
    parse(frame.sdu());
    const auto segment = flow_segment(frame.sdu(), Direction::uplink);
    for (const TcpOption option : segment->tcp.options()) EXPECT_NE(option.kind, TcpOption::kSack);
  }
  EXPECT_GE(counted(AckEvent::edited), 2u);
}

TEST_P(LocalRepairTest, WithSackAllHolesAreRepairedAtOnce) {
  for (const Holes holes : {Holes::all, Holes::first}) {
    set([&](auto& config) { config.repair = holes; });
    Bearer& bearer = measured({.sack = true});
    data(2, 9);
    run_for(20);
    down();
    // 2, 4 and 7 are lost.
    ack(2, {.blocks = {{3, 4}}});
    ack(2, {.blocks = {{5, 6}, {3, 4}}});
    ack(2, {.blocks = {{5, 7}, {3, 4}}});
    ack(2, {.blocks = {{8, 9}, {5, 7}, {3, 4}}});
    ack(2, {.blocks = {{8, 10}, {5, 7}, {3, 4}}});
    run_for(10);
    EXPECT_EQ(down(), holes == Holes::all ? (Numbers{2, 4, 7}) : (Numbers{2}));
    end(bearer);
  }
}

TEST_P(LocalRepairTest, ARepairedHoleDoesNotCountForTheRoundTrip) {
  measured();
  data(2, 6);
  run_for(20);
  acks(2, 4);
  run_for(900);
  ack(7);
  down(), up();
  data(7);
  run_for(80);
  EXPECT_EQ(down(), (Numbers{7}));
  run_for(30);
  EXPECT_EQ(down(), (Numbers{7})) << "the timeout is still that of the first 20 ms";
}

// Segments 2 and 4 find no place in the buffer. What the UE has had since behind them is old when the source
// fills the holes.
TEST_P(LocalRepairTest, WhatStoodBehindAHoleOfTheSourcesDoesNotCountForTheRoundTrip) {
  measured();
  data(3);
  data(5);
  run_for(21);
  acks(2, 2);
  run_for(2000);
  look_away();
  data(2);
  run_for(21);
  ack(4);  // covers 3, which left two seconds ago
  data(4);
  run_for(21);
  ack(6);
  data(6);
  run_for(21);
  EXPECT_EQ(down(), (Numbers{2, 4, 6}));
  run_for(100);
  EXPECT_EQ(down(), (Numbers{6})) << "within a few round trips";
}

TEST_P(LocalRepairTest, WhatTheSourceRepeatsForTheUeToHaveIsKeptWhereThereIsRoom) {
  Bearer& bearer = measured();
  data(3);
  run_for(21);
  acks(2, 2);
  data(2);
  run_for(21);
  EXPECT_EQ(down(), (Numbers{3, 2}));
  EXPECT_EQ(flow_of(bearer).kept, 2u);
  run_for(110);
  EXPECT_EQ(down(), (Numbers{2})) << "it was lost, too, and its source waits for a timeout";
  ack(4);
  EXPECT_EQ(kept(), 0u);
}

TEST_P(LocalRepairTest, FlowsThatNobodyMayAnswerForAreLeftAlone) {
  const std::vector<Buffer> sealing{bytes({30, 12, 0, 0x81, 1, 2, 3, 4, 5, 6, 7, 8}),  // MP_CAPABLE
                                    bytes({29, 4, 1, 1}), bytes({172, 2, 1, 1})};
  for (const Buffer& options : sealing) {
    Bearer& bearer = begin({.more_options = options});
    data(1, 6);
    run_for(20);
    EXPECT_EQ(kept(), 0u);
    acks(1, 4);
    EXPECT_EQ(up(), (Numbers{1, 1, 1, 1}));
    data(1);
    run_for(20);
    EXPECT_EQ(down().size(), 7u);
    end(bearer);
  }
}

TEST_P(LocalRepairTest, AUeThatIsGoneCostsNothingAfterHalfAMinute) {
  measured();
  data(2, 6);
  run_for(20);
  EXPECT_EQ(retained(), 5u);
  run_for(31'000);
  EXPECT_EQ(retained(), 0u);
  EXPECT_EQ(kept(), 0u);
  down();
  run_for(60'000);
  EXPECT_EQ(down(), (Numbers{}));
  EXPECT_EQ(worker->next_deadline(), kNever);
}

TEST_P(LocalRepairTest, TimeInModeBlockIsNoneInWhichAUeIsGone) {
  measured();
  data(2, 6);
  run_for(20);
  command(SetMode{Mode::block});
  run_for(60'000);
  command(SetMode{Mode::inline_});
  run_for(20'000);
  EXPECT_EQ(retained(), 5u);
  run_for(11'000);
  EXPECT_EQ(retained(), 0u);
}

TEST_P(LocalRepairTest, NobodyIsGivenUpWhereThatIsNotWanted) {
  set([](auto& config) { config.give_up = {}; });
  Bearer& bearer = measured();
  data(2, 6);
  run_for(600'000);
  EXPECT_EQ(retained(), 5u);
  ack(7);
  EXPECT_EQ(retained(), 0u);
  end(bearer);
}

TEST_P(LocalRepairTest, APortThatKeepsFramesForItselfGetsCopies) {
  measured();
  io.completes = false;
  data(2, 6);
  run_for(20);
  acks(2, 4);
  run_for(20);
  EXPECT_EQ(down(), (Numbers{2, 3, 4, 5, 6, 2}));
  EXPECT_EQ(io.copied, 1u);
  ack(7);
  io.complete();
  io.completes = true;
}

TEST_P(LocalRepairTest, WithoutMemoryForACopyItTriesAgainLater) {
  measured();
  io.completes = false;
  data(2, 6);
  run_for(20);
  io.max_frames = 0;
  acks(2, 4);
  run_for(20);
  EXPECT_EQ(down(), (Numbers{2, 3, 4, 5, 6}));
  io.max_frames = 1000;
  run_for(110);
  EXPECT_EQ(down(), (Numbers{2})) << "by the timer";
  io.complete();
  io.completes = true;
}

TEST_P(LocalRepairTest, WhatCameDamagedIsLeftToItsSource) {
  measured();
  data(2, 6);
  run_for(20);
  down(), up();
  TestFrame bad(FrameSpec{.src = Ip("192.0.2.1"),
                          .dst = Ip("10.45.0.2"),
                          .sport = 80,
                          .dport = 40000,
                          .seq = seq_of(7),
                          .ack = kUeIsn + 1,
                          .payload = kSegment});
  bad.bytes().back() ^= std::byte{1};
  io.offer(Side::core, std::move(bad));
  run_for(5);
  data(8, 11);
  run_for(20);
  look_away();
  ack(7);
  acks(7, 4);
  run_for(500);
  EXPECT_EQ(down(), (Numbers{})) << "not the damaged one once more";
  EXPECT_GE(up().size(), 4u) << "its source is told";
}

TEST_P(LocalRepairTest, AModeSwitchOrAnotherChainLetsEverythingGo) {
  Bearer& bearer = measured();
  data(2, 40);
  run_for(20);
  EXPECT_GT(retained(), 0u);
  BearerSettings to = keeping({});
  change(bearer, keeping({stage}), to);
  EXPECT_EQ(retained(), 0u);
  EXPECT_EQ(kept(), 0u);
  change(bearer, to, keeping({stage}));
  data(41, 60);
  run_for(2);
  command(SetMode{Mode::bypass});
  EXPECT_EQ(retained(), 0u);
  EXPECT_EQ(io.outstanding(), 0u);
}

TEST_P(LocalRepairTest, WhatIsSentAgainLeavesAlsoWhenItsStageEnds) {
  for (const bool more : {false, true}) {
    Bearer& bearer = measured();
    const std::uint64_t before = created(Creation::local_retransmission);
    data(2, 6);
    run_for(20);
    down();
    acks(2, 4);
    ASSERT_NE(bearer.downlink.buffer().in_transmission(), nullptr) << "2, again";
    if (more) data(7);
    BearerSettings to = keeping({});
    change(bearer, keeping({stage}), to);
    data(8, 9);
    EXPECT_EQ(bearer.downlink.buffer().sdus(), more ? 4u : 3u);
    run_for(20);
    EXPECT_EQ(down(), more ? (Numbers{2, 7, 8, 9}) : (Numbers{2, 8, 9}));
    EXPECT_EQ(bearer.downlink.buffer().sdus(), 0u);
    EXPECT_EQ(bearer.downlink.buffer().bytes(), 0u);
    EXPECT_EQ(worker->context().account.buffered, 0u);
    EXPECT_EQ(worker->context().account.residue(), 0);
    EXPECT_EQ(created(Creation::local_retransmission), before + 1);
    end(bearer);
  }
}

TEST_P(LocalRepairTest, InAFullBufferTheAwaitedSegmentIsTaken) {
  for (const Places places : {Places::apart, Places::buffer}) {
    set([&](auto& config) { config.places = places; });
    Bearer& bearer = measured({}, 10);
    data(2, 11);
    const std::uint64_t before = dropped(DropReason::buffer_sdus);
    data(12, 30);
    EXPECT_EQ(bearer.downlink.buffer().sdus(), 10u);
    EXPECT_GT(dropped(DropReason::buffer_sdus), before);
    run_for(40);
    ack(12);
    data(31, 48);
    EXPECT_EQ(bearer.downlink.buffer().sdus(), 10u);
    down();
    data(12);
    run_for(40);
    const Numbers sent = down();
    EXPECT_TRUE(std::ranges::find(sent, 12u) != sent.end());
    end(bearer);
  }
}

}  // namespace
}  // namespace dp::test
