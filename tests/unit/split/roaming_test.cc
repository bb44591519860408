// A bearer with a split proxy goes from worker to worker amid a transfer: its connections, what is counted of
// them and their timers come along.
#include <functional>
#include <map>
#include <optional>

#include "dataplane/tcp/receiver.h"
#include "dataplane/tcp/sender.h"
#include "tests/support/mesh_bench.h"
#include "tests/support/runs.h"

namespace dp::test {
namespace {

using namespace std::chrono_literals;

// A source and a UE on either side of a box of two workers, with delays between; polled every half
// millisecond, or every two where runs are divided (runs.h).
class SplitRoaming {
 public:
  const Duration kTick = 500us * (4 / runs_of(4));
  static constexpr std::uint32_t kWindow = 65'536;

  explicit SplitRoaming(bool moves) : moves_(moves) {
    BearerSettings settings{.downlink = shaped(1'000'000)};
    settings.downlink.buffer.sdus = 20;
    settings.proxy = SplitConfig{.window = kWindow, .idle = 20s};
    box.add(0, settings);
    home_ = at_ = box.owner(0);
    TcpSenderSettings sender;
    sender.congestion = SackReno::Config{};
    TcpReceiverSettings receiver;
    receiver.window = 200'000;
    receiver.window_scale = 4;
    const TcpPath path{{false, 0, 0xc0000201}, {false, 0, kFirstUe}, 80, 40'000};
    source.emplace(sender, path, 0xffff0000u);
    ue.emplace(receiver, path.reversed(), 77u);
    ue->verify(true);
    source->listen();
    ue->connect();
  }

  void run_for(Duration time) {
    for (const Time end = box.clock.now() + time; box.clock.now() < end;) {
      box.clock.advance(kTick);
      if (moves_ && !moving_ && ++since_ % 5 == 0) move();
      arrive();
      box.poll_all();
      box.poll_all();
      collect();
      emit();
      for (const auto& [bearer, worker] : box.arrivals()) at_ = worker, moving_ = false, ++moves;
      hold_books();
      if (testing::Test::HasFatalFailure()) return;
    }
  }

  SplitProxy& proxy() { return *box.bearers[0]->proxy; }
  const ClassSplitCounters& counters(unsigned w) const { return box.shared(w).classes[0].split; }
  template <class Member>
  std::uint64_t sum(Member&& member) const {
    return member(counters(0)).get() + member(counters(1)).get();
  }

  Box box{2};
  std::optional<TcpSender> source;
  std::optional<TcpReceiver> ue;
  std::function<bool(std::size_t n)> radio_loses;  // the n-th frame to the UE, from 0
  std::vector<Time> to_ue;                         // frames with data that left for it
  std::optional<Ip> router;                        // takes no packet of more than kNarrow bytes
  std::size_t refused = 0, told = 0;               // packets by it, and servers of that
  unsigned moves = 0;
  static constexpr std::uint16_t kNarrow = 540;

  void move_once() {
    move();
    while (moving_) run_for(kTick);
  }

 private:
  void move() {
    Bearer* const bearer = box.bearers[0].get();
    at_ == home_ ? box.command(home_, LendBearer{bearer, 1 - home_})
                 : box.command(home_, CallHome{bearer, at_});
    moving_ = true;
  }
  void arrive() {
    for (; !events_.empty() && events_.begin()->first <= box.clock.now(); events_.erase(events_.begin())) {
      const auto& [to_box, side, frame] = events_.begin()->second;
      if (to_box) {
        box.io.offer(side, TestFrame(frame, side));
      } else if (side == Side::core) {
        source->on_segment(*read_tcp(Bytes(frame).subspan(14)), box.clock.now());
      } else {
        ue->on_segment(*read_tcp(Bytes(frame).subspan(14)), box.clock.now());
      }
    }
  }
  void collect() {
    for (auto& sent : std::exchange(box.io.sent, {})) {
      const Bytes packet = Bytes(sent.bytes).subspan(14);
      if (packet[9] == std::byte{1}) {
        EXPECT_EQ(sent.side, Side::core);
        ++told;
        continue;
      }
      EXPECT_TRUE(tcp_checksums_right(packet));
      if (sent.side == Side::radio) {
        if (!read_tcp(packet)->payload.empty()) to_ue.push_back(sent.at);
        if (radio_loses && radio_loses(frames_++)) continue;
        if (router && packet.size() > kNarrow) {
          ++refused;
          fly(true, Side::radio, too_big(*router, sent.bytes, kNarrow));
          continue;
        }
      }
      fly(false, sent.side, sent.bytes);
    }
  }
  void emit() {
    const Time now = box.clock.now();
    std::array<std::byte, 2000> packet;
    for (std::size_t n; (n = source->emit(now, packet)) != 0;) send(Side::core, Bytes(packet).first(n));
    for (std::size_t n; (n = ue->emit(now, packet)) != 0;) send(Side::radio, Bytes(packet).first(n));
  }
  void send(Side side, Bytes packet) {
    Buffer frame = bytes({2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00});
    frame.insert(frame.end(), packet.begin(), packet.end());
    fly(true, side, std::move(frame));
  }
  void fly(bool to_box, Side side, Buffer frame) {
    const Duration delay = side == Side::core ? 20ms : 30ms;
    events_.emplace(box.clock.now() + delay, Event{to_box, side, std::move(frame)});
  }

  // The proxy counts at the worker that has it, and only there.
  void hold_books() {
    for (unsigned w = 0; w < 2; ++w) {
      ASSERT_EQ(box.snapshot(w).residue(), 0);
      const bool here = !moving_ && w == at_;
      const ClassSplitCounters& counted = counters(w);
      const std::uint64_t split = counted.flows[0].get() + counted.flows[1].get();
      if (here || !moving_) {
        ASSERT_EQ(split, here ? proxy().split() : 0u);
        ASSERT_EQ(box.context(w).proxy_store.taken(), split * SplitFlow::Capacity(kWindow).segments);
      }
      if (!moving_ && !here) {
        ASSERT_EQ(counted.stored_bytes.get() + counted.at_risk_bytes.get(), 0u);
        ASSERT_EQ(box.account(w).retained, 0u);
      }
    }
    Holdings kept;
    proxy().add_to(kept);
    if (!moving_) {
      ASSERT_EQ(box.account(at_).retained, kept.retained);
    }
  }

  struct Event {
    bool to_box;
    Side side;
    Buffer frame;
  };
  std::multimap<Time, Event> events_;
  bool moves_, moving_ = false;
  unsigned home_ = 0, at_ = 0;
  std::size_t since_ = 0, frames_ = 0;
};

TEST(SplitRoaming, AConnectionWhoseBearerMovesAllTheTimeIsServedLikeOneWhoseBearerStays) {
  std::array<std::uint64_t, 2> again{};
  for (const bool moves : {false, true}) {
    SplitRoaming path(moves);
    path.radio_loses = [](std::size_t n) { return n % 41 == 40; };
    path.source->offer(400'000);
    path.source->close();
    for (int i = 0; i < 60 && !path.ue->finished(); ++i) path.run_for(500ms);
    path.run_for(1s);
    EXPECT_TRUE(path.source->all_acked());
    EXPECT_EQ(path.ue->stats().delivered_bytes, 400'000u);
    EXPECT_EQ(path.ue->stats().corrupt, 0u);
    EXPECT_EQ(path.proxy().split(), 0u);
    EXPECT_GT(path.sum([](auto& c) -> auto& { return c.acked_bytes; }), 390'000u);
    EXPECT_EQ(path.sum([](auto& c) -> auto& { return c.resets[index(SplitReset::removed)]; }), 0u);
    again[moves] = path.sum([](auto& c) -> auto& { return c.retransmissions; });
    EXPECT_GT(again[moves], 5u);
    if (moves) {
      EXPECT_GT(path.moves, 300u);
    }
  }
  EXPECT_LE(again[1], 2 * again[0]);
}

// The UE falls silent: what is due then is due at the same time wherever the bearer is.
TEST(SplitRoaming, TimeoutsComeAtTheirTimeWhereverTheBearerIs) {
  std::array<std::vector<Time>, 2> sent;
  for (const bool moves : {false, true}) {
    SplitRoaming path(moves);
    path.source->offer(30'000);
    path.run_for(2s);
    ASSERT_EQ(path.ue->stats().delivered_bytes, 30'000u);
    ASSERT_EQ(path.proxy().split(), 1u);
    path.radio_loses = [](std::size_t) { return true; };
    path.to_ue.clear();
    path.source->offer(1'000);
    path.run_for(16s);
    sent[moves] = path.to_ue;
    EXPECT_EQ(path.sum([](auto& c) -> auto& { return c.timeouts; }), 4u);
    EXPECT_EQ(path.sum([](auto& c) -> auto& { return c.at_risk_bytes; }), 1'000u);
    path.radio_loses = nullptr;
    path.run_for(20s);
    EXPECT_EQ(path.ue->stats().delivered_bytes, 31'000u);
    EXPECT_EQ(path.sum([](auto& c) -> auto& { return c.at_risk_bytes; }), 0u);
    EXPECT_EQ(path.proxy().split(), 1u);
    path.run_for(25s);
    EXPECT_EQ(path.proxy().split(), 0u) << "an idle one is let go in time";
  }
  ASSERT_EQ(sent[0].size(), 5u);
  ASSERT_EQ(sent[1].size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_LE(sent[1][i] - sent[0][i], 10ms) << i;
    EXPECT_GE(sent[1][i], sent[0][i] - 10ms) << i;
  }
}

// RFC 1191, with one worker the home of the router's address, and one that has the bearer.
TEST(SplitRoaming, ARouterIsHeardWhereverItsAddressAndTheBearerAre) {
  for (const bool visits : {false, true}) {
    for (const bool is_ue : {false, true}) {
      std::array<unsigned, 2> routers{};
      for (std::uint32_t n = 1; n < 5; ++n) {
        SplitRoaming path(false);
        SCOPED_TRACE(testing::Message() << (visits ? "away, " : "at home, ") << "router " << n);
        if (is_ue) path.box.add(n, shaped(1'000'000));
        ++routers[path.box.owner(n)];
        if (visits) path.move_once();
        path.source->offer(60'000);
        path.run_for(2s);
        ASSERT_EQ(path.ue->stats().delivered_bytes, 60'000u);
        ASSERT_EQ(path.proxy().split(), 1u);
        path.router = Ip(kFirstUe + n);
        path.source->offer(60'000);
        path.run_for(6s);
        EXPECT_EQ(path.ue->stats().delivered_bytes, 120'000u);
        EXPECT_EQ(path.ue->stats().corrupt, 0u);
        EXPECT_GT(path.refused, 0u);
        EXPECT_EQ(path.told, path.refused) << "whoever hears it, the server is told once";
        EXPECT_EQ(path.sum([](auto& c) -> auto& { return c.timeouts; }), 0u);
      }
      EXPECT_GT(routers[0], 0u);
      EXPECT_GT(routers[1], 0u);
    }
  }
}

TEST(SplitRoaming, ADrainIsHeardOfWhereTheBearerHasCome) {
  SplitRoaming path(true);
  path.source->offer_unbounded();
  path.run_for(3s);
  ASSERT_EQ(path.proxy().split(), 1u);
  for (int i = 0; i < 20; ++i) {
    for (unsigned w = 0; w < 2; ++w) path.box.command(w, DrainProxies{.on = true});
    path.run_for(100ms);
  }
  EXPECT_EQ(path.proxy().split(), 0u);
  EXPECT_EQ(path.sum([](auto& c) -> auto& { return c.at_risk_bytes; }), 0u);
  const std::uint64_t before = path.ue->stats().delivered_bytes;
  path.run_for(2s);
  EXPECT_GT(path.ue->stats().delivered_bytes, before) << "it goes on, unsplit";
}

}  // namespace
}  // namespace dp::test
