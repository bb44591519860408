// 5,000 segments a second of strangers to a UE that opens connections meanwhile, over a round trip of 150 ms:
// all of its connections are split, for all segments of the strangers and all answers of the UE.
#include "tests/support/worker_bench.h"

namespace dp::test {
namespace {

using namespace std::chrono_literals;

class Flood : public WorkerBench {
 protected:
  static constexpr std::uint8_t kAck = TcpView::kAck, kSyn = TcpView::kSyn, kRst = TcpView::kRst;
  static constexpr std::uint32_t kConnections = 20;

  // A segment of a stranger, and the UE's answer.
  struct Kind {
    const char* name;
    std::uint8_t flags;
    std::size_t payload;
    std::uint8_t answer;  // flags; 0: nothing
  };
  static constexpr Kind kKinds[] = {
      {"SYNs to ports behind a firewall", kSyn, 0, 0},
      {"SYNs to closed ports", kSyn, 0, kRst | kAck},
      {"SYNs to an open port", kSyn, 0, kSyn | kAck},
      {"SYN-ACKs", kSyn | kAck, 0, kRst},
      {"ACKs", kAck, 0, kRst},
      {"data, unanswered", kAck, 500, 0},
      {"data", kAck, 500, kRst},
      {"resets", kRst, 0, 0},
  };

  static BearerSettings settings() {
    BearerSettings settings = bearer_at(100'000'000, 5'000);
    settings.proxy = SplitConfig{.window = 16'384, .max_flows = 2 * kConnections, .store = 1 << 20};
    return settings;
  }
  void say(Side side, Ip peer, std::uint16_t peer_port, std::uint16_t ue_port, std::uint8_t flags,
           std::uint32_t seq, std::uint32_t ack, std::size_t payload = 0) {
    const bool up = side == Side::radio;
    FrameSpec spec{.src = up ? kUe : peer, .dst = up ? peer : kUe};
    spec.sport = up ? ue_port : peer_port;
    spec.dport = up ? peer_port : ue_port;
    spec.seq = seq;
    spec.ack = (flags & kAck) == 0 ? 0 : ack;
    spec.tcp_flags = flags;
    spec.payload = payload;
    io.offer(side, TestFrame(spec, side));
    settle();
    io.sent.clear();
  }
  // The flood goes on for so long. A UE's answer comes 50 ms after what it is to.
  void flood(const Kind& kind, Duration time) {
    constexpr Duration kEach = 200us;
    constexpr std::uint32_t kBehind = 50ms / kEach;
    for (Duration past{}; past < time; past += kEach, ++strangers_) {
      const auto peer = [](std::uint32_t n) { return Ip(0xc6330000u + n % 60'000); };
      const auto port = [&](std::uint32_t n) {
        return static_cast<std::uint16_t>(kind.answer == (kSyn | kAck) ? 22 : 1'000 + n % 30'000);
      };
      say(Side::core, peer(strangers_), 4'444, port(strangers_), kind.flags, 77, 88, kind.payload);
      if (kind.answer != 0 && strangers_ >= kBehind) {
        const std::uint32_t to = strangers_ - kBehind;
        say(Side::radio, peer(to), 4'444, port(to), kind.answer, 88, 78);
      }
      run_until(clock.now() + kEach);
    }
  }
  void open(const Kind& kind, std::uint16_t port) {
    say(Side::radio, kServer, 443, port, kSyn, 100, 0);
    flood(kind, 100ms);
    say(Side::core, kServer, 443, port, kSyn | kAck, 1'000, 101);
    flood(kind, 50ms);
    say(Side::radio, kServer, 443, port, kAck, 101, 1'001);
    flood(kind, 50ms);
  }

  static inline const Ip kUe{"10.45.0.2"}, kServer{"192.0.2.1"};
  std::uint32_t strangers_ = 0;
};

TEST_F(Flood, OfStrangersLeavesEveryConnectionThatTheUeOpensSplit) {
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(kind.name);
    Bearer& bearer = add(ue_ipv4(0x0a2d0002), settings());
    for (std::uint32_t n = 0; n < std::max(2u, runs_of(kConnections)); ++n) {
      const auto port = static_cast<std::uint16_t>(40'000 + n);
      open(kind, port);
      say(Side::core, kServer, 443, port, kAck, 1'001, 101, 500);
      EXPECT_EQ(bearer.proxy->split(), n + 1);
    }
    command(RemoveBearer{&bearer});
    io.sent.clear();
  }
}

// All that the UE opens at once wait for their answers.
TEST_F(Flood, OfStrangersLeavesConnectionsThatTheUeOpensTogetherSplit) {
  const Duration time = std::chrono::milliseconds{std::max(200u, runs_of(1'000))};
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(kind.name);
    Bearer& bearer = add(ue_ipv4(0x0a2d0002), settings());
    const auto each = [&](auto&& speak) {
      for (std::uint16_t n = 0; n < kConnections; ++n) speak(static_cast<std::uint16_t>(40'000 + n));
    };
    each([&](std::uint16_t port) { say(Side::radio, kServer, 443, port, kSyn, 100, 0); });
    flood(kind, time);
    each([&](std::uint16_t port) { say(Side::core, kServer, 443, port, kSyn | kAck, 1'000, 101); });
    flood(kind, time);
    each([&](std::uint16_t port) { say(Side::radio, kServer, 443, port, kAck, 101, 1'001); });
    flood(kind, time);
    each([&](std::uint16_t port) { say(Side::core, kServer, 443, port, kAck, 1'001, 101, 500); });
    EXPECT_EQ(bearer.proxy->split(), kConnections);
    command(RemoveBearer{&bearer});
    io.sent.clear();
  }
}

// A chain that keeps segments: those of strangers take no place from the UE's.
TEST_F(Flood, OfDataOfNoConnectionIsNotKeptByStages) {
  BearerSettings settings = bearer_at(100'000'000, 5'000);
  settings.uplink.ack.stages = 1;
  settings.uplink.ack.stage[0] = SnoopSpec::Config{};
  Bearer& bearer = add(ue_ipv4(0x0a2d0002), settings);
  const Kind& unanswered = kKinds[5];
  flood(unanswered, 1s);
  EXPECT_EQ(worker->context().account.retained, 0u);
  open(unanswered, 40'000);
  flood(unanswered, 1s);
  say(Side::core, kServer, 443, 40'000, kAck, 1'001, 101, 500);
  run_until(clock.now() + 10ms);
  EXPECT_EQ(worker->context().account.retained, 1u) << "the UE's own is";
  command(RemoveBearer{&bearer});
}

}  // namespace
}  // namespace dp::test
