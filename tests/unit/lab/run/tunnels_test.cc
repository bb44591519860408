// Runs in GTP-U tunnels: to the digit and to the octet those without, whatever the box does with the packets;
// handovers, whose end marker is the last of a former tunnel.
#include "tools/lab/run/tunnels.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "config/load.h"
#include "dataplane/packet/tunnel_key.h"
#include "tests/support/frames.h"
#include "tests/unit/config/support.h"
#include "tests/unit/lab/support.h"
#include "tools/lab/figures/summary.h"
#include "tools/lab/run/packet.h"
#include "tools/lab/run/simulate.h"
#include "tools/lab/run/trace.h"

namespace lab {
namespace {

using testing::ByteHash;
using testing::shaped;

Scenario scenario_of(const std::string& file, const std::vector<std::string>& flags) {
  return testing::loaded(config::testing::read_text("tools/lab/scenarios/" + file), flags);
}

// Everything that a run tells, as text.
std::string told(const RunResult& run) {
  std::string text;
  const RunFigures figures = figures_of(run);
  for (const Quantity& q : kQuantities) text += fmt::format("{} {:.17g}\n", q.key, figures.*q.member);
  const FrameBalance& f = run.frames;
  text += fmt::format("{} {} {} {} {}\n", f.made, f.arrived, f.lost, f.dropped, f.underway);
  for (const BearerResult& b : run.bearers)
    text += fmt::format("{} {} {:.17g} {:.17g} {}\n", b.ue, b.delivered, b.sojourn, b.carried,
                        b.uplink_delivered);
  return text;
}

// Link headers are left out: a stage may turn the one of the other direction around, which a tunnel's is not.
class PacketHash : public ByteHash {
 public:
  void frame(dp::Time at, dp::Side side, dp::Bytes bytes) override {
    ByteHash::frame(at, side, bytes.subspan(kLinkHeader));
  }
};

struct Point {
  const char *name, *file;
  std::vector<std::string> flags;
};
void PrintTo(const Point& point, std::ostream* out) { *out << point.name; }

const Point kScenarios[] = {
    {"red", "aqm.yaml", {"classes.bearer.downlink.aqm=red"}},
    {"codel", "aqm.yaml", {"classes.bearer.downlink.aqm=codel"}},
    {"fq_codel", "aqm.yaml", {"classes.bearer.downlink.aqm=fq-codel", "flows.0.count=4"}},
    {"um", "um.yaml", {"duration=20s"}},
    {"ack_rate_over_am", "000-fig14.yaml", {"duration=30s"}},
    {"sbd_over_am", "002-fig14.yaml", {}},
    {"split", "003-split.yaml", {"duration=100s", "classes.mobile.proxy=split"}},
    {"cell", "001-web.yaml", {"duration=20s", "measure_from=5s"}},
    {"window_regulator",
     "path.yaml",
     {"duration=20s", "classes.bearer.downlink.buffer.sdus=50",
      "classes.bearer.uplink.ack=[window-regulator]"}},
    {"snoop", "004-fda.yaml", {"duration=20s", "classes.mobile.uplink.ack=[snoop]"}},
    {"fda", "004-fda.yaml", {"duration=20s", "classes.mobile.uplink.ack=[fda, new-snoop]"}},
};

class InTunnels : public ::testing::TestWithParam<Point> {
 protected:
  void expect_alike(const std::vector<std::string>& tunnels) {
    const Point& point = GetParam();
    std::vector<std::string> flags = point.flags;
    const Scenario bare = scenario_of(point.file, flags);
    flags.insert(flags.end(), tunnels.begin(), tunnels.end());
    const Scenario tunnelled = scenario_of(point.file, flags);
    ASSERT_TRUE(!bare.gtp_u && tunnelled.gtp_u);
    PacketHash expected, found;
    const RunResult without = simulate(bare, 3, &expected), within = simulate(tunnelled, 3, &found);
    EXPECT_GT(within.frames.arrived, 300u);
    EXPECT_EQ(within.frames.damaged, 0u);
    EXPECT_EQ(within.frames.residue, 0);
    EXPECT_EQ(told(within), told(without));
    EXPECT_EQ(found.value(), expected.value()) << "another octet or another time at a host";
  }
};

TEST_P(InTunnels, IsTheRunWithout) { expect_alike({"gtp_u={}"}); }
TEST_P(InTunnels, IsTheRunWithoutIn5GOverIpv6) {
  expect_alike({"gtp_u={core: '2001:db8:1::1', radio: '2001:db8:1::2', qfi: 9, checksum: no}"});
}

INSTANTIATE_TEST_SUITE_P(Scenarios, InTunnels, ::testing::ValuesIn(kScenarios),
                         [](const auto& param) { return std::string(param.param.name); });

// The tunnels of what comes to the box.
class Watched : public Observer {
 public:
  explicit Watched(const Scenario& scenario) : gtp_u_(gtp_u_of(*scenario.gtp_u)) {}

  void offered(dp::Time, dp::Side side, dp::Bytes frame) override {
    dp::Sdu sdu{};
    sdu.data = const_cast<std::byte*>(frame.data());  // only read
    sdu.frame_len = sdu.head_len = static_cast<std::uint32_t>(frame.size());
    sdu.segments = 1;
    if (dp::parse_any(sdu, &gtp_u_) != dp::GtpUVerdict::peeled) {
      ++others;
      return;
    }
    const auto direction = direction_from(side);
    teids[{dp::ue_address(sdu, direction).lo, direction}].insert(dp::tunnel_key(sdu).teid);
  }
  void handed_over(dp::Time at, std::size_t) override { handovers.push_back(at); }
  void tunnel_ended(dp::Time at, std::size_t, std::uint64_t late) override {
    ends.push_back(at);
    this->late.push_back(late);
  }

  std::map<std::pair<std::uint64_t, dp::Direction>, std::set<std::uint32_t>> teids;
  std::size_t others = 0;
  std::vector<dp::Time> handovers, ends;
  std::vector<std::uint64_t> late;

 private:
  dp::GtpUSettings gtp_u_;
};

TEST(LabTunnels, EachUeHasATeidOfItsOwnInEachDirection) {
  const Scenario s = scenario_of("001-web.yaml", {"duration=20s", "measure_from=5s", "gtp_u={}"});
  Watched seen(s);
  simulate(s, 1, &seen);
  ASSERT_GT(seen.teids.size(), 2u);
  std::set<std::uint32_t> all;
  for (const auto& [ue, teids] : seen.teids) {
    EXPECT_EQ(teids.size(), 1u);
    all.insert(teids.begin(), teids.end());
  }
  EXPECT_EQ(all.size(), seen.teids.size());
  EXPECT_EQ(seen.others, 0u);
}

// Ten handovers of a UE whose buffer is full.
class LabHandovers : public ::testing::Test {
 protected:
  static constexpr std::size_t kTimes = 10;

  RunResult run(const std::string& on_handover, const std::vector<std::string>& more = {}) {
    std::string changes = "changes=[";
    for (std::size_t i = 0; i < kTimes; ++i)
      changes += fmt::format("{{at: {}ms, ue: 10.45.0.2, handover: yes}}, ", 5000 + 1300 * i);
    std::vector<std::string> flags{"gtp_u={on_handover: " + on_handover + "}", changes + "]",
                                   "classes.a.downlink.rate=1M"};
    flags.insert(flags.end(), more.begin(), more.end());
    const Scenario s = shaped(flags);
    seen.emplace(s);
    const RunResult result = simulate(s, 1, &*seen);
    testing::expect_balance(result);
    EXPECT_EQ(seen->handovers.size(), kTimes);
    EXPECT_EQ(seen->others, kTimes) << "end markers";
    EXPECT_EQ(seen->teids.size(), 2u);
    for (const auto& [ue, teids] : seen->teids)
      EXPECT_EQ(teids.size(), ue.second == dp::Direction::downlink ? kTimes + 1 : 1u);
    return result;
  }

  std::optional<Watched> seen;
};

// A frame of a tunnel after its end marker would count as damaged.
TEST_F(LabHandovers, KeepLetsThePacketsThatWaitLeaveInTheFormerTunnelBeforeItsMarker) {
  const RunResult bare = simulate(shaped({"classes.a.downlink.rate=1M"}), 1);
  const RunResult result = run("keep");
  ASSERT_EQ(seen->ends.size(), kTimes);
  for (std::size_t i = 0; i < kTimes; ++i) {
    EXPECT_GT(seen->late[i], 5u);
    EXPECT_GT(seen->ends[i] - seen->handovers[i], std::chrono::milliseconds{50}) << "of 12 ms each";
  }
  EXPECT_EQ(result.flows[0].goodput_1460, bare.flows[0].goodput_1460);
  EXPECT_EQ(result.flows[0].retransmissions, bare.flows[0].retransmissions);
}

TEST_F(LabHandovers, RewriteTakesThemToTheNewTunnelAndItsMarkerLeavesAtOnce) {
  const RunResult bare = simulate(shaped({"classes.a.downlink.rate=1M"}), 1);
  const RunResult result = run("rewrite");
  ASSERT_EQ(seen->ends.size(), kTimes);
  for (std::size_t i = 0; i < kTimes; ++i) {
    EXPECT_LE(seen->late[i], 4u) << "until the first packet in the new tunnel has come";
    EXPECT_LT(seen->ends[i] - seen->handovers[i], std::chrono::milliseconds{50});
  }
  EXPECT_EQ(result.flows[0].goodput_1460, bare.flows[0].goodput_1460) << "nothing is lost or reordered";
  EXPECT_EQ(result.flows[0].retransmissions, bare.flows[0].retransmissions);
}

TEST_F(LabHandovers, SendLetsThemLeaveAtOnce) {
  run("send");
  ASSERT_EQ(seen->ends.size(), kTimes);
  for (std::size_t i = 0; i < kTimes; ++i) {
    EXPECT_GT(seen->late[i], 5u);
    EXPECT_LT(seen->ends[i] - seen->handovers[i], std::chrono::milliseconds{50});
  }
}

TEST_F(LabHandovers, StandInTheTrace) {
  const Scenario s = shaped({"gtp_u={}", "changes=[{at: 5s, ue: 10.45.0.2, handover: yes}]"});
  TraceRecorder trace(s);
  simulate(s, 1, &trace);
  const auto of = [&](std::string_view event) {
    return std::ranges::count(trace.events(), event, &TraceEvent::event);
  };
  EXPECT_EQ(of("handover"), 1);
  EXPECT_EQ(of("end-marker"), 1);
  EXPECT_NE(trace.csv().find("5.000000000,handover,10.45.0.2,1,"), std::string::npos);
}

// Frames as a faulty box would send them.
class FrameInTunnel : public ::testing::Test {
 protected:
  dp::Sdu& wrapped() {
    dp::Sdu& sdu = pool_.allocate();
    const dp::test::Buffer frame = dp::test::frame({.dst = "10.45.0.2", .payload = 100});
    std::ranges::copy(frame, sdu.data);
    finish_frame(sdu, frame.size() - kLinkHeader, false);
    tunnels.wrap(sdu, 0, dp::Direction::downlink);
    return sdu;
  }
  Tunnels::Outcome::Kind outcome(dp::Sdu& sdu) { return tunnels.unwrap(sdu, dp::Direction::downlink).kind; }

  Tunnels tunnels{TunnelSettings{.qfi = 5}, 2};

 private:
  FramePool pool_;
};

using Kind = Tunnels::Outcome::Kind;

TEST_F(FrameInTunnel, IsTheFrameBeforeItsTunnel) {
  dp::Sdu& sdu = wrapped();
  EXPECT_EQ(outcome(sdu), Kind::packet);
  const dp::test::Buffer frame = dp::test::frame({.dst = "10.45.0.2", .payload = 100});
  EXPECT_TRUE(std::ranges::equal(packet_of(sdu), dp::Bytes(frame).subspan(kLinkHeader)));
}

TEST_F(FrameInTunnel, IsDamagedWithAnOctetOfItsHeadersOrItsPacketChanged) {
  for (std::size_t at = 12; at < wrapped().frame_len; ++at) {
    if (at == kLinkHeader + 20 || at == kLinkHeader + 21) continue;  // the source port is free
    dp::Sdu& sdu = wrapped();
    sdu.data[at] ^= std::byte{0x11};
    EXPECT_EQ(outcome(sdu), Kind::damaged) << at;
  }
}

TEST_F(FrameInTunnel, IsDamagedBareOrBehindItsEndMarkerOrInTheOtherDirection) {
  dp::Sdu &bare = wrapped(), &late = wrapped(), &marker = wrapped(), &other = wrapped();
  ASSERT_EQ(outcome(bare), Kind::packet);
  EXPECT_EQ(outcome(bare), Kind::damaged);
  EXPECT_EQ(tunnels.unwrap(other, dp::Direction::uplink).kind, Kind::damaged);
  tunnels.hand_over(0, marker);
  EXPECT_EQ(outcome(marker), Kind::end_marker);
  EXPECT_EQ(outcome(late), Kind::damaged);
  EXPECT_EQ(outcome(wrapped()), Kind::packet);
}

}  // namespace
}  // namespace lab
