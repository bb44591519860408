// The tunnels of bearers (dataplane/bearer/tunnel.h, dataplane/packet/tunnel_key.h) and end markers, in one
// worker and in two.
#include <string>

#include "dataplane/worker/io.h"
#include "tests/unit/worker/tunnels_bench.h"

namespace dp::test {
namespace {

TEST_F(TunnelsTest, ThePortsAreToldWhetherFramesMayTravelInTunnels) {
  EXPECT_TRUE(io.tunnels_expected);
  command(SetGtpU{nullptr, {}});
  EXPECT_FALSE(io.tunnels_expected);
  command(SetGtpU{&settings, worker->books});
  EXPECT_TRUE(io.tunnels_expected);
}

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
    start(OnHandover::keep);
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

TEST(TunnelTag, OfNeighboursDiffers) {
  const auto tag = [](std::uint32_t teid, const char* address) {
    const Buffer frame = tunnelled(down(teid, address), {});
    TestFrame copy(frame, Side::core);
    parse_any(copy.sdu(), nullptr);
    return Tunnel::tag_of(copy.sdu().data + copy.sdu().l3_offset);
  };
  const std::uint32_t old = tag(kOldTeid, kOldCell);
  for (std::uint32_t teid = 1; teid <= 10'000; ++teid) {
    EXPECT_NE(tag(teid, kOldCell), tag(teid + 1, kOldCell)) << teid;
  }
  for (std::uint32_t bit = 0; bit < 32; ++bit) EXPECT_NE(tag(kOldTeid ^ (1u << bit), kOldCell), old) << bit;
  for (int last = 0; last < 256; ++last) {
    const std::string address = "192.0.2." + std::to_string(last);
    if (address == kOldCell) continue;
    EXPECT_NE(tag(kOldTeid, address.c_str()), old) << address;
  }
}

// The tag hides the change, until an end marker of the tunnel before makes the worker look.
TEST_F(TunnelsTest, AnotherTunnelOfTheSameTagIsFoundBehindTheEndMarker) {
  Bearer& bearer = add(kTunnelUe, bearer_at(8'000'000));
  gpdus(old_tunnel(), 1);
  // One more before the tag's last bits are cut off.
  std::uint32_t inverse = 1;
  for (int i = 0; i < 5; ++i) inverse *= 2 - Tunnel::kTagFactor * inverse;
  const TunnelSpec alike = down(__builtin_bswap32(__builtin_bswap32(kOldTeid) + inverse), kOldCell);
  gpdus(alike, 1);
  EXPECT_EQ(bearer.tunnel(Direction::downlink).read()->key.teid, kOldTeid);
  marker(old_tunnel());
  gpdus(alike, 1);
  EXPECT_EQ(bearer.tunnel(Direction::downlink).read()->key.teid, alike.teid);
  EXPECT_EQ(book().changed(), 1u);
  run_for(100);
}

TEST_F(TunnelsTest, EchoesWithANumberAreNotedForControlAndABoundedNumberOfThem) {
  TunnelSpec echo{.src = "192.0.2.1", .dst = kOldCell, .message = gtp_u_message::kEchoRequest, .teid = 0};
  offer_frame(Side::core, tunnelled_packet(echo, {}));
  settle();
  EXPECT_EQ(book().echoes().size(), 0u) << "it has no number";
  echo.sequence = 7;
  offer_frame(Side::core, tunnelled_packet(echo, {}));
  TunnelSpec response{.src = "2001:db8:1::2",
                      .dst = "2001:db8:1::1",
                      .message = gtp_u_message::kEchoResponse,
                      .teid = 0,
                      .sequence = 0xfffe};
  offer_frame(Side::radio, tunnelled_packet(response, {}));
  settle();
  Echo noted;
  ASSERT_TRUE(book().echoes().pop(noted));
  EXPECT_TRUE(noted.request);
  EXPECT_EQ(noted.sequence, 7);
  EXPECT_EQ(noted.from, (TunnelEnd{false, 0, 0xc0000201}));
  EXPECT_EQ(noted.to, (TunnelEnd{false, 0, 0xc000020b}));
  EXPECT_EQ(noted.at, clock.now());
  ASSERT_TRUE(book().echoes().pop(noted));
  EXPECT_FALSE(noted.request);
  EXPECT_EQ(noted.sequence, 0xfffe);
  EXPECT_EQ(noted.from, (TunnelEnd{true, 0x20010db800010000, 2}));
  for (int i = 0; i < 1000; ++i) offer_frame(Side::core, tunnelled_packet(echo, {}));
  settle();
  EXPECT_EQ(book().echoes().size() + book().echoes_left_out(), 1000u);
  EXPECT_GT(book().echoes_left_out(), 0u);
  EXPECT_EQ(io.sent.size(), 1003u) << "all leave at once";
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

TEST(TunnelsOfTwoWorkers, AGpduIsHandedOverThoughItsHomeLooksIntoNoTunnelsAnyLonger) {
  static const GtpUSettings settings = tunnels_of_tests();
  for (const unsigned home : {0u, 1u}) {
    Box box(2, {1, 1}, &settings);
    std::uint32_t ue = 0;
    while (box.owner(ue) != home) ++ue;
    box.add(ue, shaped(1'000'000));
    const auto offer = [&](const TunnelSpec& tunnel) {
      const FrameSpec packet{.src = "198.51.100.7", .dst = Ip(kFirstUe + ue), .payload = 960};
      box.io.offer(Side::core, TestFrame(tunnelled(tunnel, packet), Side::core));
      for (int i = 0; i < 10; ++i) box.poll_all();
    };
    offer(old_tunnel());
    offer(old_tunnel());
    box.command(home, SetGtpU{nullptr, {}});
    offer(new_tunnel());
    box.run(std::chrono::seconds(1));
    EXPECT_EQ(box.io.sent.size(), 3u) << home;
  }
}

TEST(TunnelsOfTwoWorkers, AMessageIsHandedToAWorkerThatLooksIntoNoTunnelsYet) {
  static const GtpUSettings settings = tunnels_of_tests();
  for (const unsigned first : {0u, 1u}) {
    TunnelBook zero(8, 0), one(8, 1);
    const std::array books{&zero, &one};
    Box box(2, {1, 1}, nullptr);
    box.command(first, SetGtpU{&settings, books});
    TunnelSpec unknown = new_tunnel();
    unknown.message = gtp_u_message::kEndMarker;
    for (const Side side : kSides) box.io.offer(side, TestFrame(tunnelled_packet(unknown, {}), side));
    for (int i = 0; i < 10; ++i) box.poll_all();
    EXPECT_EQ(box.io.sent.size(), 2u) << first;
  }
}

}  // namespace
}  // namespace dp::test
