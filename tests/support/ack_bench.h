// The load of contract tests of ACK stages: downloads whose source follows the ACKs that reach it, and UEs
// that also send data, duplicates, SACK blocks and other windows. Each uplink segment bears its number (in a
// timestamp); frames that leave for the core are compared with the UE's segments.
#pragma once
#include <algorithm>
#include <deque>
#include <memory>
#include <set>
#include <vector>

#include "dataplane/ack/registry.h"
#include "dataplane/tcp/segment.h"
#include "tests/support/worker_bench.h"

namespace dp::test {

class AckBench : public WorkerBench {
 protected:
  static constexpr UeAddress kUe = ue_ipv4(0x0a2d0002);
  static constexpr Duration kTick{5'000'000};
  static constexpr std::uint32_t kSegment = 1000;
  static constexpr std::uint8_t kShift = 3;

  // An uplink segment as the UE sent it.
  struct Said {
    std::uint32_t ack;
    std::uint16_t window;
    bool pure;
  };
  // One connection: its source, its UE, and the fate of the segments that the UE sent.
  struct Peer {
    Ip ue, server;
    std::uint16_t port;
    std::uint32_t isn;          // the source's
    std::uint32_t window = 20;  // segments that the source has under way at most
    std::uint32_t edge = 20;    // segments that the window advertised to it allows
    std::uint32_t next = 0;     // segment to be sent
    std::uint32_t acked = 0;    // segments acknowledged to the source
    Time progress{};            // time of the last such ACK
    bool stopped = false;
    std::uint32_t wanted = 0;  // segment that the UE waits for
    std::set<std::uint32_t> early{};
    std::uint32_t ue_next = 5001;  // the UE's own sequence number
    std::vector<Said> said{};
    std::size_t left = 0;  // entries of `said` below this one have left or never will

    std::uint32_t seq_of(std::uint32_t segment) const { return isn + 1 + kSegment * segment; }
  };

  static AckSettings chain_of(const std::vector<AckConfig>& stages) {
    AckSettings s;
    s.stages = static_cast<std::uint32_t>(stages.size());
    std::copy(stages.begin(), stages.end(), s.stage.begin());
    return s;
  }
  static BearerSettings shaped(const std::vector<AckConfig>& stages, std::uint64_t rate = 1'000'000) {
    BearerSettings s = bearer_at(rate, 50);
    s.uplink.ack = chain_of(stages);
    return s;
  }
  static BearerSettings over_air(const std::vector<AckConfig>& stages) {
    AmLinkConfig air;
    air.fer = 0.1;
    BearerSettings s = shaped(stages, 384'000);
    s.downlink.link = air;
    s.uplink.link = air;
    s.uplink.rate = s.downlink.rate;
    s.uplink.buffer = {1000};
    return s;
  }

  // Begins with another worker: all state and counters of the previous one are gone.
  void begin_anew(const WorkerLimits& limits = {.max_bearers = 4}) {
    worker.reset();
    io.sent.clear();
    io.released = io.allocated = 0;
    clock.set(time_ns(1'000'000));
    worker = std::make_unique<BenchWorker>(clock, io, *shared, limits);
    peers.clear();
    answers_.clear();
    trace.clear();
    chance = Rng(1);
    offered_up = left_up = most_held = 0;
    answered_before_ = 0;
    answered_before_ = made_up();
  }

  // Connections of the UE, opened by it; their handshakes are seen.
  void open(std::size_t count, Ip ue = "10.45.0.2", Ip server = "192.0.2.1") {
    for (; count > 0; --count) {
      Peer& peer = add_peer(ue, server, static_cast<std::uint16_t>(40001 + peers.size()));
      shake_hands(peer);
    }
  }
  Peer& add_peer(Ip ue, Ip server, std::uint16_t port) {
    peers.push_back(std::make_unique<Peer>(Peer{ue, server, port, 0xffff0000u + port}));
    peers.back()->progress = clock.now();
    return *peers.back();
  }
  void shake_hands(Peer& peer) {
    say(peer,
        {.tcp_flags = TcpView::kSyn, .tcp_options = bytes({2, 4, 5, 180, 1, 3, 3, kShift, 1, 1, 4, 2})});
    settle();
    FrameSpec answer{.src = peer.server,
                     .dst = peer.ue,
                     .sport = 80,
                     .dport = peer.port,
                     .seq = peer.isn,
                     .ack = peer.ue_next,
                     .tcp_flags = TcpView::kSyn | TcpView::kAck,
                     .tcp_options = bytes({2, 4, 5, 180, 1, 3, 3, 7, 1, 1, 4, 2}),
                     .payload = 0};
    io.offer(Side::core, answer);
    run_for(kTick);
    say(peer, {});
    run_for(kTick);
  }

  // The UE sends a segment: of `like` flags, options, window and payload count.
  void say(Peer& peer, FrameSpec like) {
    if (like.payload == FrameSpec{}.payload) like.payload = 0;
    if (like.window == FrameSpec{}.window) like.window = 7500;
    like.src = peer.ue, like.dst = peer.server, like.sport = peer.port, like.dport = 80;
    like.seq = like.tcp_flags == TcpView::kSyn ? peer.ue_next - 1 : peer.ue_next;
    like.ack = like.tcp_flags == TcpView::kSyn ? 0 : peer.seq_of(peer.wanted);
    detail::put(like.tcp_options, bytes({1, 1, 8, 10}));
    detail::put32(like.tcp_options, static_cast<std::uint32_t>(peer.said.size()));
    detail::put32(like.tcp_options, 0);
    const bool pure = like.payload == 0 && like.tcp_flags == TcpView::kAck;
    peer.said.push_back({like.ack, like.window, pure});
    peer.ue_next +=
        static_cast<std::uint32_t>(like.payload) + ((like.tcp_flags & TcpView::kFin) != 0 ? 1 : 0);
    ++offered_up;
    io.offer(Side::radio, like);
  }

  void run_for(Duration time) {
    for (const Time end = clock.now() + time; clock.now() < end;) {
      run_until(clock.now() + kTick);
      look();
      answer();
      for (auto& peer : peers) send(*peer);
      expect_only_pure_acks_wait();
      most_held = std::max(most_held, held());
    }
  }
  void stop() {
    for (auto& peer : peers) peer->stopped = true;
  }
  // Everything that was sent up has left, or was dropped with a reason, and nothing is held any more; in the
  // second after that nothing follows.
  void expect_all_left(Duration within = std::chrono::seconds{60}) {
    stop();
    const auto all_left = [&] { return held() == 0 && left_up + dropped_up() == offered_up + made_up(); };
    for (const Time end = clock.now() + within; clock.now() < end && !all_left();) run_for(kTick);
    run_for(std::chrono::seconds{1});
    EXPECT_EQ(held(), 0u);
    EXPECT_EQ(left_up + dropped_up(), offered_up + made_up());
  }
  // ACKs that stages have made: copies of one, and answers to what a source repeats.
  std::uint64_t made_up() const {
    std::uint64_t sum = worker->context().account.creations() - created_down();
    for (const auto& stage : shared->classes[0].acks.stages) sum += stage[index(AckEvent::answered)].get();
    return sum - answered_before_;
  }

  std::uint64_t dropped_up() const {
    std::uint64_t sum = 0;
    for (const FrameTotals& count : worker->context().account.dropped[index(Side::radio)])
      sum += count.frames;
    return sum;
  }
  std::uint64_t held() const { return worker->context().account.held; }
  std::uint64_t counted(std::size_t stage, AckEvent event) const {
    return shared->classes[0].acks.stages[stage][index(event)].get();
  }
  template <class Stage>
  std::uint64_t counted(AckEvent event) const {
    return counted(AckList::index_of(Stage::kName), event);
  }
  std::uint32_t progress() const {
    std::uint32_t sum = 0;
    for (const auto& peer : peers) sum += peer->acked;
    return sum;
  }

  std::vector<std::unique_ptr<Peer>> peers;
  Rng chance{1};
  std::uint64_t offered_up = 0, left_up = 0, most_held = 0;
  std::vector<std::int64_t> trace;  // time, side and number of what left

 private:
  struct Answer {
    Time at;
    Peer* peer;
    FrameSpec like;
  };

  Peer* peer_of(std::uint16_t port) {
    for (auto& peer : peers) {
      if (peer->port == port) return peer.get();
    }
    return nullptr;
  }

  void look() {
    for (auto& sent : io.sent) {
      TestFrame frame(sent.bytes, sent.side == Side::core ? Side::radio : Side::core);
      parse(frame.sdu());
      const bool up = sent.side == Side::core;
      const auto segment = flow_segment(frame.sdu(), up ? Direction::uplink : Direction::downlink);
      ASSERT_TRUE(segment);
      EXPECT_TRUE(tcp_checksums_right(frame.sdu().head().subspan(frame.sdu().l3_offset)));
      Peer* peer = peer_of(up ? segment->tcp.source_port() : segment->tcp.destination_port());
      trace.push_back(sent.at.time_since_epoch().count() * 2 + up);
      trace.push_back(up ? segment->tcp.ack() : segment->tcp.seq());
      if (peer != nullptr) up ? at_source(*peer, segment->tcp) : at_ue(*peer, *segment);
    }
    io.sent.clear();
  }

  static std::uint32_t number_of(const TcpView& tcp) {
    for (const TcpOption option : tcp.options()) {
      if (const auto stamps = option.timestamps()) return stamps->value;
    }
    return ~0u;
  }

  std::uint64_t created_down() const {
    std::uint64_t sum = 0;
    for (const FrameTotals& count : worker->context().account.created[index(Side::radio)])
      sum += count.frames;
    return sum;
  }

  void at_source(Peer& peer, const TcpView& tcp) {
    ++left_up;
    std::uint32_t number = number_of(tcp);
    // A stage may take the option out of SYNs.
    if (number == ~0u && tcp.has(TcpView::kSyn)) number = static_cast<std::uint32_t>(peer.left);
    ASSERT_LT(number, peer.said.size());
    // An ACK made by a stage repeats the last one, or one that was kept from the source.
    EXPECT_GE(number + (made_up() > 0 ? 1 : 0), peer.left) << "flow " << peer.port;
    peer.left = number + 1;
    EXPECT_EQ(tcp.ack(), peer.said[number].ack);
    EXPECT_LE(tcp.window(), peer.said[number].window);
    if (tcp.has(TcpView::kSyn) || tcp.has(TcpView::kRst)) return;
    const std::uint32_t acked = (tcp.ack() - peer.seq_of(0)) / kSegment;
    if (acked > peer.next) return;  // from an earlier connection
    peer.edge = std::max(peer.edge, acked + (std::uint32_t{tcp.window()} << kShift) / kSegment);
    if (acked <= peer.acked) return;
    peer.acked = acked;
    peer.progress = clock.now();
  }

  // An ACK for each segment; some come twice, with data, or with another window.
  void at_ue(Peer& peer, const FlowSegment& segment) {
    if (segment.payload == 0) return;
    const std::uint32_t number = (segment.tcp.seq() - peer.seq_of(0)) / kSegment;
    if (number > peer.next) return;  // from an earlier connection
    const bool early = number > peer.wanted;
    if (number >= peer.wanted) peer.early.insert(number);
    while (peer.early.erase(peer.wanted) != 0) ++peer.wanted;
    const Time at = clock.now() + 2 * kTick;
    FrameSpec like;
    if (early) {
      like.tcp_options = bytes({1, 1, 5, 10});
      detail::put32(like.tcp_options, peer.seq_of(number));
      detail::put32(like.tcp_options, peer.seq_of(number + 1));
    }
    if (chance.chance(0.02)) like.window = static_cast<std::uint16_t>(7000 + chance.below(500));
    if (chance.chance(0.02)) like.payload = 50;
    answers_.push_back({at, &peer, like});
    if (chance.chance(0.02)) answers_.push_back({at, &peer, {}});
  }

  void answer() {
    while (!answers_.empty() && answers_.front().at <= clock.now()) {
      Answer answer = std::move(answers_.front());
      answers_.pop_front();
      say(*answer.peer, std::move(answer.like));
    }
  }

  // From the last that was acknowledged again after a second without news.
  void send(Peer& peer) {
    if (peer.stopped) return;
    if (peer.acked > peer.next) peer.next = peer.acked;
    if (peer.next > peer.acked && clock.now() - peer.progress > std::chrono::seconds{1}) {
      peer.next = peer.acked;
      peer.progress = clock.now();
    }
    for (; peer.next < std::min(peer.edge, peer.acked + peer.window); ++peer.next) {
      io.offer(Side::core, {.src = peer.server,
                            .dst = peer.ue,
                            .sport = 80,
                            .dport = peer.port,
                            .seq = peer.seq_of(peer.next),
                            .ack = peer.ue_next,
                            .payload = kSegment});
    }
  }

  // Only now were they put before the port: what is no pure ACK leaves in the same poll, where the uplink is
  // a wire.
  void expect_only_pure_acks_wait() {
    settle();
    look();
    const auto& all = worker->table().all();
    if (dropped_up() > 0 || worker->context().mode != Mode::inline_) return;
    if (all.empty() || all.front()->uplink.buffers()) return;
    for (const auto& peer : peers) {
      for (std::size_t i = peer->left; i < peer->said.size(); ++i) {
        EXPECT_TRUE(peer->said[i].pure) << "flow " << peer->port << ", segment " << i;
      }
    }
  }

  std::deque<Answer> answers_;
  std::uint64_t answered_before_ = 0;  // by the stages of another day
};

}  // namespace dp::test
