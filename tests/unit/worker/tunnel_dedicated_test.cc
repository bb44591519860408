// A worker's dedicated bearers (dataplane/bearer/dedicated.h): each has buffer, rate, tunnel and end markers.
#include <array>

#include "tests/unit/worker/tunnels_bench.h"

namespace dp::test {
namespace {

class TunnelDedicatedTest : public TunnelsTest {
 protected:
  void voice_packets(TunnelSpec tunnel, int count) {
    tunnel.qfi = 1;
    gpdus(tunnel, count);
  }
  const UeAddress voice_name = dedicated_by_qfi(kTunnelUe, 1);
};

TEST_F(TunnelDedicatedTest, EachHasABufferAndARateOfItsOwn) {
  Bearer& internet = add(kTunnelUe, bearer_at(1'000'000));
  Bearer& voice = add(voice_name, bearer_at(8'000'000));
  gpdus(old_tunnel(), 10);
  voice_packets(old_tunnel(), 8);
  EXPECT_EQ(internet.downlink.buffer().sdus(), 10u);
  EXPECT_EQ(voice.downlink.buffer().sdus(), 8u);
  run_for(10);
  EXPECT_EQ(voice.downlink.buffer().sdus(), 0u) << "8 x 1 ms";
  EXPECT_GE(internet.downlink.buffer().sdus(), 8u);
  run_for(100);
  EXPECT_EQ(out().size(), 18u);
}

TEST_F(TunnelDedicatedTest, EachLearnsTheTunnelThatTheyShare) {
  Bearer& internet = add(kTunnelUe, bearer_at(1'000'000));
  Bearer& voice = add(voice_name, bearer_at(1'000'000));
  voice_packets(old_tunnel(), 1);
  ASSERT_TRUE(voice.downlink_tunnel().known());
  EXPECT_EQ(voice.downlink_tunnel().key().teid, kOldTeid);
  EXPECT_EQ(voice.downlink_tunnel().read()->qfi, 1);
  EXPECT_FALSE(internet.downlink_tunnel().known());
  gpdus(old_tunnel(), 1);
  EXPECT_EQ(internet.downlink_tunnel().key(), voice.downlink_tunnel().key());
  EXPECT_EQ(book().tunnels(), 2u);
}

TEST_F(TunnelDedicatedTest, AnEndMarkerIsLastBehindAllBearersOfItsTunnel) {
  add(kTunnelUe, bearer_at(8'000'000));
  add(voice_name, bearer_at(1'000'000));
  gpdus(old_tunnel(), 5);
  voice_packets(old_tunnel(), 5);
  marker(old_tunnel());
  EXPECT_EQ(book().markers(), 1u);
  run_for(1);
  voice_packets(new_tunnel(), 2);
  run_for(200);
  const auto frames = out();
  ASSERT_EQ(frames.size(), 13u);
  ASSERT_TRUE(marker_at());
  for (std::size_t i = 0; i < frames.size(); ++i)
    EXPECT_EQ(frames[i].teid == kOldTeid, i <= *marker_at()) << i;
}

TEST_F(TunnelDedicatedTest, AMarkerLeavesThoughTheBearerThatItWaitsForIsRemoved) {
  add(kTunnelUe, bearer_at(1'000'000));
  Bearer& voice = add(voice_name, bearer_at(500'000));
  gpdus(old_tunnel(), 5);
  voice_packets(old_tunnel(), 5);
  marker(old_tunnel());
  command(RemoveBearer{&voice});
  EXPECT_EQ(book().markers(), 1u) << "the default bearer holds SDUs of it yet";
  run_for(200);
  EXPECT_EQ(out().size(), 11u);
  EXPECT_EQ(marker_at(), 10u);
}

TEST_F(TunnelDedicatedTest, AHandoverRewritesEachBearerAtItsFirstPacketOfTheNewTunnel) {
  start(OnHandover::rewrite);
  add(kTunnelUe, bearer_at(1'000'000));
  add(voice_name, bearer_at(1'000'000));
  gpdus(old_tunnel(), 5);
  voice_packets(old_tunnel(), 5);
  voice_packets(new_tunnel(), 1);
  marker(old_tunnel());
  EXPECT_EQ(book().markers(), 1u) << "the default bearer's SDUs leave in the old tunnel until it changes";
  gpdus(new_tunnel(), 1);
  EXPECT_EQ(book().markers(), 0u);
  run_for(200);
  const auto frames = out();
  ASSERT_EQ(frames.size(), 13u);
  ASSERT_TRUE(marker_at());
  for (std::size_t i = *marker_at() + 1; i < frames.size(); ++i) EXPECT_EQ(frames[i].teid, kNewTeid) << i;
}

TEST_F(TunnelDedicatedTest, AnErrorIndicationIsNotedAtAllBearersOfTheTunnel) {
  Bearer& internet = add(kTunnelUe, bearer_at(1'000'000));
  Bearer& voice = add(voice_name, bearer_at(1'000'000));
  gpdus(old_tunnel(), 1);
  voice_packets(old_tunnel(), 1);
  TunnelSpec error{
      .src = kOldCell, .dst = "192.0.2.1", .message = gtp_u_message::kErrorIndication, .teid = 0};
  const Buffer elements = bytes({16, 0, 0, 0, kOldTeid, 0x85, 0, 4, 192, 0, 2, 11});
  offer_frame(Side::radio, tunnelled_packet(error, elements));
  settle();
  EXPECT_TRUE(internet.downlink_tunnel().stale());
  EXPECT_TRUE(voice.downlink_tunnel().stale());
}

TEST_F(TunnelDedicatedTest, ABearerByTeidKeepsItsPacketsOverAToldHandover) {
  add(kTunnelUe, bearer_at(1'000'000));
  Bearer& video = add(dedicated_by_teid(kTunnelUe, kUplinkTeid), bearer_at(1'000'000));
  EXPECT_EQ(video.downlink.buffer().sdus(), 0u);
  up(kUplinkTeid);
  EXPECT_TRUE(video.tunnel(Direction::uplink).known());
  command(SetTunnel{
      &video, Direction::downlink, {0, 0xc000020c, kNewTeid, false}, GtpUChain::kNoQfi, OnHandover::rewrite});
  gpdus(new_tunnel(), 3);
  EXPECT_EQ(video.downlink.buffer().sdus(), 3u);
}

TEST_F(TunnelDedicatedTest, ALearntDefaultBearerJoinsTheDedicatedOnes) {
  Bearer& voice = add(voice_name, bearer_at(1'000'000));
  const LearnRules rules{{{false, 16, 0, 0x0a2d0000}, 0}};
  command(SetLearnRules{&rules});
  auto prepared = prepare_bearer(bearer_at(1'000'000));
  command(PoolBearer{&*prepared});
  up();
  EXPECT_EQ(worker->table().size(), 2u);
  Bearer* const internet = worker->table().index().find(kTunnelUe);
  EXPECT_EQ(internet, &*prepared);
  gpdus(old_tunnel(), 2);
  voice_packets(old_tunnel(), 3);
  EXPECT_EQ(internet->downlink.buffer().sdus(), 2u);
  EXPECT_EQ(voice.downlink.buffer().sdus(), 3u);
  command(RemoveBearer{internet});
  voice_packets(old_tunnel(), 1);
  EXPECT_EQ(voice.downlink.buffer().sdus(), 4u);
}

// Voice goes to the other worker and back, again and again, while packets of both bearers come both ways.
TEST(DedicatedOfTwoWorkers, MovesAloneAndItsPacketsFollowInOrder) {
  static const GtpUSettings settings = tunnels_of_tests();
  for (const unsigned home : {0u, 1u}) {
    Box box(2, {1, 1}, &settings);
    std::uint32_t ue = 0;
    while (box.owner(ue) != home) ++ue;
    box.add(ue, shaped(20'000'000));
    box.bearers.push_back(prepare_bearer({.downlink = shaped(20'000'000)}));
    Bearer& voice = *box.bearers.back();
    voice.ue = dedicated_by_qfi(ue_ipv4(kFirstUe + ue), 1);
    box.command(home, AddBearer{&voice});

    unsigned arrivals = 0;
    bool moving = false;
    for (std::uint32_t n = 1; n <= 400; ++n) {
      for (const unsigned qfi : {1u, 9u}) {
        TunnelSpec tunnel = old_tunnel();
        tunnel.qfi = static_cast<std::uint8_t>(qfi);
        const FrameSpec packet{.src = "198.51.100.7", .dst = Ip(kFirstUe + ue), .seq = 2 * n + (qfi == 1)};
        box.io.offer(Side::core, TestFrame(tunnelled(tunnel, packet), Side::core));
      }
      if (!moving && n % 5 == 0) {
        arrivals % 2 == 0 ? box.command(home, LendBearer{&voice, 1 - home})
                          : box.command(home, CallHome{&voice, 1 - home});
        moving = true;
      }
      box.run(std::chrono::milliseconds(2));
      for ([[maybe_unused]] const auto& arrival : box.arrivals()) ++arrivals, moving = false;
    }
    box.run(std::chrono::seconds(1));
    EXPECT_GE(arrivals, 10u);
    ASSERT_EQ(box.io.sent.size(), 800u);
    std::array<std::uint32_t, 2> last{};
    for (const auto& sent : box.io.sent) {
      const std::uint32_t number = seen(sent.bytes, settings).number;
      EXPECT_GT(number, last[number % 2]);
      last[number % 2] = number;
    }
  }
}

}  // namespace
}  // namespace dp::test
