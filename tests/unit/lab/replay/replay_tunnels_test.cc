// rnclab replay of captures with GTP-U tunnels: the packets within go through the same bearers, at the same
// times, to the same ends as bare ones.
#include <cstdio>
#include <string>
#include <vector>

#include <unistd.h>

#include "config/load.h"
#include "tests/support/pcap.h"
#include "tests/support/tunnels.h"
#include "tests/unit/lab/support.h"
#include "tools/lab/replay/capture.h"
#include "tools/lab/replay/replay.h"
#include "tools/lab/replay/replay_compare.h"
#include "tools/lab/replay/replay_input.h"
#include "tools/lab/run/frames.h"

namespace lab {
namespace {

using dp::test::Buffer;
using dp::test::FrameSpec;
using dp::test::PcapFile;
using dp::test::TunnelSpec;

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::int64_t kBegin = kNsPerSecond * kNsPerSecond;  // PcapFile's 0

class Recording {
 public:
  explicit Recording(const std::string& name)
      : file_(::testing::TempDir() + "replay_tunnels_" + name + "_" + std::to_string(getpid()),
              PcapFile::kEthernet) {}
  void add(dp::Time at, dp::Bytes frame) {
    file_.add(static_cast<std::uint32_t>(ns(at) / kNsPerSecond),
              static_cast<std::uint32_t>(ns(at) % kNsPerSecond), frame);
  }
  Capture read() {
    file_.close();
    return Capture::read(file_.path());
  }

 private:
  PcapFile file_;
};

ReplayInput input_of(const ReplayPlant& plant, const Crossings& crossings) {
  return {plant.bearers,  plant.changes, crossings.arrivals, plant.cell, dp::Time{std::chrono::seconds{30}},
          plant.networks, plant.gtp_u};
}

// The packets that came to each port, and those that came to the UEs.
class Ports : public Observer {
 public:
  void offered(dp::Time at, dp::Side side, dp::Bytes frame) override {
    (side == dp::Side::core ? core : radio).add(at, frame);
    ++arrived;
  }
  void frame(dp::Time at, dp::Side side, dp::Bytes frame) override {
    if (side == dp::Side::radio) radio.add(at, frame);
  }

  Recording core{"core"}, radio{"radio"};
  std::size_t arrived = 0;
};

struct Replayed {
  Crossings crossings;
  ReplayRun run;
  DepartureComparison departures;
  std::size_t arrived = 0;
};

// A run of the scenario with captures of its ports, and the replay of these.
Replayed replayed(const Scenario& scenario) {
  Ports ports;
  simulate(scenario, 7, &ports);
  const Capture core = ports.core.read(), radio = ports.radio.read();
  const ReplayPlant plant = plant_of(scenario, 7);
  Replayed all;
  all.crossings = crossings_of(core, &radio, plant, kBegin, "core", "radio");
  all.arrived = ports.arrived;
  const ReplayInput input = input_of(plant, all.crossings);
  all.run = replay(input);
  all.departures =
      ReplayComparison(input, all.crossings, all.run, dp::Duration{0}).departures(0, dp::Direction::downlink);
  return all;
}

void expect_equal(const ReplayRun& found, const ReplayRun& expected) {
  ASSERT_EQ(found.fates.size(), expected.fates.size());
  for (std::size_t i = 0; i < found.fates.size(); ++i) {
    ASSERT_EQ(found.fates[i].left, expected.fates[i].left) << i;
    ASSERT_EQ(found.fates[i].dropped, expected.fates[i].dropped) << i;
    ASSERT_EQ(found.fates[i].reason, expected.fates[i].reason) << i;
  }
  ASSERT_EQ(found.occupancy[0].size(), expected.occupancy[0].size());
  EXPECT_EQ(found.bearers[0].dropped_aqm, expected.bearers[0].dropped_aqm);
  EXPECT_EQ(found.residue, 0);
  EXPECT_EQ(found.made, 0u);
}

// SBD drops some of the packets, and the rate changes on the way.
Scenario with_losses(const std::vector<std::string>& more) {
  std::vector<std::string> flags{
      "classes.a.downlink.buffer.sdus=20",
      "classes.a.downlink.aqm={sbd: {minth: 10sdu, maxth: 20sdu, t_r: 200ms}}", "flows.0.count=2",
      "changes=[{at: 10s, ue: 10.45.0.2, downlink: {rate: 128k}, uplink: {rate: 128k}}]"};
  flags.insert(flags.end(), more.begin(), more.end());
  return testing::on_air(flags);
}

TEST(ReplayTunnels, OwnRunInTunnelsGivesTheFatesOfTheBareOne) {
  const Replayed bare = replayed(with_losses({}));
  ASSERT_GT(bare.run.bearers[0].dropped_aqm, 0u);
  for (const char* tunnels : {"gtp_u={}", "gtp_u={core: '2001:db8::1', radio: '2001:db8::2', qfi: 1}"}) {
    const Replayed within = replayed(with_losses({tunnels}));
    expect_equal(within.run, bare.run);
    EXPECT_GT(within.departures.both, 100u);
    EXPECT_EQ(within.departures.within, within.departures.both);
    EXPECT_EQ(within.departures.only_box + within.departures.only_replay + within.departures.strangers, 0u);
  }
}

// End markers are no packets of a UE.
TEST(ReplayTunnels, OwnRunWithHandoversGivesItsDeparturesAgain) {
  for (const char* way : {"keep", "rewrite", "send"}) {
    Scenario s =
        testing::shaped({"classes.a.downlink.rate=1M", std::string("gtp_u={on_handover: ") + way + "}",
                         "changes=[{at: 5s, ue: 10.45.0.2, handover: yes}, {at: 9s, ue: 10.45.0.2, "
                         "handover: yes}]"});
    const Replayed found = replayed(s);
    EXPECT_EQ(found.crossings.strange, 2u) << way;
    EXPECT_EQ(found.crossings.gtp_u, 2u);
    EXPECT_EQ(found.crossings.arrivals.size() + 2, found.arrived);
    EXPECT_GT(found.departures.both, 100u);
    EXPECT_EQ(found.departures.within, found.departures.both) << way;
    EXPECT_EQ(found.run.residue, 0);
  }
}

// A box that looks into tunnels of a gateway, of whose UEs one has a bearer.
constexpr const char* kBox = R"(version: 1
dataplane:
  ports: {core: {device: "null"}, radio: {device: "null"}}
  gtp_u: {peers: [192.0.2.0/24, "2001:db8:1::/48"]}
classes: {web: {downlink: {rate: 64k, buffer: {sdus: 5}}}}
bearers: [{ue: 10.45.0.2, class: web}]
)";

ReplayPlant box(const char* text = kBox) {
  const auto config = config::load_text(text, "box.yaml");
  EXPECT_TRUE(config);
  return config ? plant_of(*config) : ReplayPlant{};
}

// Bursts that overflow the buffer; `made` puts the n-th packet into its frame.
template <class Made>
Capture bursts(const std::string& name, const Made& made) {
  Recording recording(name);
  for (std::uint32_t n = 0; n < 60; ++n) {
    const FrameSpec user{.dst = "10.45.0.2", .seq = 1000 * n, .payload = 400};
    recording.add(dp::Time{std::chrono::milliseconds{200 * (n / 10) + n % 10}}, made(n, user));
  }
  return recording.read();
}

// Tunnels of all kinds, of one gateway.
TunnelSpec kind_of(std::uint32_t n, bool ipv6) {
  TunnelSpec spec{.sport = static_cast<std::uint16_t>(2152 + n % 2), .checksum = n % 3 != 0, .teid = 7};
  if (n % 2 == 1) spec.qfi = static_cast<std::uint8_t>(n % 64);
  if (ipv6) spec.src = "2001:db8:1::1", spec.dst = "2001:db8:1::2";
  if (n % 5 == 0) spec.extensions = {{0x40, dp::test::bytes({1, 2})}};
  spec.behind = n % 7;
  return spec;
}

ReplayRun run_of(const Capture& capture, const ReplayPlant& plant, std::size_t strange = 0) {
  const Crossings crossings = crossings_of(capture, nullptr, plant, kBegin, "capture", "");
  EXPECT_EQ(crossings.strange, strange);
  return replay(input_of(plant, crossings));
}

TEST(ReplayTunnels, CaptureOfAnyTunnelsGivesTheFatesOfTheBareOneAndSoDoBothTogether) {
  const auto bare = [](std::uint32_t, const FrameSpec& user) { return dp::test::frame(user); };
  const ReplayRun expected = run_of(bursts("bare", bare), box());
  std::size_t dropped = 0;
  for (const ReplayFate& fate : expected.fates) dropped += fate.dropped ? 1 : 0;
  ASSERT_GT(dropped, 5u);
  ASSERT_LT(dropped, 50u);
  for (const bool ipv6 : {false, true}) {
    const auto within = [&](std::uint32_t n, const FrameSpec& user) {
      return dp::test::tunnelled(kind_of(n, ipv6), user);
    };
    const auto both = [&](std::uint32_t n, const FrameSpec& user) {
      return n % 3 == 0 ? bare(n, user) : within(n, user);
    };
    expect_equal(run_of(bursts("within", within), box()), expected);
    expect_equal(run_of(bursts("both", both), box()), expected);
  }
}

TEST(ReplayTunnels, WhatTheBoxDoesNotLookIntoIsLeftOut) {
  const Capture capture = bursts("others", [](std::uint32_t n, const FrameSpec& user) {
    TunnelSpec spec{.teid = 7};
    if (n == 0) spec.dst = "198.51.100.9";  // no peer
    if (n == 1) spec.message = 254;
    if (n == 2) spec.sequence = 5;  // `sequence: observe`
    if (n == 3) spec.version_and_type = 0x50;
    return dp::test::tunnelled(spec, user);
  });
  const Crossings crossings = crossings_of(capture, nullptr, box(), kBegin, "capture", "");
  EXPECT_EQ(crossings.arrivals.size(), 56u);
  EXPECT_EQ(crossings.strange, 4u);
  EXPECT_EQ(crossings.gtp_u, 4u);
}

TEST(ReplayTunnels, SameAddressBehindTwoGatewaysIsTwoUes) {
  const ReplayPlant plant = box(R"(version: 1
networks: {east: {}, west: {}}
dataplane:
  ports: {core: {device: "null"}, radio: {device: "null"}}
  gtp_u: {peers: [192.0.2.0/24, {prefix: 198.51.100.0/24, network: east}, {prefix: 203.0.113.0/24, network: west}]}
classes: {web: {downlink: {rate: 8M}}}
bearers:
  - {ue: 10.45.0.2, class: web, network: east}
  - {ue: 10.45.0.2, class: web, network: west}
)");
  const Capture capture = bursts("networks", [](std::uint32_t n, const FrameSpec& user) {
    return dp::test::tunnelled({.dst = n % 3 == 0 ? "198.51.100.7" : "203.0.113.7", .teid = n % 3 + 1}, user);
  });
  const Crossings crossings = crossings_of(capture, nullptr, plant, kBegin, "capture", "");
  ASSERT_EQ(crossings.arrivals.size(), 60u);
  for (std::size_t i = 0; i < 60; ++i) EXPECT_EQ(crossings.arrivals[i].bearer, i % 3 == 0 ? 0u : 1u) << i;
  EXPECT_EQ(replay(input_of(plant, crossings)).residue, 0);
}

TEST(ReplayTunnels, FrameThatIsLongerThanTheLabsIsRefused) {
  Recording recording("long");
  recording.add(dp::Time{}, dp::test::tunnelled({.behind = FramePool::kFrameBytes}, {.dst = "10.45.0.2"}));
  const Capture capture = recording.read();
  try {
    crossings_of(capture, nullptr, box(), kBegin, "long", "");
    FAIL() << "was not refused";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("long: frame 1 has"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lab
