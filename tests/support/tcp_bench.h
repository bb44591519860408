// A TCP sender and a receiver joined by two rows of hops (wire.h) under a manual clock. The test decides
// which packets are lost; a log keeps every packet that either end wrote. The sender opens the connection by
// default.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/tcp/receiver.h"
#include "dataplane/tcp/sender.h"
#include "tests/support/wire.h"

namespace dp::test {

inline Duration ms(double v) { return Duration{static_cast<std::int64_t>(v * 1e6)}; }
inline Time at_ms(double v) { return Time{} + ms(v); }
inline Duration operator""_ms(unsigned long long v) {
  return Duration{static_cast<std::int64_t>(v) * 1'000'000};
}

inline TcpPath test_path(bool ipv6 = false) {
  if (ipv6) return {{true, 0x20010db8'00000000, 1}, {true, 0x20010db8'00450000, 2}, 5001, 40000};
  return {{false, 0, 0xc0000201}, {false, 0, 0x0a2d0002}, 5001, 40000};
}

struct BenchSpec {
  TcpSenderSettings sender{};
  TcpReceiverSettings receiver{};
  std::vector<HopSpec> forward{{.delay = ms(50)}};
  std::vector<HopSpec> backward{{.delay = ms(50)}};
  std::uint32_t sender_seq = 1'000, receiver_seq = 9'000;
  bool ipv6 = false;
  bool receiver_connects = false;
};

class TcpBench {
 public:
  struct Packet {
    Time at;  // when it was written
    std::vector<std::byte> bytes;
    TcpSegment segment;         // the parsed `bytes`
    TcpSender::Emitted sent{};  // the sender's record
    bool lost = false;
  };
  // True if the nth packet (from 0) on its way into a hop is lost there.
  using Losses = std::function<bool(std::size_t n, const Packet&)>;

  explicit TcpBench(const BenchSpec& spec)
      : sender(spec.sender, test_path(spec.ipv6), spec.sender_seq),
        receiver(spec.receiver, test_path(spec.ipv6).reversed(), spec.receiver_seq),
        receiver_connects_(spec.receiver_connects) {
    for (const auto& h : spec.forward) forward.emplace_back(h);
    for (const auto& h : spec.backward) backward.emplace_back(h);
    receiver.verify(true);
  }

  void open() {
    if (opened_) return;
    opened_ = true;
    if (receiver_connects_) {
      sender.listen();
      receiver.connect();
    } else {
      receiver.listen();
      sender.connect();
    }
    flush();
  }

  void run_until(Time end) {
    open();
    for (Time next = next_event(); next <= end; next = next_event()) step(next);
    if (end > clock.now()) clock.set(end);
  }

  // Until everything offered is acknowledged; false if that takes longer than `limit`.
  bool run_to_end(Time limit) {
    open();
    for (Time next = next_event(); next <= limit; next = next_event()) {
      step(next);
      if (sender.all_acked()) return true;
    }
    return false;
  }

  // Drops a hop's packets; `hop` counts from the host that wrote them.
  void lose_data(Losses losses, std::size_t hop = 0) { lose_data_ = {std::move(losses), hop, 0}; }
  void lose_acks(Losses losses) { lose_acks_ = {std::move(losses), 0, 0}; }

  std::vector<Offset> retransmitted() const {
    std::vector<Offset> out;
    for (const auto& p : data) {
      if (p.sent.retransmission) out.push_back(p.sent.position);
    }
    return out;
  }

  ManualClock clock;
  TcpSender sender;
  TcpReceiver receiver;
  std::vector<Hop> forward, backward;
  std::vector<Packet> data, acks;  // as written
  std::function<void(const TcpReceiver::Arrival&, const Packet&)> on_arrival;
  std::function<void(Packet&)> on_way_back;          // may rewrite an ACK
  std::function<void(const Packet&)> beside_sender;  // all it writes, and all that comes to it

 private:
  struct Loss {
    Losses losses{};
    std::size_t hop = 0, seen = 0;
  };
  struct Event {
    bool down;
    std::size_t hop, packet;
  };

  Time next_event() const {
    const Time timers = std::min(sender.next_deadline(), receiver.next_deadline());
    return events_.empty() ? timers : std::min(timers, events_.begin()->first);
  }

  void step(Time next) {
    if (next > clock.now()) clock.set(next);
    if (!events_.empty() && events_.begin()->first <= clock.now()) {
      const Event e = events_.begin()->second;
      events_.erase(events_.begin());
      arrive(e);
    }
    flush();
  }

  void arrive(const Event& e) {
    auto& row = e.down ? forward : backward;
    Packet& p = (e.down ? data : acks)[e.packet];
    if (e.hop < row.size()) {
      enter(e, row[e.hop], p);
    } else if (e.down) {
      const auto arrival = receiver.on_segment(*read_tcp(p.bytes), clock.now());
      if (on_arrival) on_arrival(arrival, p);
    } else {
      if (on_way_back) on_way_back(p);
      if (beside_sender) beside_sender(p);
      sender.on_segment(*read_tcp(p.bytes), clock.now());
    }
  }

  void enter(const Event& e, Hop& hop, Packet& p) {
    Loss& loss = e.down ? lose_data_ : lose_acks_;
    if (loss.losses && loss.hop == e.hop && loss.losses(loss.seen++, p)) {
      p.lost = true;
      return;
    }
    const auto out = hop.pass(clock.now(), p.bytes.size());
    p.lost = !out;
    if (out) events_.emplace(*out, Event{e.down, e.hop + 1, e.packet});
  }

  void flush() {
    while (write(true)) {
    }
    while (write(false)) {
    }
  }

  bool write(bool down) {
    const Time now = clock.now();
    const std::size_t n = down ? sender.emit(now, buffer_) : receiver.emit(now, buffer_);
    if (n == 0) return false;
    auto& log = down ? data : acks;
    log.push_back({now, {buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(n)}, {}});
    Packet& p = log.back();
    EXPECT_TRUE(tcp_checksums_right(p.bytes));
    p.segment = *read_tcp(p.bytes);
    p.segment.payload = {};  // would point into a buffer that moves
    if (down) p.sent = sender.last();
    if (down && beside_sender) beside_sender(p);
    arrive({down, 0, log.size() - 1});
    return true;
  }

  std::array<std::byte, 65'536> buffer_;
  std::multimap<Time, Event> events_;
  Loss lose_data_, lose_acks_;
  bool receiver_connects_, opened_ = false;
};

}  // namespace dp::test
