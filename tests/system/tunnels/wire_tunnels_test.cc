// The wire's XDP program and the workers' parsing agree about frames with and without tunnels: the frames of
// the short-cut, and the worker that has a frame (dataplane/xdp/prefix_tries.h). Runs the program in the
// kernel on each frame. Needs root; works in a network namespace of its own that ends with it.
#include <array>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <gtest/gtest.h>
#include <linux/bpf.h>
#include <net/if.h>
#include <sched.h>
#include <sys/socket.h>

#include "dataplane/base/owner.h"
#include "dataplane/packet/parse.h"
#include "dataplane/packet/too_big.h"
#include "dataplane/xdp/program.h"
#include "dataplane/xdp/wire.h"
#include "tests/support/tunnel_frames.h"

namespace dp::xdp {
namespace {

using test::between_peers;
using test::Buffer;
using test::Ip;
using test::kKnownUe4;
using test::packet_of;
using test::TestFrame;
using test::tunnelled;
using test::TunnelSpec;

constexpr unsigned kWorkers = 4, kReceiver = 0;
constexpr std::size_t kNormal = WIRE_TO_WORKER, kBypass = WIRE_BYPASSED, kShortcut = WIRE_SHORTCUT;

std::string hex(const Buffer& frame) {
  std::string out;
  for (const std::byte octet : frame) {
    for (const unsigned shift : {4u, 0u}) out += "0123456789abcdef"[unsigned(octet) >> shift & 15];
  }
  return out;
}

// The frame as the workers see it.
struct Judgement {
  GtpUVerdict verdict;
  FrameKind kind;
  bool has_ue = false;  // its UE's address counts
  bool known = false;
  bool icmp = false;
  unsigned home = 0;
};

Judgement judge(const Buffer& bytes, Side side, const GtpUSettings* gtp_u) {
  TestFrame frame(bytes, side);
  Sdu& sdu = frame.sdu();
  Judgement out{.verdict = parse_any(sdu, gtp_u), .kind = sdu.kind};
  out.has_ue = sdu.kind == FrameKind::ip || sdu.kind == FrameKind::routing;
  if (!out.has_ue) return out;
  const IpAddress ue = ue_address(sdu, direction_from(side));
  out.known = ue.ipv6 ? ue.hi == 0x20010db800450000 : ue.lo == 0x0a2d0002;  // kKnownUe6, kKnownUe4
  out.icmp = is_icmp(sdu);
  out.home = owner_of(ue.ipv6 ? ue.hi : ue.lo, kWorkers);
  return out;
}

class WireTunnels : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_EQ(unshare(CLONE_NEWNET), 0) << "a network namespace needs root";
    // The kernel runs no program for tests that reads VLAN tags beside frames, as a veth's does.
    ASSERT_EQ(std::system("ip tuntap add rnd-a mode tap && ip link set rnd-a up && "
                          "ip tuntap add rnd-c mode tap && ip link set rnd-c up"),
              0);
  }
  void SetUp() override {
    for (const Side side : kSides) {
      ASSERT_TRUE(wire.attach(side));
      sockets[index(side)] = Descriptor(::socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0));
      ASSERT_TRUE(wire.give(side, 0, sockets[index(side)].get()));
      ASSERT_TRUE(wire.assign(side, 0, kReceiver));
      programs[index(side)] = Descriptor(bpf_prog_get_fd_by_id(wire.program(side)));
      ASSERT_TRUE(programs[index(side)]);
    }
    auto maps = maps_of(programs[0]);
    counts = take(maps, "rncd_counts", sizeof(wire_counts));
    ASSERT_TRUE(counts);
    ASSERT_TRUE(wire.expect(kWorkers, true));
    for (const char* ues : {"10.45.0.2/32", "2001:db8:45::/64"})
      ASSERT_TRUE(wire.shortcut()->add(*parse_prefix(ues)));
    kill(kWorkers);
  }

  // Worker `dead` hangs, the others live.
  void kill(unsigned dead) {
    for (unsigned worker = 0; worker < kWorkers; ++worker) {
      wire.heartbeat(worker)->beat = worker == dead ? 1 : std::numeric_limits<std::uint64_t>::max();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the program looks once a tick
  }
  // Frames of the side so far, by their fate.
  std::array<std::uint64_t, WIRE_FATES> counted(Side side) const {
    const auto key = static_cast<std::uint32_t>(index(side));
    std::vector<wire_counts> cpus(static_cast<std::size_t>(libbpf_num_possible_cpus()));
    EXPECT_EQ(bpf_map_lookup_elem(counts.get(), &key, cpus.data()), 0);
    std::array<std::uint64_t, WIRE_FATES> sums{};
    for (const wire_counts& cpu : cpus) {
      for (std::size_t fate = 0; fate < WIRE_FATES; ++fate) sums[fate] += cpu.frames[fate];
    }
    return sums;
  }
  // The fate of the frame in the kernel's program.
  std::size_t fate_of(const Buffer& frame, Side side) const {
    const auto before = counted(side);
    xdp_md context{};
    context.data_end = static_cast<std::uint32_t>(frame.size());
    context.ingress_ifindex = ::if_nametoindex(wire.interfaces()[index(side)].c_str());
    LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = frame.data(), .data_size_in = std::uint32_t(frame.size()),
                .ctx_in = &context, .ctx_size_in = sizeof(context));
    EXPECT_EQ(bpf_prog_test_run_opts(programs[index(side)].get(), &run), 0) << hex(frame);
    const auto after = counted(side);
    std::size_t found = WIRE_FATES;
    for (std::size_t fate = 0; fate < WIRE_FATES; ++fate) {
      if (after[fate] == before[fate]) continue;
      EXPECT_EQ(after[fate], before[fate] + 1);
      found = fate;
    }
    return found;
  }

  // Checks the short-cut for strangers against what the workers would do; true if the frame took it.
  bool expect_agreement(const Buffer& frame, Side side, const GtpUSettings* gtp_u) const {
    const Judgement worker = judge(frame, side, gtp_u);
    const std::size_t fate = fate_of(frame, side);
    const bool in_tunnel = worker.verdict != GtpUVerdict::bare;
    const bool passes = worker.kind != FrameKind::gtp_u && worker.kind != FrameKind::truncated &&
                        !(worker.has_ue && worker.known);
    if (fate == kShortcut) {
      EXPECT_TRUE(passes) << name(side) << ", verdict " << int(worker.verdict) << ": " << hex(frame);
    } else {
      EXPECT_EQ(fate, kNormal);
    }
    const bool plain = worker.has_ue && !worker.icmp && in_tunnel;
    if (plain && !worker.known && !has_ipv6_extensions(frame, side, gtp_u)) {
      EXPECT_EQ(fate, kShortcut) << name(side) << ": " << hex(frame);
    }
    return fate == kShortcut;
  }
  // True for a frame in which the program leaves it to the worker to follow IPv6 extension headers.
  static bool has_ipv6_extensions(const Buffer& bytes, Side side, const GtpUSettings* gtp_u) {
    TestFrame frame(bytes, side);
    Sdu& sdu = frame.sdu();
    (void)parse_any(sdu, gtp_u);
    const auto extends = [&](std::size_t ip) {
      return load8(sdu.data + ip) >> 4 == 6 && sdu.l4_protocol != load8(sdu.data + ip + 6);
    };
    const bool outer6 = load8(sdu.data + sdu.outer_offset) >> 4 == 6;
    return extends(sdu.l3_offset) || (outer6 && load8(sdu.data + sdu.outer_offset + 6) != 17);
  }

  Wire wire{{"rnd-a", "rnd-c"}, {}};
  std::array<Descriptor, 2> sockets, programs;
  Descriptor counts;
  GtpUSettings tunnels = test::tunnels_of_tests();
};

// The kernel follows all ways through the program each time that it is loaded, which a start waits for.
TEST_F(WireTunnels, AStartDoesNotWaitForTheKernelsVerifier) {
  bpf_prog_info info{};
  std::uint32_t size = sizeof(info);
  ASSERT_EQ(bpf_obj_get_info_by_fd(programs[0].get(), &info, &size), 0);
  if (info.verified_insns == 0) GTEST_SKIP() << "Linux before 5.16 does not tell the instructions verified";
  EXPECT_LT(info.verified_insns, 20'000u);
}

TEST_F(WireTunnels, TheShortcutTakesOnlyWhatTheWorkersWouldPass) {
  ASSERT_TRUE(wire.shortcut()->take(Shortcut::strangers));
  for (const GtpUSequence sequence : {GtpUSequence::observe, GtpUSequence::ignore}) {
    tunnels.sequence = sequence;
    for (const bool on : {true, false}) {
      const GtpUSettings* const gtp_u = on ? &tunnels : nullptr;
      ASSERT_TRUE(wire.set_gtp_u(on ? tunnels : GtpUSettings{}));
      for (const Side side : kSides) {
        std::array<unsigned, 2> taken{};
        for (const Buffer& frame : test::frames_with_tunnels(side))
          ++taken[expect_agreement(frame, side, gtp_u)];
        EXPECT_GT(taken[1], 500u);
        EXPECT_GT(taken[0], on ? 500u : 0u);
      }
    }
  }
}

TEST_F(WireTunnels, AgreesOnFramesWithRandomOctets) {
  ASSERT_TRUE(wire.shortcut()->take(Shortcut::strangers));
  ASSERT_TRUE(wire.set_gtp_u(tunnels));
  std::mt19937 random(42);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  for (const Side side : kSides) {
    const std::vector<Buffer> all = test::frames_with_tunnels(side);
    for (int i = 0; i < 10'000; ++i) {
      Buffer frame = all[below(all.size())];
      for (std::size_t changes = 1 + below(3); changes > 0; --changes)
        frame[below(std::min<std::size_t>(frame.size(), 120))] = std::byte(below(256));
      if (below(4) == 0) frame.resize(14 + below(frame.size() - 14));
      expect_agreement(frame, side, &tunnels);
      if (HasFailure()) return;
    }
  }
}

TEST_F(WireTunnels, AFrameIsOfTheWorkerThatHasTheUserWithinTheTunnel) {
  ASSERT_TRUE(wire.set_gtp_u(tunnels));
  for (unsigned dead = 0; dead < kWorkers; ++dead) {
    kill(dead);
    for (const Side side : kSides) {
      std::array<unsigned, 2> bypassed{};
      for (std::uint32_t n = 0; n < 32; ++n) {
        for (const bool ipv6 : {false, true}) {
          const Ip ue = ipv6 ? Ip(0x20010db800450000 + n, 2) : Ip(0x0a2d0000 + n);
          for (const TunnelSpec& form : test::forms_of_tunnels(side)) {
            if (n % 8 != 0 && (form.extensions.size() > 2 || !form.vlans.empty())) continue;
            const Buffer frame = tunnelled(form, packet_of(ue, side));
            const Judgement worker = judge(frame, side, &tunnels);
            if (worker.verdict == GtpUVerdict::bare && !worker.has_ue) continue;
            const bool expected = dead == kReceiver || (worker.has_ue && worker.home == dead);
            EXPECT_EQ(fate_of(frame, side), expected ? kBypass : kNormal) << dead << ": " << hex(frame);
            ++bypassed[expected];
          }
        }
      }
      EXPECT_GT(bypassed[1], 50u);
      if (dead != kReceiver) {
        EXPECT_GT(bypassed[0], 50u);
      }
    }
  }
}

// The wire without rncd carries all frames.
TEST_F(WireTunnels, TunnelsCrossWithoutWorkers) {
  ASSERT_TRUE(wire.shortcut()->take(Shortcut::strangers));
  ASSERT_TRUE(wire.set_gtp_u(tunnels));
  for (unsigned worker = 0; worker < kWorkers; ++worker) wire.heartbeat(worker)->beat = 0;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  for (const Side side : kSides) {
    for (const Buffer& frame : test::other_frames_between_peers(side))
      EXPECT_EQ(fate_of(frame, side), kBypass) << hex(frame);
    for (const TunnelSpec& form : test::forms_of_tunnels(side))
      EXPECT_EQ(fate_of(tunnelled(form, packet_of(kKnownUe4, side)), side), kBypass);
  }
}

TEST_F(WireTunnels, OtherEndpointsAndPortsReplaceTheFormer) {
  ASSERT_TRUE(wire.shortcut()->take(Shortcut::strangers));
  const Buffer before = tunnelled(between_peers(false, Side::core), packet_of(kKnownUe4, Side::core));
  const TunnelSpec next{.src = "203.0.113.1", .dst = "203.0.113.2", .dport = 2153};
  const Buffer after = tunnelled(next, packet_of(kKnownUe4, Side::core));
  ASSERT_TRUE(wire.set_gtp_u(tunnels));
  EXPECT_EQ(fate_of(before, Side::core), kNormal);
  EXPECT_EQ(fate_of(after, Side::core), kShortcut);
  GtpUSettings others{.peers = {{*parse_prefix("203.0.113.0/30")}}, .ports = {2152, 2153}};
  ASSERT_TRUE(wire.set_gtp_u(others));
  EXPECT_EQ(fate_of(before, Side::core), kShortcut);
  EXPECT_EQ(fate_of(after, Side::core), kNormal);
  // The largest number of endpoints.
  others.peers.clear();
  for (std::uint64_t n = 0; n < GtpUSettings::kMostPeers; ++n)
    others.peers.push_back({{.length = 32, .lo = 0xcb007100 + n}});
  ASSERT_TRUE(wire.set_gtp_u(others));
  EXPECT_EQ(fate_of(after, Side::core), kNormal);
  ASSERT_TRUE(wire.set_gtp_u({}));
  EXPECT_EQ(fate_of(after, Side::core), kShortcut);
}

// The next rncd takes the wire over: what is known of tunnels stays until it says otherwise.
TEST_F(WireTunnels, StayWhenTheWireIsTakenOver) {
  ASSERT_TRUE(wire.set_gtp_u(tunnels));
  Wire next({"rnd-a", "rnd-c"}, {});
  for (const Side side : kSides) ASSERT_TRUE(next.attach(side));
  ASSERT_EQ(next.program(Side::core), wire.program(Side::core));
  ASSERT_TRUE(next.shortcut()->take(Shortcut::strangers));
  const Buffer frame = tunnelled(between_peers(false, Side::core), packet_of(kKnownUe4, Side::core));
  EXPECT_EQ(fate_of(frame, Side::core), kNormal);
  ASSERT_TRUE(next.set_gtp_u({}));
  EXPECT_EQ(fate_of(frame, Side::core), kShortcut);
}

}  // namespace
}  // namespace dp::xdp
