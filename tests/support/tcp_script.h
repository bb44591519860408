// One TCP engine with the test as its peer: timed scripts in the manner of packetdrill. Data is counted in
// segments of 1000 bytes, from 0; `0, 1, 2` is what went out first.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/tcp/receiver.h"
#include "dataplane/tcp/sender.h"
#include "tests/support/tcp_bench.h"

namespace dp::test {

inline constexpr std::uint16_t kScriptMss = 1000;

// An ACK that the test sends as the sender's peer.
struct AckSpec {
  std::uint32_t window = 60'000;                    // on the wire, before scaling
  std::vector<std::pair<Offset, Offset>> blocks{};  // segments
  std::optional<TcpOption::Timestamps> timestamps{};
  std::uint8_t flags = TcpView::kAck;
};

inline TcpSenderSettings script_sender() {
  TcpSenderSettings s;
  s.mss = kScriptMss;
  s.initial_window = 1;
  s.limited_transmit = false;
  s.sack = false;
  s.window_scaling = false;
  return s;
}

class SenderScript {
 public:
  explicit SenderScript(const TcpSenderSettings& settings, std::uint32_t seq = 7'000)
      : sender(settings, test_path(), seq), own_(seq) {}

  // The handshake, which takes `rtt`. Segments sent at its end are in drain().
  void open(const AckSpec& answer = {}, Duration rtt = {}, std::optional<std::uint8_t> scale = std::nullopt) {
    sender.connect();
    EXPECT_EQ(drain_segments().size(), 1u);
    wait(rtt);
    TcpSegment s = segment(0, answer);
    s.ack = own_.wire(1);
    s.seq = kPeerSeq;
    s.flags = TcpView::kSyn | TcpView::kAck;
    s.mss = kScriptMss;
    s.window_scale = scale;
    s.sack_permitted = true;
    sender.on_segment(s, clock.now());
  }

  // ACK of everything before segment `next`.
  void ack(Offset next, const AckSpec& spec = {}) {
    sender.on_segment(segment(next * kScriptMss, spec), clock.now());
  }
  void ack_bytes(Offset next, const AckSpec& spec = {}) {
    sender.on_segment(segment(next, spec), clock.now());
  }
  void duplicates(int n, Offset next, const AckSpec& spec = {}) {
    for (int i = 0; i < n; ++i) ack(next, spec);
  }

  void wait(Duration d) { clock.advance(d); }
  // To the next deadline; gives how long that took.
  Duration sleep() {
    const Time before = clock.now();
    EXPECT_NE(sender.next_deadline(), kNever);
    clock.set(std::max(before, sender.next_deadline()));
    return clock.now() - before;
  }

  std::vector<TcpSegment> drain_segments() {
    std::vector<TcpSegment> out;
    while (const std::size_t n = sender.emit(clock.now(), buffer_)) {
      EXPECT_TRUE(tcp_checksums_right({buffer_.data(), n}));
      out.push_back(*read_tcp({buffer_.data(), n}));
      EXPECT_TRUE(Pattern::matches(out.back().seq, out.back().payload));
      out.back().payload = {buffer_.data(), out.back().payload.size()};  // its length counts
    }
    return out;
  }
  // The segments with data that go out now.
  std::vector<Offset> drain() {
    std::vector<Offset> out;
    for (const auto& s : drain_segments()) {
      if (!s.payload.empty()) out.push_back((own_.offset(s.seq, 1) - 1) / kScriptMss);
    }
    return out;
  }
  double cwnd() const { return sender.cwnd() / kScriptMss; }
  double ssthresh() const { return sender.ssthresh() / kScriptMss; }

  static constexpr std::uint32_t kPeerSeq = 50'000;
  ManualClock clock{at_ms(1000)};
  TcpSender sender;

 private:
  TcpSegment segment(Offset bytes, const AckSpec& spec) const {
    TcpSegment s;
    s.seq = kPeerSeq + 1;
    s.ack = own_.wire(bytes + 1);
    s.flags = spec.flags;
    s.window = static_cast<std::uint16_t>(spec.window);
    s.timestamps = spec.timestamps;
    for (const auto& [left, right] : spec.blocks)
      s.add_block({own_.wire(left * kScriptMss + 1), own_.wire(right * kScriptMss + 1)});
    return s;
  }

  SeqSpace own_;
  std::array<std::byte, 4096> buffer_;
};

// Ten segments are out, ssthresh is low enough that the window grows slowly.
inline TcpSenderSettings ten_out(CongestionConfig kind) {
  TcpSenderSettings s = script_sender();
  s.initial_window = 10;
  s.initial_ssthresh = 10'000;
  s.congestion = std::move(kind);
  return s;
}

class Opened : public SenderScript {
 public:
  explicit Opened(const TcpSenderSettings& settings) : SenderScript(settings) {
    sender.offer_unbounded();
    open();
    EXPECT_EQ(drain().size(), 10u);
  }
  explicit Opened(CongestionConfig kind) : Opened(ten_out(std::move(kind))) {}
};

class ReceiverScript {
 public:
  explicit ReceiverScript(const TcpReceiverSettings& settings, std::uint32_t peer_seq = 70'000)
      : receiver(settings, test_path().reversed(), 400), peer_(peer_seq) {
    receiver.verify(true);
  }

  // The peer's SYN with these options, and the ACK that ends the handshake.
  void open(bool sack = true, std::optional<std::uint32_t> stamp = std::nullopt,
            std::optional<std::uint8_t> scale = std::nullopt) {
    receiver.listen();
    TcpSegment s;
    s.seq = peer_.wire(0);
    s.flags = TcpView::kSyn;
    s.mss = kScriptMss;
    s.sack_permitted = sack;
    s.window_scale = scale;
    if (stamp) s.timestamps = TcpOption::Timestamps{*stamp, 0};
    receiver.on_segment(s, clock.now());
    const auto answer = drain();
    ASSERT_EQ(answer.size(), 1u);
    syn_ack = answer[0];
    TcpSegment a;
    a.seq = peer_.wire(1);
    a.ack = answer[0].seq + 1;
    a.flags = TcpView::kAck;
    a.window = 65'535;
    if (stamp) a.timestamps = TcpOption::Timestamps{*stamp, 0};
    receiver.on_segment(a, clock.now());
    EXPECT_TRUE(drain().empty());
  }

  // Segments [from, to) come as one each.
  void data(Offset from, Offset to, std::optional<std::uint32_t> stamp = std::nullopt) {
    for (Offset i = from; i < to; ++i) bytes(i * kScriptMss, kScriptMss, TcpView::kAck, stamp);
  }
  TcpReceiver::Arrival bytes(Offset position, std::size_t size, std::uint8_t flags = TcpView::kAck,
                             std::optional<std::uint32_t> stamp = std::nullopt) {
    TcpSegment s;
    s.seq = peer_.wire(position + 1);
    s.ack = 401;
    s.flags = flags;
    s.window = 65'535;
    if (stamp) s.timestamps = TcpOption::Timestamps{*stamp, 0};
    payload_.resize(size);
    Pattern::fill(s.seq, payload_);
    s.payload = payload_;
    return receiver.on_segment(s, clock.now());
  }

  std::vector<TcpSegment> drain() {
    std::vector<TcpSegment> out;
    while (const std::size_t n = receiver.emit(clock.now(), buffer_)) {
      EXPECT_TRUE(tcp_checksums_right({buffer_.data(), n}));
      out.push_back(*read_tcp({buffer_.data(), n}));
    }
    return out;
  }
  // The numbers in the ACKs that go out now, in segments.
  std::vector<Offset> acks() {
    std::vector<Offset> out;
    for (const auto& s : drain()) out.push_back((peer_.offset(s.ack, 1) - 1) / kScriptMss);
    return out;
  }
  // The SACK blocks of the one ACK that goes out now, in segments.
  std::vector<std::pair<Offset, Offset>> blocks() {
    const auto sent = drain();
    EXPECT_EQ(sent.size(), 1u);
    std::vector<std::pair<Offset, Offset>> out;
    for (std::size_t i = 0; !sent.empty() && i < sent[0].block_count; ++i) {
      out.emplace_back((peer_.offset(sent[0].blocks[i].left, 1) - 1) / kScriptMss,
                       (peer_.offset(sent[0].blocks[i].right, 1) - 1) / kScriptMss);
    }
    return out;
  }

  ManualClock clock{at_ms(1000)};
  TcpReceiver receiver;
  TcpSegment syn_ack;

 private:
  SeqSpace peer_;
  std::vector<std::byte> payload_;
  std::array<std::byte, 256> buffer_;
};

}  // namespace dp::test
