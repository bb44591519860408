// The settings of tunnels that control gives to workers (control/workers/frame_settings.h,
// control/workers/worker_setting.h), and what it knows of tunnels (control/workers/tunnel_log.h): at the
// start, and by a reload.
#include "config/gtp_u.h"

#include <string>

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include "control/metrics/metrics.h"
#include "control/rpc/bearer_json.h"
#include "control/rpc/stats.h"
#include "dataplane/bearer/bearer.h"
#include "tests/support/polled_plane.h"
#include "tests/support/tunnels.h"

namespace control {
namespace {

const std::string kTunnelsHead = R"(version: 1
dataplane:
  ports: {core: {device: "null"}, radio: {device: "null"}}
)";
const std::string kTunnelsRest = R"(
classes: {web: {downlink: {rate: 100M}}}
networks: {east: {vlans: [100]}, blue: {}}
bearers:
  - {ue: 10.45.0.2, class: web}
  - {ue: 10.45.0.2, class: web, network: blue}
)";
const std::string kPlainPeers = "  gtp_u: {peers: [192.0.2.0/24]}\n";

class GtpUPlaneTest : public PolledPlane {
 protected:
  void start(const std::string& gtp_u) {
    runtime = std::make_unique<dp::test::TestRuntime>(4096, 2);
    plane = std::make_unique<DataPlane>(*runtime, config_of(kTunnelsHead + gtp_u + kTunnelsRest), 4096);
    begin();
  }
  void reload(const std::string& gtp_u, const std::string& rest = kTunnelsRest) {
    kept.clear();
    EXPECT_EQ(PolledPlane::reload(config_of(kTunnelsHead + gtp_u + rest)).why, nullptr);
  }
  // A frame to 10.45.0.2 in a tunnel from `source` crosses that bearer's downlink.
  bool crosses(const char* ue, const char* source = "192.0.2.1") {
    const dp::Bearer& bearer =
        *plane->registry().find(*config::parse_ue(ue, plane->config().networks))->bearer;
    const std::uint64_t before = bearer.downlink.buffer().delivered_sdus();
    const std::size_t sent = runtime->io.sent();
    const dp::test::Buffer frame =
        dp::test::tunnelled({.src = source}, {.dst = dp::test::Ip("10.45.0.2"), .payload = 100});
    runtime->io.offer(dp::Side::core, dp::test::TestFrame(dp::Bytes(frame)));
    EXPECT_TRUE(poll_until([&] { return runtime->io.sent() > sent; }));
    return bearer.downlink.buffer().delivered_sdus() == before + 1;
  }
  std::string hint() const {
    const View view;
    return stats_json(*plane, view)["ports"]["core"]["hint"];
  }
};

TEST_F(GtpUPlaneTest, TheWorkersLookIntoTunnelsFromTheStart) {
  start(kPlainPeers);
  EXPECT_TRUE(crosses("10.45.0.2"));
  EXPECT_FALSE(crosses("10.45.0.2", "198.51.100.1"));
  EXPECT_NE(hint().find("spread over workers by the tunnels' ends"), std::string::npos) << hint();
}

TEST_F(GtpUPlaneTest, AReloadAddsAPeer) {
  start(kPlainPeers);
  reload("  gtp_u: {peers: [192.0.2.0/24, 198.51.100.0/24]}\n");
  EXPECT_TRUE(kept.empty());
  EXPECT_TRUE(crosses("10.45.0.2", "198.51.100.1"));
  EXPECT_EQ(plane->config().dataplane.gtp_u->peers.size(), 2u);
}

TEST_F(GtpUPlaneTest, AReloadBeginsAndEndsIt) {
  start("");
  EXPECT_FALSE(crosses("10.45.0.2"));
  EXPECT_EQ(hint(), "");
  reload(kPlainPeers);
  EXPECT_TRUE(crosses("10.45.0.2"));
  reload("  gtp_u: none\n");
  EXPECT_FALSE(crosses("10.45.0.2"));
  EXPECT_TRUE(kept.empty());
}

TEST_F(GtpUPlaneTest, BearersOfANetworkThatOnlyPeersNameHaveTheirFrames) {
  start("  gtp_u: {peers: [{prefix: 192.0.2.0/24, network: blue}]}\n");
  EXPECT_TRUE(crosses("10.45.0.2@blue"));
  reload(kPlainPeers);
  EXPECT_FALSE(crosses("10.45.0.2@blue"));
  EXPECT_TRUE(crosses("10.45.0.2"));
}

TEST_F(GtpUPlaneTest, PeersKeepTheirNetworkWhateverItsPositionInTheFile) {
  start("  gtp_u: {peers: [{prefix: 192.0.2.0/24, network: blue}]}\n");
  std::string rest = kTunnelsRest;
  rest.replace(rest.find("{east: {vlans: [100]}, blue: {}}"), 32, "{blue: {}, north: {vlans: [7]}}");
  reload("  gtp_u: {peers: [{prefix: 192.0.2.0/24, network: blue}]}\n", rest);
  EXPECT_TRUE(crosses("10.45.0.2@blue"));
}

TEST_F(GtpUPlaneTest, ABearerShowsTheTunnelOfEachDirectionAndItsChangesAndMessagesAreCounted) {
  start(kPlainPeers);
  const auto shown = [&] {
    const dp::UeAddress ue = *dp::parse_ue("10.45.0.2");
    return to_json(ue, *plane->registry().find(ue), *plane, rpc::Detail::full);
  };
  EXPECT_TRUE(shown()["downlink"]["tunnel"].is_null());
  const auto offer = [&](const dp::test::Buffer& frame) {
    const std::size_t sent = runtime->io.sent();
    runtime->io.offer(dp::Side::core, dp::test::TestFrame(dp::Bytes(frame)));
    EXPECT_TRUE(poll_until([&] { return runtime->io.sent() > sent; }));
  };
  const dp::test::FrameSpec user{.dst = dp::test::Ip("10.45.0.2"), .payload = 100};
  offer(dp::test::tunnelled({.teid = 0x11, .qfi = 9}, user));
  offer(dp::test::tunnelled({.dst = "192.0.2.7", .teid = 0x22}, user));
  offer(dp::test::tunnelled_packet({.message = dp::gtp_u_message::kEndMarker, .teid = 0x11}, {}));
  const rpc::Json tunnel = shown()["downlink"]["tunnel"];
  EXPECT_EQ(tunnel["endpoint"], "192.0.2.7");
  EXPECT_EQ(tunnel["teid"], 0x22);
  EXPECT_TRUE(tunnel["qfi"].is_null());
  EXPECT_EQ(tunnel["changes"], 1);
  EXPECT_EQ(tunnel["stale"], false);
  EXPECT_TRUE(shown()["uplink"]["tunnel"].is_null());
  LatestView view;
  view.set(view_of(*plane));
  runtime->stop();
  const std::string text = prometheus::TextSerializer().Serialize(Metrics(*runtime, view).Collect());
  const auto has = [&](const std::string& series) { return text.find(series) != std::string::npos; };
  EXPECT_TRUE(has("rncd_gtp_u_tunnel_changes_total 1\n")) << text;
  EXPECT_TRUE(has("rncd_gtp_u_messages_total{port=\"core\",message=\"end_marker\"} 1\n"));
  EXPECT_TRUE(has("rncd_gtp_u_messages_total{port=\"radio\",message=\"echo_request\"} 0\n"));
}

TEST_F(GtpUPlaneTest, TheRoundTripOfEchoesIsShownByTheEndsOfThePath) {
  start(kPlainPeers);
  const auto offer = [&](dp::Side side, const dp::test::TunnelSpec& spec) {
    const std::size_t sent = runtime->io.sent();
    runtime->io.offer(side, dp::test::TestFrame(dp::Bytes(dp::test::tunnelled_packet(spec, {})), side));
    EXPECT_TRUE(poll_until([&] { return runtime->io.sent() > sent; }));
  };
  for (const std::uint16_t number : {1, 2}) {
    offer(dp::Side::core, {.message = dp::gtp_u_message::kEchoRequest, .teid = 0, .sequence = number});
    if (number == 2) continue;
    offer(dp::Side::radio, {.src = "192.0.2.2",
                            .dst = "192.0.2.1",
                            .message = dp::gtp_u_message::kEchoResponse,
                            .teid = 0,
                            .sequence = number});
  }
  const auto noted = [&] {
    const auto paths = plane->reloader().echo_times().paths();
    return paths.size() == 1 && paths.front().requests == 2 && paths.front().answers == 1;
  };
  ASSERT_TRUE(poll_until(noted));
  LatestView view;
  view.set(view_of(*plane));
  runtime->stop();
  const std::string text = prometheus::TextSerializer().Serialize(Metrics(*runtime, view).Collect());
  const auto has = [&](const std::string& series) { return text.find(series) != std::string::npos; };
  const std::string ends = "{requester=\"192.0.2.1\",responder=\"192.0.2.2\"} ";
  EXPECT_TRUE(has("rncd_gtp_u_echo_round_trip_seconds_count" + ends + "1\n")) << text;
  EXPECT_TRUE(has("rncd_gtp_u_echo_round_trip_seconds_sum" + ends)) << text;
  EXPECT_TRUE(has("rncd_gtp_u_echo_requests_total" + ends + "2\n")) << text;
  EXPECT_TRUE(has("rncd_gtp_u_echo_unanswered" + ends + "1\n")) << text;
}

TEST_F(GtpUPlaneTest, AReloadThatBeginsItNeedsMemoryForTheBooks) {
  std::uint64_t memory = 0;
  runtime = std::make_unique<dp::test::TestRuntime>(4096, 2);
  plane = std::make_unique<DataPlane>(*runtime, config_of(kTunnelsHead + kTunnelsRest), 4096,
                                      std::chrono::seconds{5}, [&] { return memory; });
  memory = std::uint64_t{1} << 40;
  begin();
  memory = 2 * dp::TunnelBook::bytes_for(4096) - 1;
  const auto ended = PolledPlane::reload(config_of(kTunnelsHead + kPlainPeers + kTunnelsRest));
  ASSERT_NE(ended.why, nullptr);
  try {
    std::rethrow_exception(ended.why);
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.why, Refusal::Why::no_memory);
    EXPECT_NE(std::string(refusal.what()).find("workers' books of tunnels"), std::string::npos)
        << refusal.what();
  }
  EXPECT_FALSE(plane->config().dataplane.gtp_u);
  ++memory;
  reload(kPlainPeers);
  memory = 0;
  reload("  gtp_u: {peers: [192.0.2.0/25]}\n");
}

TEST_F(GtpUPlaneTest, TunnelsWithoutAReadablePacketAreCountedByPortAndReason) {
  start(kPlainPeers);
  const dp::test::Buffer frame =
      dp::test::tunnelled({.version_and_type = 0x50}, {.dst = dp::test::Ip("10.45.0.2"), .payload = 100});
  runtime->io.offer(dp::Side::core, dp::test::TestFrame(dp::Bytes(frame)));
  ASSERT_TRUE(poll_until([&] { return runtime->io.sent() == 1; }));
  runtime->stop();
  const LatestView view;
  const std::string text = prometheus::TextSerializer().Serialize(Metrics(*runtime, view).Collect());
  const auto has = [&](const std::string& series) { return text.find(series) != std::string::npos; };
  const std::string name = R"(rncd_gtp_u_unparsed_total{port="core",reason=")";
  EXPECT_TRUE(has(name + "version\"} 1\n")) << text;
  for (const char* reason : {"length", "chain", "inner", "not_ip", "fragment", "sequence"}) {
    EXPECT_TRUE(has(name + reason + "\"} 0\n")) << reason;
  }
  EXPECT_FALSE(has(name + "message")) << "no user's packet is expected in one";
}

}  // namespace
}  // namespace control
