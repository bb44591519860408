// The tunnels of bearers, end markers and handovers, in one worker and in two.
#include "tests/support/tunnels.h"

#include <optional>
#include <vector>

#include "tests/support/mesh_bench.h"
#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

constexpr UeAddress kTunnelUe = ue_ipv4(0x0a2d0002);
constexpr std::uint32_t kOldTeid = 0x11, kNewTeid = 0x22, kUplinkTeid = 0x99;
const char* const kOldCell = "192.0.2.11";
const char* const kNewCell = "192.0.2.12";

TunnelSpec down(std::uint32_t teid, const char* cell) {
  return {.src = "192.0.2.1", .dst = cell, .teid = teid};
}
TunnelSpec old_tunnel() { return down(kOldTeid, kOldCell); }
TunnelSpec new_tunnel() { return down(kNewTeid, kNewCell); }

struct Seen {
  std::uint32_t teid;
  bool marker;
  std::uint32_t number;  // of a G-PDU: its TCP sequence number
  std::uint32_t address;
};

Seen seen(const Buffer& frame, const GtpUSettings& settings) {
  TestFrame copy(frame, Side::core);
  Sdu& sdu = copy.sdu();
  const GtpUVerdict verdict = parse_any(sdu, &settings);
  const bool peeled = verdict == GtpUVerdict::peeled;
  const TunnelKey key = tunnel_key(sdu.head(), peeled ? sdu.outer_offset : sdu.l3_offset);
  return {key.teid, !peeled, peeled ? load32(sdu.data + sdu.l4_offset + 4) : 0,
          static_cast<std::uint32_t>(key.lo)};
}

class TunnelsTest : public WorkerBench {
 protected:
  void SetUp() override { start(GtpUHandover::keep); }
  void start(GtpUHandover handover) {
    settings = tunnels_of_tests();
    settings.on_handover = handover;
    worker =
        std::make_unique<BenchWorker>(clock, io, *shared, WorkerLimits{.max_bearers = 8, .gtp_u = &settings});
  }
  TunnelBook& book() { return worker->book; }

  void offer_frame(Side side, const Buffer& frame) { io.offer(side, TestFrame(frame, side)); }
  void gpdus(const TunnelSpec& tunnel, int count, Ip ue = "10.45.0.2") {
    for (; count > 0; --count)
      offer_frame(Side::core,
                  tunnelled(tunnel, {.src = "198.51.100.7", .dst = ue, .seq = ++number, .payload = 960}));
    settle();
  }
  void marker(TunnelSpec tunnel) {
    tunnel.message = gtp_u_message::kEndMarker;
    offer_frame(Side::core, tunnelled_packet(tunnel, {}));
    settle();
  }
  void up(std::uint32_t teid = kUplinkTeid) {
    offer_frame(Side::radio, tunnelled({.src = kOldCell, .dst = "192.0.2.1", .teid = teid},
                                       {.src = "10.45.0.2", .dst = "198.51.100.7"}));
    settle();
  }
  void run_for(std::int64_t ms) { run_until(clock.now() + std::chrono::milliseconds(ms)); }
  std::vector<Seen> out() const {
    std::vector<Seen> all;
    for (const auto& sent : io.sent) {
      if (sent.side == Side::radio) all.push_back(seen(sent.bytes, settings));
    }
    return all;
  }
  // The position of the only end marker among what left; none if there is none.
  std::optional<std::size_t> marker_at() const {
    std::optional<std::size_t> at;
    const auto all = out();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].marker) continue;
      EXPECT_FALSE(at) << "two markers";
      at = i;
    }
    return at;
  }
  void expect_in_order() const {
    std::uint32_t last = 0;
    for (const Seen& frame : out()) {
      if (frame.marker) continue;
      EXPECT_GT(frame.number, last);
      last = frame.number;
    }
  }

  GtpUSettings settings;
  std::uint32_t number = 0;
};

TEST_F(TunnelsTest, TheTunnelOfEachDirectionIsLearntFromItsPackets) {
  Bearer& bearer = add(kTunnelUe, bearer_at(8'000'000));
  EXPECT_FALSE(bearer.tunnel(Direction::downlink).read());
  TunnelSpec session = old_tunnel();
  session.qfi = 9;
  gpdus(session, 1);
  up();
  const auto downlink = bearer.tunnel(Direction::downlink).read(),
             uplink = bearer.tunnel(Direction::uplink).read();
  ASSERT_TRUE(downlink && uplink);
  EXPECT_EQ(downlink->key, (TunnelKey{0, 0xc000020b, kOldTeid, false}));
  EXPECT_EQ(downlink->qfi, 9);
  EXPECT_EQ(downlink->changes, 0u);
  EXPECT_EQ(uplink->key, (TunnelKey{0, 0xc0000201, kUplinkTeid, false}));
  EXPECT_EQ(uplink->qfi, GtpUChain::kNoQfi);
  EXPECT_EQ(book().tunnels(), 2u);
  EXPECT_EQ(book().changed(), 0u);
}

TEST_F(TunnelsTest, AnotherTunnelIsAChangeAndALateFrameOfTheOneBeforeIsNone) {
  Bearer& bearer = add(kTunnelUe, bearer_at(8'000'000));
  gpdus(old_tunnel(), 1);
  gpdus(new_tunnel(), 1);
  gpdus(old_tunnel(), 1);
  const auto now = bearer.tunnel(Direction::downlink).read();
  EXPECT_EQ(now->key.teid, kNewTeid);
  EXPECT_EQ(now->changes, 1u);
  TunnelChange change;
  ASSERT_TRUE(book().changes().pop(change));
  EXPECT_EQ(change.ue, kTunnelUe);
  EXPECT_EQ(change.direction, Direction::downlink);
  EXPECT_EQ(change.before.teid, kOldTeid);
  EXPECT_EQ(change.after.teid, kNewTeid);
  EXPECT_FALSE(book().changes().pop(change));
  run_for(1500);
  gpdus(old_tunnel(), 1);
  EXPECT_EQ(bearer.tunnel(Direction::downlink).read()->key.teid, kOldTeid);
  EXPECT_EQ(book().changed(), 2u);
  run_for(100);
}

TEST_F(TunnelsTest, AnEndMarkerLeavesBehindTheFramesOfItsTunnelUnderEveryQueue) {
  const auto shaped = [](const AqmConfig& aqm, const QueueConfig& queue) {
    BearerSettings s = bearer_at(1'000'000);
    s.downlink.aqm = aqm;
    s.downlink.queue = queue;
    return s;
  };
  for (const BearerSettings& s :
       {shaped(DropTailSpec::Config{}, FifoSpec::Config{}), shaped(FqCodelSpec::Config{}, FifoSpec::Config{}),
        shaped(DropTailSpec::Config{}, SfpSpec::Config{})}) {
    Bearer& bearer = add(kTunnelUe, s);
    gpdus(old_tunnel(), 5);
    marker(old_tunnel());
    run_for(1);
    gpdus(new_tunnel(), 5);
    EXPECT_EQ(book().markers(), 1u);
    EXPECT_EQ(worker->context().account.held, 1u);
    run_for(1000);
    EXPECT_EQ(out().size(), 11u);
    EXPECT_EQ(marker_at(), 5u);
    expect_in_order();
    EXPECT_EQ(passed(PassReason::gtp_u_message), 1u);
    command(RemoveBearer{&bearer});
    io.sent.clear();
    number = 0;
    start(GtpUHandover::keep);
  }
}

TEST_F(TunnelsTest, AnEndMarkerWaitsForFramesOnTheirWayAcrossTheRadio) {
  BearerSettings s = bearer_at(1'000'000);
  s.downlink.link = UmLinkConfig{.delay = std::chrono::milliseconds(200)};
  add(kTunnelUe, s);
  gpdus(old_tunnel(), 3);
  marker(old_tunnel());
  run_for(100);
  EXPECT_TRUE(out().empty());
  run_for(1000);
  EXPECT_EQ(out().size(), 4u);
  EXPECT_EQ(marker_at(), 3u);
}

TEST_F(TunnelsTest, AnEndMarkerOfNoTunnelAndOtherMessagesLeaveAtOnce) {
  add(kTunnelUe, bearer_at(1'000'000));
  gpdus(old_tunnel(), 5);
  marker(new_tunnel());
  for (const std::uint8_t type : {gtp_u_message::kEchoRequest, gtp_u_message::kTunnelStatus}) {
    TunnelSpec echo = old_tunnel();
    echo.message = type;
    offer_frame(Side::core, tunnelled_packet(echo, {}));
  }
  settle();
  EXPECT_EQ(out().size(), 3u);
  EXPECT_EQ(book().messages(Side::core, GtpUMessage::end_marker), 1u);
  EXPECT_EQ(book().messages(Side::core, GtpUMessage::echo_request), 1u);
  EXPECT_EQ(book().messages(Side::core, GtpUMessage::tunnel_status), 1u);
  EXPECT_EQ(book().messages(Side::radio, GtpUMessage::echo_request), 0u);
  run_for(1000);
}

TEST_F(TunnelsTest, RewriteGivesWaitingFramesTheNewTunnelInTenHandoversAndLosesNone) {
  start(GtpUHandover::rewrite);
  Bearer& bearer = add(kTunnelUe, bearer_at(4'000'000));
  gpdus(old_tunnel(), 10);
  for (int handover = 0; handover < 10; ++handover) {
    io.sent.clear();
    const bool back = handover % 2 == 1;
    const TunnelSpec from = back ? new_tunnel() : old_tunnel(), to = back ? old_tunnel() : new_tunnel();
    const std::uint32_t first = number + 1 - 10, last = number;
    gpdus(to, 10);
    marker(from);
    run_for(0);
    ASSERT_EQ(marker_at(), 0u) << "it leaves at once";
    run_for(22);
    gpdus(to, 1);
    run_for(1200);
    const auto frames = out();
    ASSERT_EQ(frames.size(), 22u) << handover;
    for (std::size_t i = 1; i < frames.size(); ++i) {
      EXPECT_EQ(frames[i].number, first + i - 1);
      EXPECT_EQ(frames[i].teid, to.teid)
          << "frame " << frames[i].number << ", those that waited end at " << last;
      EXPECT_EQ(frames[i].address, back ? 0xc000020bu : 0xc000020cu);
    }
    gpdus(to, 10);
  }
  EXPECT_EQ(bearer.tunnel(Direction::downlink).read()->changes, 10u);
  EXPECT_EQ(worker->context().account.drops(), 0u);
  run_for(1000);
}

TEST_F(TunnelsTest, SendLetsWaitingFramesLeaveAtOnceAndTheMarkerBehindThem) {
  start(GtpUHandover::send);
  add(kTunnelUe, bearer_at(1'000'000));
  gpdus(old_tunnel(), 5);
  marker(old_tunnel());
  EXPECT_TRUE(out().empty());
  gpdus(new_tunnel(), 2);
  EXPECT_EQ(out().size(), 6u);
  EXPECT_EQ(marker_at(), 5u);
  run_for(1000);
  EXPECT_EQ(out().size(), 8u);
  expect_in_order();
}

TEST_F(TunnelsTest, RewriteSendsWhatHasHeadersOfAnotherLength) {
  start(GtpUHandover::rewrite);
  add(kTunnelUe, bearer_at(1'000'000));
  gpdus(old_tunnel(), 5);
  TunnelSpec session = new_tunnel();
  session.qfi = 9;
  gpdus(session, 1);
  const auto frames = out();
  ASSERT_EQ(frames.size(), 5u);
  for (const Seen& frame : frames) EXPECT_EQ(frame.teid, kOldTeid);
  run_for(1000);
}

TEST_F(TunnelsTest, AnErrorIndicationMarksItsTunnelStaleUntilAPacketComes) {
  Bearer& bearer = add(kTunnelUe, bearer_at(8'000'000));
  gpdus(old_tunnel(), 1);
  Buffer elements = bytes({16, 0, 0, 0, kOldTeid, 133, 0, 4, 192, 0, 2, 11});
  offer_frame(Side::radio,
              tunnelled_packet({.src = kOldCell, .dst = "192.0.2.1", .message = 26, .teid = 0}, elements));
  settle();
  EXPECT_TRUE(bearer.tunnel(Direction::downlink).read()->stale);
  EXPECT_EQ(book().messages(Side::radio, GtpUMessage::error_indication), 1u);
  EXPECT_EQ(io.sent.back().side, Side::core);
  gpdus(old_tunnel(), 1);
  EXPECT_FALSE(bearer.tunnel(Direction::downlink).read()->stale);
  run_for(100);
}

TEST_F(TunnelsTest, ABearerThatGoesTakesItsMarkersAndTunnelsAlong) {
  Bearer& bearer = add(kTunnelUe, bearer_at(1'000'000));
  gpdus(old_tunnel(), 5);
  marker(old_tunnel());
  command(RemoveBearer{&bearer});
  EXPECT_EQ(marker_at(), 5u);
  EXPECT_EQ(book().markers(), 0u);
  EXPECT_EQ(book().tunnels(), 0u);
}

TEST_F(TunnelsTest, AStandstillHoldsAMarkerAndALeaveOfTheModeSendsIt) {
  add(kTunnelUe, bearer_at(1'000'000));
  gpdus(old_tunnel(), 5);
  marker(old_tunnel());
  command(SetMode{Mode::block});
  run_for(1000);
  EXPECT_FALSE(marker_at());
  command(SetMode{Mode::bypass});
  settle();
  EXPECT_EQ(marker_at(), 5u);
}

TEST(TunnelsOfTwoWorkers, AnEndMarkerFindsTheWorkerOfItsTunnel) {
  static const GtpUSettings settings = tunnels_of_tests();
  for (const unsigned queue : {0u, 1u}) {
    Box box(2, {1, 1}, &settings);
    std::uint32_t ue = 0;
    while (box.owner(ue) != queue) ++ue;
    box.add(ue, shaped(1'000'000));
    for (std::uint32_t n = 1; n <= 5; ++n) {
      box.io.offer(
          Side::core,
          TestFrame(tunnelled(old_tunnel(),
                              {.src = "198.51.100.7", .dst = Ip(kFirstUe + ue), .seq = n, .payload = 960}),
                    Side::core));
    }
    TunnelSpec marker = old_tunnel();
    marker.message = gtp_u_message::kEndMarker;
    box.io.offer(Side::core, TestFrame(tunnelled_packet(marker, {}), Side::core));
    for (int i = 0; i < 10; ++i) box.poll_all();
    box.run(std::chrono::seconds(1));
    ASSERT_EQ(box.io.sent.size(), 6u) << queue;
    EXPECT_TRUE(seen(box.io.sent.back().bytes, settings).marker);
    TunnelSpec unknown = new_tunnel();
    unknown.message = gtp_u_message::kEndMarker;
    box.io.offer(Side::core, TestFrame(tunnelled_packet(unknown, {}), Side::core));
    for (int i = 0; i < 10; ++i) box.poll_all();
    EXPECT_EQ(box.io.sent.size(), 7u);
  }
}

}  // namespace
}  // namespace dp::test
