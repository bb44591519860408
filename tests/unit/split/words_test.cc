// The segments of a split proxy on either wire, one by one.
#include <initializer_list>

#include "tests/unit/split/words_bench.h"

namespace dp::test {
namespace {

TEST_F(SplitWords, DataAreAcknowledgedHereAndTheUesAckIsEaten) {
  begin();
  open();
  server({.seq = 1, .payload = kMss});
  EXPECT_EQ(at(Side::core).size(), 0u);
  server({.seq = 1 + kMss, .payload = kMss});
  const auto all = seen();
  std::vector<std::uint32_t> acks, data;
  for (const Seen& s : all) s.side == Side::core ? acks.push_back(number(s)) : data.push_back(position(s));
  EXPECT_EQ(acks, (std::vector<std::uint32_t>{1 + 2 * kMss}));
  EXPECT_EQ(data, (std::vector<std::uint32_t>{1 + kMss}));
  EXPECT_EQ(counters().at_risk_bytes.get(), 2 * kMss);
  ue({.seq = 1, .ack = 1 + 2 * kMss});
  EXPECT_EQ(at(Side::core).size(), 0u);
  EXPECT_EQ(dropped(DropReason::proxied_ack), 1u);
  EXPECT_EQ(counters().at_risk_bytes.get(), 0u);
}

TEST_F(SplitWords, ASegmentAloneIsAcknowledgedAfterTheDelay) {
  begin();
  open();
  server({.seq = 1, .payload = kMss});
  run_for(30ms);
  EXPECT_EQ(at(Side::core).size(), 0u);
  run_for(11ms);
  ASSERT_EQ(at(Side::core).size(), 1u);
}

TEST_F(SplitWords, AHoleIsToldAtOnceWithABlockAndSoIsItsEnd) {
  begin();
  open();
  server({.seq = 1 + kMss, .payload = kMss});
  auto core = at(Side::core);
  ASSERT_EQ(core.size(), 1u);
  EXPECT_EQ(number(core[0]), 1u);
  ASSERT_EQ(core[0].segment.block_count, 1u);
  EXPECT_EQ(core[0].segment.blocks[0].left, kServerIsn + 1 + kMss);
  EXPECT_EQ(core[0].segment.blocks[0].right, kServerIsn + 1 + 2 * kMss);
  server({.seq = 1, .payload = kMss});
  core = at(Side::core);
  ASSERT_EQ(core.size(), 1u);
  EXPECT_EQ(number(core[0]), 1 + 2 * kMss);
  EXPECT_EQ(core[0].segment.block_count, 0u);
}

TEST_F(SplitWords, WhatIsThereAlreadyIsSwallowedAndAnswered) {
  begin();
  open();
  server({.seq = 1, .payload = kMss});
  server({.seq = 1 + kMss, .payload = kMss});
  seen();
  server({.seq = 1, .payload = kMss});
  const auto all = seen();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].side, Side::core);
  EXPECT_EQ(number(all[0]), 1 + 2 * kMss);
  EXPECT_EQ(dropped(DropReason::proxied_data), 1u);
}

TEST_F(SplitWords, WhatOverlapsIsCutToWhatIsNew) {
  begin();
  open();
  server({.seq = 1, .payload = kMss});
  server({.seq = 1 + 2 * kMss, .payload = kMss});
  seen();
  server({.seq = 501, .payload = 2 * kMss});  // 501 to 2500: new from 1001 to 2000
  std::vector<std::pair<std::uint32_t, std::size_t>> data;
  for (const Seen& s : at(Side::radio)) data.emplace_back(position(s), s.segment.payload.size());
  EXPECT_EQ(data, (std::vector<std::pair<std::uint32_t, std::size_t>>{{1001, 1000}, {2001, 1000}}));
}

TEST_F(SplitWords, BeyondTheWindowNothingIsTaken) {
  begin({.initial_window = 1, .window = 4096});
  open();
  for (std::uint32_t i = 0; i < 6; ++i) server({.seq = 1 + i * kMss, .payload = kMss});
  const auto core = at(Side::core);
  EXPECT_EQ(number(core.back()), 1 + 4 * kMss);
  EXPECT_LT(core.back().segment.window * 4u, kMss);
  EXPECT_EQ(counters().stored_bytes.get(), 4 * kMss);
}

TEST_F(SplitWords, TheFinIsAcknowledgedWhenTheUeHasIt) {
  begin();
  open();
  server({.seq = 1, .payload = kMss, .flags = kAck | kFin});
  run_for(50ms);
  auto core = at(Side::core);
  ASSERT_FALSE(core.empty());
  EXPECT_EQ(number(core.back()), 1 + kMss);
  server({.seq = 1, .payload = kMss, .flags = kAck | kFin});  // again
  core = at(Side::core);
  ASSERT_FALSE(core.empty());
  EXPECT_EQ(number(core.back()), 1 + kMss);
  ue({.seq = 1, .ack = 2 + kMss});
  core = at(Side::core);
  ASSERT_EQ(core.size(), 1u);
  EXPECT_EQ(number(core[0]), 2 + kMss);
  EXPECT_EQ(bearer->proxy->split(), 0u);
}

TEST_F(SplitWords, DataOfTheUePassWithTheProxysNumberAndWindow) {
  begin();
  open();
  server({.seq = 1, .payload = kMss});
  server({.seq = 1 + kMss, .payload = kMss});
  seen();
  Buffer block = bytes({1, 1, 5, 10});
  detail::put32(block, kServerIsn + 1 + kMss);
  detail::put32(block, kServerIsn + 1 + 2 * kMss);
  ue({.seq = 1, .ack = 1, .payload = 300, .options = block});
  const auto core = at(Side::core);
  ASSERT_EQ(core.size(), 1u);
  EXPECT_EQ(core[0].segment.payload.size(), 300u);
  EXPECT_EQ(position(core[0]), 1u);
  EXPECT_EQ(number(core[0]), 1 + 2 * kMss);
  EXPECT_EQ(core[0].segment.block_count, 0u);
  // The server's ACK of them goes to the UE at once, as a segment that the UE expects.
  server({.seq = 1 + 2 * kMss, .ack = 301});
  const auto radio = at(Side::radio);
  ASSERT_EQ(radio.size(), 1u);
  EXPECT_EQ(number(radio[0]), 301u);
  EXPECT_EQ(position(radio[0]), 1 + 2 * kMss);
}

TEST_F(SplitWords, AHalfClosedUeGoesOnReceiving) {
  begin();
  open();
  server({.seq = 1, .payload = kMss});
  ue({.seq = 1, .ack = 1 + kMss, .flags = kAck | kFin});
  server({.seq = 1 + kMss, .ack = 2, .payload = kMss});
  server({.seq = 1 + 2 * kMss, .ack = 2, .payload = kMss});
  const auto all = seen();
  std::uint32_t acked = 0, fins = 0;
  for (const Seen& s : all) {
    if (s.side != Side::core) continue;
    acked = number(s);
    fins += s.segment.has(kFin) ? 1 : 0;
  }
  EXPECT_EQ(acked, 1 + 3 * kMss);
  EXPECT_EQ(fins, 1u);
  EXPECT_EQ(bearer->proxy->split(), 1u);
}

TEST_F(SplitWords, AResetOfTheServersReachesTheUeAsOneThatItBelieves) {
  begin({.initial_window = 1, .window = 32'768});
  open();
  for (std::uint32_t i = 0; i < 4; ++i) server({.seq = 1 + i * kMss, .payload = kMss});
  seen();
  server({.seq = 1 + 4 * kMss, .flags = kRst | kAck});
  const auto radio = at(Side::radio);
  ASSERT_EQ(radio.size(), 1u);
  EXPECT_TRUE(radio[0].segment.has(kRst));
  EXPECT_EQ(position(radio[0]), 1 + kMss) << "the UE has had one segment";
  EXPECT_EQ(counters().stored_bytes.get(), 0u);
  EXPECT_EQ(worker->context().account.retained, 0u);
}

TEST_F(SplitWords, AResetOfTheUesGoesToTheServerAndWhatIsStoredGoes) {
  begin();
  open();
  for (std::uint32_t i = 0; i < 4; ++i) server({.seq = 1 + i * kMss, .payload = kMss});
  seen();
  ue({.seq = 1, .ack = 1, .flags = kRst | kAck});
  const auto core = at(Side::core);
  ASSERT_EQ(core.size(), 1u);
  EXPECT_TRUE(core[0].segment.has(kRst));
  EXPECT_EQ(counters().at_risk_bytes.get(), 0u);
  EXPECT_EQ(worker->context().account.retained, 0u);
}

TEST_F(SplitWords, ABypassWithoutADrainResetsBothEndsByNumbersThatTheyAwait) {
  begin();
  open();
  for (std::uint32_t i = 0; i < 4; ++i) server({.seq = 1 + i * kMss, .payload = kMss});
  seen();
  command(SetMode{Mode::bypass});
  const auto all = seen();
  ASSERT_EQ(all.size(), 2u);
  for (const Seen& s : all) {
    EXPECT_TRUE(s.segment.has(kRst));
    EXPECT_EQ(position(s), s.side == Side::core ? 1u : 1 + 4 * kMss);
  }
}

TEST_F(SplitWords, AMarkOfTheCoresIsToldToTheServerAndNotToTheUe) {
  begin();
  open({}, TcpView::kEce | TcpView::kCwr, TcpView::kEce);
  server({.seq = 1, .payload = kMss, .tos = 3});
  server({.seq = 1 + kMss, .payload = kMss, .tos = 2});
  auto all = seen();
  bool told = false;
  for (const Seen& s : all) {
    if (s.side == Side::core) told = s.segment.has(TcpView::kEce);
    if (s.side == Side::radio) {
      EXPECT_EQ(std::to_integer<unsigned>(s.frame[15]) & 3, 2u);
    }
  }
  EXPECT_TRUE(told);
  server({.seq = 1 + 2 * kMss, .payload = kMss, .flags = kAck | TcpView::kCwr, .tos = 2});
  server({.seq = 1 + 3 * kMss, .payload = kMss, .tos = 2});
  for (const Seen& s : at(Side::core)) EXPECT_FALSE(s.segment.has(TcpView::kEce));
}

TEST_F(SplitWords, AMarkThatTheUeEchoesSlowsThisSenderAndNotTheServer) {
  begin();
  open({}, TcpView::kEce | TcpView::kCwr, TcpView::kEce);
  for (std::uint32_t i = 0; i < 10; ++i) server({.seq = 1 + i * kMss, .payload = kMss, .tos = 2});
  seen();
  ue({.seq = 1, .ack = 1 + kMss, .payload = 10, .flags = kAck | TcpView::kEce});
  for (const Seen& s : at(Side::core)) EXPECT_FALSE(s.segment.has(TcpView::kEce));
  for (std::uint32_t i = 10; i < 20; ++i) server({.seq = 1 + i * kMss, .payload = kMss, .tos = 2});
  EXPECT_EQ(at(Side::radio).size(), 0u) << "half of the window is out already";
  ue({.seq = 11, .ack = 1 + 9 * kMss});
  const auto radio = at(Side::radio);
  ASSERT_FALSE(radio.empty());
  EXPECT_TRUE(radio[0].segment.has(TcpView::kCwr));
}

// RFC 1191: the message comes from a router that is not the UE, from one that is another UE, or from the UE,
// which may stand for others behind it.
TEST_F(SplitWords, ASmallerPathTakesSmallerPieces) {
  add(ue_ipv4(0x0a2d0003), bearer_at(100'000'000, 200));
  for (const char* router : {"172.16.0.1", "10.45.0.3", "10.45.0.2"}) {
    SCOPED_TRACE(router);
    path_shrinks(router);
    command(RemoveBearer{bearer});
  }
}

// While the box stands still, the wire takes frames past it.
TEST_F(SplitWords, AUeThatHasMoreThanCameHereIsAskedAndGoesOnWithoutTheProxy) {
  begin();
  open();
  for (std::uint32_t i = 0; i < 4; ++i) server({.seq = 1 + i * kMss, .payload = kMss});
  server({.seq = 1 + 8 * kMss, .payload = kMss});
  seen();
  ASSERT_GT(counters().at_risk_bytes.get(), 0u);
  const Said answer{.seq = 1, .ack = 1 + 9 * kMss};
  for (const bool asked : {false, true}) {
    ue(answer);
    const auto all = seen();
    ASSERT_EQ(all.size(), asked ? 1u : 2u);
    for (const Seen& s : all) {
      if (s.side == Side::core) {
        EXPECT_EQ(s.frame, frame_of(answer, true));
      } else {
        EXPECT_EQ(position(s), 0u) << "before what the UE awaits";
      }
    }
    EXPECT_EQ(bearer->proxy->split(), asked ? 0u : 1u);
  }
  EXPECT_EQ(counters().at_risk_bytes.get(), 0u);
  EXPECT_EQ(counters().stored_bytes.get(), 0u);
  const Said more{.seq = 1 + 9 * kMss, .payload = kMss};
  server(more);
  const auto radio = at(Side::radio);
  ASSERT_EQ(radio.size(), 1u);
  EXPECT_EQ(position(radio[0]), 1 + 9 * kMss);
}

// The server would wait for its persist timer else, which has grown by each probe that was answered
// meanwhile.
TEST_F(SplitWords, AServerWhoseWindowIsClosedIsToldOfAnotherWhenItsConnectionIsLetGo) {
  begin({.initial_window = 10, .window = 4096});
  open();
  for (std::uint32_t i = 0; i < 4; ++i) server({.seq = 1 + i * kMss, .payload = kMss});
  auto core = at(Side::core);
  ASSERT_FALSE(core.empty());
  ASSERT_LT(core.back().segment.window * 4u, kMss);
  command(DrainProxies{.on = true});
  ue({.seq = 1, .ack = number(core.back())});
  core = at(Side::core);
  ASSERT_EQ(core.size(), 1u);
  EXPECT_EQ(number(core[0]), 1 + 4 * kMss);
  EXPECT_GE(core[0].segment.window * 4u, 2 * kMss);
  EXPECT_EQ(bearer->proxy->split(), 0u);
}

TEST_F(SplitWords, AfterABypassAConnectionIsNotSplitBehindWhatTheUeHasByThen) {
  begin();
  open();
  for (std::uint32_t i = 0; i < 2; ++i) server({.seq = 1 + i * kMss, .payload = kMss});
  ue({.seq = 1, .ack = 1 + 2 * kMss});
  command(SetMode{Mode::bypass});
  for (std::uint32_t i = 2; i < 9; ++i) server({.seq = 1 + i * kMss, .payload = kMss});
  ue({.seq = 1, .ack = 1 + 9 * kMss});
  command(SetMode{Mode::inline_});
  seen();
  const Said next{.seq = 1 + 9 * kMss, .payload = kMss};
  server(next);
  const auto radio = at(Side::radio);
  ASSERT_EQ(radio.size(), 1u);
  EXPECT_EQ(radio[0].frame, frame_of(next, false));
  ue({.seq = 1, .ack = 1 + 10 * kMss});
  EXPECT_EQ(at(Side::core).size(), 1u);
  server({.seq = 1 + 10 * kMss, .payload = kMss});
  EXPECT_EQ(bearer->proxy->split(), 1u) << "what the UE has is known again";
}

// The first segments have gone around the box, and so have the UE's ACKs of them.
TEST_F(SplitWords, AHoleThatTheServerDoesNotFillIsOneThatTheUeIsAskedFor) {
  begin();
  open();
  const Said behind{.seq = 1 + 4 * kMss, .payload = kMss};
  server(behind);
  EXPECT_EQ(at(Side::radio).size(), 1u) << "the server's window";
  const Said answer{.seq = 1, .ack = 1 + 4 * kMss};
  for (int i = 0; i < 2; ++i) {
    server(behind);
    const auto radio = at(Side::radio);
    ASSERT_EQ(radio.size(), 1u);
    EXPECT_EQ(position(radio[0]), 0u);
    EXPECT_TRUE(radio[0].segment.payload.empty());
    ue(answer);
    seen();
  }
  EXPECT_EQ(bearer->proxy->split(), 0u);
  EXPECT_EQ(counters().stored_bytes.get(), 0u);
  server(behind);
  const auto radio = at(Side::radio);
  ASSERT_EQ(radio.size(), 1u);
  EXPECT_EQ(radio[0].frame, frame_of(behind, false));
}

TEST_F(SplitWords, AForgedAckOfWhatNeverCameEndsNothingWhileTheUeSaysOtherwise) {
  begin();
  open();
  for (std::uint32_t i = 0; i < 4; ++i) server({.seq = 1 + i * kMss, .payload = kMss});
  for (std::uint32_t i = 0; i < 4; ++i) {
    ue({.seq = 1, .ack = 1 + 4 * kMss + 1 + i * 5'000});
    EXPECT_EQ(bearer->proxy->split(), 1u);
    EXPECT_GT(counters().at_risk_bytes.get(), 0u);
    ue({.seq = 1, .ack = 1 + i * kMss});
  }
  ue({.seq = 1, .ack = 1 + 4 * kMss});
  EXPECT_EQ(counters().at_risk_bytes.get(), 0u);
  EXPECT_EQ(bearer->proxy->split(), 1u);
}

TEST_F(SplitWords, AUeThatHasMoreThanWasSentFromHereIsSentTheRest) {
  begin({.initial_window = 2, .window = 32'768});
  open();
  for (std::uint32_t i = 0; i < 8; ++i) server({.seq = 1 + i * kMss, .payload = kMss});
  EXPECT_EQ(at(Side::radio).size(), 2u);
  ue({.seq = 1, .ack = 1 + 5 * kMss});
  std::vector<std::uint32_t> positions;
  for (const Seen& s : at(Side::radio)) positions.push_back(position(s));
  ASSERT_FALSE(positions.empty());
  EXPECT_EQ(positions[0], 1 + 5 * kMss);
  ue({.seq = 1, .ack = 1 + 8 * kMss});
  EXPECT_EQ(bearer->proxy->split(), 1u);
  EXPECT_EQ(counters().at_risk_bytes.get(), 0u);
  EXPECT_EQ(counters().stored_bytes.get(), 0u);
}

TEST_F(SplitWords, WhatMayNotBeAnsweredForPassesAsItIs) {
  struct Case {
    Buffer options;
    Unsplit why;
  };
  std::uint64_t before = 0;
  for (const Case& c :
       {Case{bytes({30, 4, 0, 1}), Unsplit::sealed}, Case{bytes({29, 4, 0, 1}), Unsplit::sealed},
        Case{bytes({172, 2, 1, 1}), Unsplit::sealed}}) {
    begin({.initial_window = 10, .window = 65'536 * 4});
    open(c.options);
    for (std::uint32_t i = 0; i < 4; ++i) {
      const Said said{.seq = 1 + i * kMss, .payload = kMss};
      server(said);
      const auto all = seen();
      ASSERT_EQ(all.size(), 1u);
      EXPECT_EQ(all[0].frame, frame_of(said, false));
      const Said answer{.seq = 1, .ack = 1 + (i + 1) * kMss};
      ue(answer);
      const auto up = seen();
      ASSERT_EQ(up.size(), 1u);
      EXPECT_EQ(up[0].frame, frame_of(answer, true));
    }
    EXPECT_EQ(unsplit(c.why), ++before);
    command(RemoveBearer{bearer});
  }
}

TEST_F(SplitWords, AConnectionOfBeforeOrOfOneDirectionIsLeftAlone) {
  begin();
  ue({.seq = 500, .ack = 1});
  for (std::uint32_t i = 0; i < 4; ++i) {
    const Said said{.seq = 1 + i * kMss, .payload = kMss};
    server(said);
    const auto all = seen();
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all.back().frame, frame_of(said, false));
  }
  EXPECT_EQ(unsplit(Unsplit::no_handshake), 1u);
}

// Segments that are far from one another, of which nothing is proved, make the flow begin anew each time.
TEST_F(SplitWords, AConnectionWhoseFlowLosesItsPlaceAgainAndAgainIsCountedUnsplitOnce) {
  begin();
  for (std::uint32_t i = 0; i < 50; ++i) server({.seq = 1 + (i << 31) + i * kMss, .payload = kMss});
  EXPECT_EQ(unsplit(Unsplit::no_handshake), 1u);
  // Another connection with the same ports is another.
  ue({.seq = 9'000'000, .flags = kSyn, .window = 65'535, .options = syn_options()});
  server({.seq = 7'000'000, .payload = kMss});
  EXPECT_EQ(unsplit(Unsplit::no_handshake), 2u);
}

TEST_F(SplitWords, DataInASynLeaveItAlone) {
  begin();
  ue({.seq = 0, .payload = 20, .flags = kSyn, .window = 65'535, .options = syn_options()});
  server({.seq = 0, .ack = 21, .flags = kSyn | kAck, .options = syn_options()});
  ue({.seq = 21, .ack = 1});
  seen();
  server({.seq = 1, .ack = 21, .payload = kMss});
  EXPECT_EQ(unsplit(Unsplit::fast_open), 1u);
  EXPECT_EQ(bearer->proxy->split(), 0u);
}

TEST_F(SplitWords, UrgentDataDrainTheConnection) {
  begin();
  open();
  server({.seq = 1, .payload = kMss});
  seen();
  server({.seq = 1 + kMss, .payload = kMss, .flags = kAck | TcpView::kUrg});
  EXPECT_EQ(bearer->proxy->split(), 0u) << "nothing was told yet: it goes at once";
  const Said again{.seq = 1 + kMss, .payload = kMss, .flags = kAck | TcpView::kUrg};
  seen();
  server(again);
  const auto radio = at(Side::radio);
  ASSERT_EQ(radio.size(), 1u);
  EXPECT_EQ(radio[0].frame, frame_of(again, false));
}

TEST_F(SplitWords, KeepalivesOfAnIdleConnectionAreAnsweredByWhoIsAsked) {
  begin();
  open();
  server({.seq = 1, .payload = kMss});
  run_for(50ms);
  ue({.seq = 1, .ack = 1 + kMss});
  seen();
  server({.seq = kMss});  // one octet back, without data
  auto radio = at(Side::radio);
  ASSERT_EQ(radio.size(), 1u);
  EXPECT_EQ(position(radio[0]), kMss);
  ue({.seq = 1, .ack = 1 + kMss});
  EXPECT_EQ(at(Side::core).size(), 1u) << "the UE's answer";
  ue({.seq = 0, .ack = 1 + kMss});
  EXPECT_EQ(at(Side::core).size(), 1u) << "the UE asks, too";
}

TEST_F(SplitWords, AnAckCostsTheWindowOfTheUeAndNoMore) {
  begin({.initial_window = 10, .window = 32'768});
  open();
  server({.seq = 1, .payload = kMss});
  server({.seq = 1 + kMss, .payload = kMss});
  seen();
  ue({.seq = 1, .ack = 1 + kMss, .window = 1000});  // 4000 octets
  server({.seq = 1 + 2 * kMss, .payload = kMss});
  server({.seq = 1 + 3 * kMss, .payload = kMss});
  const auto core = at(Side::core);
  ASSERT_FALSE(core.empty());
  // The advertised right edge stays; no more window is given.
  EXPECT_LE(number(core.back()) + core.back().segment.window * 4u, 1 + 32'768 + 8u);
}

TEST_F(SplitWords, AFloodOfSynsSplitsNothing) {
  begin();
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    FrameSpec spec{.src = Ip("192.0.2.1"), .dst = Ip("10.45.0.2"), .protocol = 6};
    spec.sport = static_cast<std::uint16_t>(1024 + i);
    spec.seq = i * 77;
    spec.tcp_flags = kSyn;
    spec.payload = 0;
    io.offer(Side::core, TestFrame(spec, Side::core));
    settle();
  }
  run_for(1s);
  EXPECT_EQ(bearer->proxy->split(), 0u);
  EXPECT_EQ(worker->context().proxy_store.taken(), 0u);
  EXPECT_FALSE(bearer->proxy->holds());
}

}  // namespace
}  // namespace dp::test
