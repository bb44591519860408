// The language of the flow table's tests: segments of both ends as real frames, parsed and followed in the
// way of the uplink's chain; the test's clock is `now`.
#pragma once
#include <chrono>
#include <initializer_list>
#include <utility>

#include <gtest/gtest.h>

#include "dataplane/flow/table.h"
#include "dataplane/flow/track.h"
#include "tests/support/frames.h"

namespace dp::test {

using namespace std::chrono_literals;

inline constexpr std::uint8_t kSyn = TcpView::kSyn, kAck = TcpView::kAck, kFin = TcpView::kFin,
                              kRst = TcpView::kRst;

// TCP options, padded by NOPs in front.
inline Buffer options(std::initializer_list<Buffer> list) {
  Buffer all;
  for (const Buffer& one : list) detail::put(all, one);
  while (all.size() % 4 != 0) all.insert(all.begin(), std::byte{1});
  return all;
}
inline Buffer mss(unsigned bytes_) { return bytes({2, 4, bytes_ >> 8, bytes_ & 0xff}); }
inline Buffer scale(unsigned shift) { return bytes({3, 3, shift}); }
inline Buffer sack_permitted() { return bytes({4, 2}); }
inline Buffer stamps(std::uint32_t value, std::uint32_t echo) {
  Buffer out = bytes({8, 10});
  detail::put32(out, value);
  detail::put32(out, echo);
  return out;
}
inline Buffer blocks(std::initializer_list<std::pair<std::uint32_t, std::uint32_t>> list) {
  Buffer out = bytes({5, static_cast<unsigned>(2 + 8 * list.size())});
  for (const auto& [left, right] : list) {
    detail::put32(out, left);
    detail::put32(out, right);
  }
  return out;
}

// One segment, of either end.
struct Say {
  std::uint32_t seq = 0;
  std::uint32_t ack = 0;
  std::uint8_t flags = kAck;
  std::size_t payload = 0;
  std::uint16_t window = 65535;
  Buffer options{};
};

struct Ends {
  Ip peer = "192.0.2.1";
  Ip ue = "10.45.0.2";
  std::uint16_t peer_port = 80, ue_port = 40000;
  std::vector<VlanTag> vlans{};
};

// A frame and what the flow table reads of it.
class Spoken {
 public:
  Spoken(const Ends& ends, const Say& say, Direction direction) : frame_(spec(ends, say, direction)) {
    parse(frame_.sdu());
    const auto read = flow_segment(frame_.sdu(), direction);
    if (!read) fail("not a TCP segment");
    segment_.emplace(*read);
  }
  const FlowSegment& segment() const { return *segment_; }

 private:
  static FrameSpec spec(const Ends& ends, const Say& say, Direction direction) {
    const bool down = direction == Direction::downlink;
    return {.vlans = ends.vlans,
            .src = down ? ends.peer : ends.ue,
            .dst = down ? ends.ue : ends.peer,
            .sport = down ? ends.peer_port : ends.ue_port,
            .dport = down ? ends.ue_port : ends.peer_port,
            .seq = say.seq,
            .ack = say.ack,
            .tcp_flags = say.flags,
            .window = say.window,
            .tcp_options = say.options,
            .payload = say.payload};
  }

  TestFrame frame_;
  std::optional<FlowSegment> segment_;
};

// A table and one connection through it.
class FlowBench : public testing::Test {
 protected:
  Flow& down(const Say& say) {
    const Spoken spoken(ends, say, Direction::downlink);
    Flow& flow = follow(spoken.segment(), Direction::downlink);
    track_downlink(flow, spoken.segment(), now);
    table.touch(flow);
    return flow;
  }
  // It leaves for the source at once.
  Acknowledgement up(const Say& say) {
    const Spoken spoken(ends, say, Direction::uplink);
    const Acknowledgement seen = hold(spoken);
    track_forwarded(flow(), spoken.segment(), now);
    return seen;
  }
  Acknowledgement hold(const Say& say) { return hold(Spoken(ends, say, Direction::uplink)); }
  Acknowledgement hold(const Spoken& spoken) {
    Flow& flow = follow(spoken.segment(), Direction::uplink);
    const Acknowledgement seen = track_uplink(flow, spoken.segment(), now);
    table.touch(flow);
    return seen;
  }
  void leave(const Say& say) { track_forwarded(flow(), Spoken(ends, say, Direction::uplink).segment(), now); }
  void dequeue(const Say& say) { track_dequeue(flow(), Spoken(ends, say, Direction::downlink).segment()); }
  Flow& flow() { return *table.find(key()); }
  // The key that flow_segment() reads of a segment.
  FlowKey key() const {
    const auto hi = [](const Ip& ip) { return ip.ipv6 ? load64(ip.raw.data()) : 0; };
    const auto lo = [](const Ip& ip) { return ip.ipv6 ? load64(ip.raw.data() + 8) : load32(ip.raw.data()); };
    return {.ue_hi = hi(ends.ue),
            .ue_lo = lo(ends.ue),
            .peer_hi = hi(ends.peer),
            .peer_lo = lo(ends.peer),
            .ue_port = ends.ue_port,
            .peer_port = ends.peer_port,
            .ipv6 = ends.ue.ipv6};
  }

  // The UE connects: its data begin at 101, the source's at 1001.
  void open(const Buffer& ue_options = {}, const Buffer& source_options = {}) {
    up({.seq = 100, .flags = kSyn, .options = ue_options});
    const Say answer{.seq = 1000, .ack = 101, .flags = kSyn | kAck, .options = source_options};
    down(answer);
    dequeue(answer);
    up({.seq = 101, .ack = 1001});
  }
  // An ACK of the UE, which has sent no data since open().
  Acknowledgement ack(std::uint32_t number, std::uint16_t window = 65535, const Buffer& with = {}) {
    return up({.seq = 101, .ack = number, .window = window, .options = with});
  }
  // Data of the source, dequeued at once.
  void data(std::uint32_t seq, std::size_t payload) {
    down({.seq = seq, .ack = 101, .payload = payload});
    dequeue({.seq = seq, .ack = 101, .payload = payload});
  }

  Ends ends{};
  Time now{};
  FlowTable table{{.flows = 16}, 1};
  unsigned restarts = 0;

 private:
  Flow& follow(const FlowSegment& segment, Direction direction) {
    Flow& flow = *table.obtain(segment.key, claim_of(segment.tcp, direction), now, [](Flow&) {});
    if (is_new_connection(flow, segment, direction, now)) {
      table.restart(flow, claim_of(segment.tcp, direction), now);
      ++restarts;
    }
    return flow;
  }
};

}  // namespace dp::test
