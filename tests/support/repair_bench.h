// A bearer whose stages keep and repair segments, its source and its UE played by hand: what left by either
// port is read as the numbers of segments and of ACKs. Segments are of kSegment octets, the first is
// number 1.
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <vector>

#include "dataplane/flow/key.h"
#include "dataplane/packet/parse.h"
#include "dataplane/packet/tcp_checksum.h"
#include "tests/support/worker_bench.h"

namespace dp::test {

// The options of the connection's handshake, and the format of its frames.
struct ConnectionLooks {
  bool sack = false;
  bool stamps = false;
  bool ecn = false;
  Buffer more_options{};  // in both SYNs
  bool ipv6 = false;
  std::vector<VlanTag> vlans{};
  Mac next_hop{0x02, 0, 0, 0, 0, 0x02};  // the UE's, as the core knows it
};
struct AckLooks {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> blocks{};  // segments from, to before
  std::uint16_t window = 60000;
  std::size_t payload = 0;
  std::uint8_t flags = TcpView::kAck;
  Buffer options{};
};

class RepairBench : public WorkerBench {
 protected:
  static constexpr UeAddress kUe = ue_ipv4(0x0a2d0002);
  static constexpr std::uint32_t kSegment = 1000;
  static constexpr std::uint32_t kIsn = 0xffffe000;  // so that numbers wrap
  static constexpr std::uint32_t kUeIsn = 5000;
  static constexpr std::uint16_t kWindow = 60000;
  using Numbers = std::vector<std::uint32_t>;
  using Looks = ConnectionLooks;

  static BearerSettings keeping(const std::vector<AckConfig>& stages, std::uint64_t rate = 8'000'000,
                                std::uint32_t sdus = 128) {
    BearerSettings s = bearer_at(rate, sdus);
    s.uplink.ack.stages = static_cast<std::uint32_t>(stages.size());
    std::copy(stages.begin(), stages.end(), s.uplink.ack.stage.begin());
    return s;
  }

  void open(const Looks& how = {}, std::uint16_t port = 40000) {
    looks = how;
    say({.sport = port,
         .dport = 80,
         .seq = kUeIsn,
         .ack = 0,
         .tcp_flags =
             static_cast<std::uint8_t>(TcpView::kSyn | (how.ecn ? TcpView::kEce | TcpView::kCwr : 0)),
         .tcp_options = syn_options(how),
         .payload = 0});
    source({.sport = 80,
            .dport = port,
            .seq = kIsn,
            .ack = kUeIsn + 1,
            .tcp_flags =
                static_cast<std::uint8_t>(TcpView::kSyn | TcpView::kAck | (how.ecn ? TcpView::kEce : 0)),
            .tcp_options = syn_options(how),
            .payload = 0});
    run_for(5);
    ack(1, {}, port);
    look_away();
  }

  static std::uint32_t seq_of(std::uint32_t segment) { return kIsn + 1 + kSegment * (segment - 1); }

  // Segments `from` to `to` come from the source.
  void data(std::uint32_t from, std::uint32_t to, std::uint16_t port = 40000, std::uint8_t flags = 0x18) {
    for (std::uint32_t n = from; n <= to; ++n) {
      source({.sport = 80,
              .dport = port,
              .seq = seq_of(n),
              .ack = kUeIsn + 1,
              .tcp_flags = flags,
              .tcp_options = stamp_options(n, 0),
              .payload = kSegment});
    }
  }
  void data(std::uint32_t n) { data(n, n); }
  // `octets` of segment n from `from` on, sent by themselves.
  void piece(std::uint32_t n, std::uint32_t from, std::uint32_t octets) {
    source({.sport = 80,
            .dport = 40000,
            .seq = seq_of(n) + from,
            .ack = kUeIsn + 1,
            .tcp_flags = 0x18,
            .tcp_options = stamp_options(n, 0),
            .payload = octets});
  }
  // Nothing of a connection, but of the same UE.
  void chatter(Side from) {
    FrameSpec spec{.sport = 9, .dport = 9};
    spec.protocol = 17;
    from == Side::core ? source(spec) : say(spec);
  }
  // The UE waits for segment `n`.
  void ack(std::uint32_t n, const AckLooks& how = {}, std::uint16_t port = 40000) {
    Buffer options = stamp_options(++stamp_, n);
    if (!how.blocks.empty()) {
      detail::put(options, bytes({1, 1, 5, static_cast<unsigned>(2 + 8 * how.blocks.size())}));
      for (const auto& [left, right] : how.blocks) {
        detail::put32(options, seq_of(left));
        detail::put32(options, seq_of(right));
      }
    }
    detail::put(options, how.options);
    say({.sport = port,
         .dport = 80,
         .seq = kUeIsn + 1,
         .ack = seq_of(n),
         .tcp_flags = how.flags,
         .window = how.window,
         .tcp_options = options,
         .payload = how.payload});
  }
  void acks(std::uint32_t n, int times) {
    while (times-- > 0) ack(n);
  }

  void run_for(std::int64_t ms) { run_until(clock.now() + std::chrono::milliseconds(ms)); }

  // The frames that have left since the last call: segments for the UE, numbers for the source. A wrong
  // checksum in any of them fails the test.
  Numbers down() { return left(Side::radio); }
  Numbers up() { return left(Side::core); }
  void look_away() {
    io.sent.clear();
    seen_ = {};
  }

  std::uint64_t counted(AckEvent event, std::size_t stage = AckList::kSize) const {
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < AckList::kSize; ++k) {
      if (stage == AckList::kSize || k == stage) sum += shared->classes[0].acks.stages[k][index(event)].get();
    }
    return sum;
  }
  std::uint64_t kept() const { return shared->classes[0].acks.kept.get(); }
  std::uint64_t retained() const { return worker->context().account.retained; }
  std::uint64_t created(Creation why) const {
    std::uint64_t sum = 0;
    for (const auto& port : worker->context().account.created) sum += port[index(why)].frames;
    return sum;
  }
  static Flow& flow_of(Bearer& bearer) {
    Flow* found = nullptr;
    bearer.acks->flows().for_each([&](Flow& flow) { found = &flow; });
    EXPECT_NE(found, nullptr);
    return *found;
  }

  // A frame of the UE's, or of the source's.
  void say(FrameSpec spec) {
    dress(spec, true);
    io.offer(Side::radio, spec);
    settle();
  }
  void source(FrameSpec spec) {
    dress(spec, false);
    io.offer(Side::core, spec);
    settle();
  }

  Looks looks;

 private:
  static Buffer syn_options(const Looks& how) {
    Buffer options = bytes({2, 4, 3, 0xe8, 1, 3, 3, 0});  // MSS 1000, scale 0
    if (how.sack) detail::put(options, bytes({1, 1, 4, 2}));
    if (how.stamps) detail::put(options, bytes({1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0}));
    detail::put(options, how.more_options);
    return options;
  }
  Buffer stamp_options(std::uint32_t value, std::uint32_t echo) const {
    if (!looks.stamps) return {};
    Buffer options = bytes({1, 1, 8, 10});
    detail::put32(options, value);
    detail::put32(options, echo);
    return options;
  }

  void dress(FrameSpec& spec, bool up) const {
    const char* const ue = looks.ipv6 ? "2001:db8:45::2" : "10.45.0.2";
    const char* const server = looks.ipv6 ? "2001:db8:ffff::1" : "192.0.2.1";
    spec.src = Ip(up ? ue : server);
    spec.dst = Ip(up ? server : ue);
    spec.vlans = looks.vlans;
    (up ? spec.eth_src : spec.eth_dst) = looks.next_hop;
  }
  Numbers left(Side side) {
    Numbers out;
    std::size_t& from = seen_[index(side)];
    for (; from < io.sent.size(); ++from) {
      const auto& sent = io.sent[from];
      if (sent.side != side) continue;
      TestFrame frame(sent.bytes, opposite(side));
      parse(frame.sdu());
      const auto segment =
          flow_segment(frame.sdu(), side == Side::core ? Direction::uplink : Direction::downlink);
      EXPECT_TRUE(segment && tcp_checksum_right(frame.sdu()));
      if (!segment) continue;
      const std::uint32_t number = side == Side::core ? segment->tcp.ack() : segment->tcp.seq();
      out.push_back((number - seq_of(1)) / kSegment + 1);
    }
    return out;
  }

  std::array<std::size_t, 2> seen_{};
  std::uint32_t stamp_ = 100;
};

}  // namespace dp::test
