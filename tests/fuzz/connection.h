// A TCP connection of the target `connections`: a source and a sink, one at each side of the box. Either may
// be the UE's.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "dataplane/tcp/receiver.h"
#include "dataplane/tcp/sender.h"
#include "tests/fuzz/forge.h"
#include "tests/fuzz/input.h"
#include "tests/support/frames.h"

namespace dp::test {

class Connection {
 public:
  // An incarnation of the connection on `port`, by two octets of the input. Its numbers are far from those of
  // the one before.
  Connection(Input& input, std::uint16_t port, bool ipv6, unsigned incarnation) : ipv6_(ipv6) {
    const unsigned how = input.byte(), ends = input.byte();
    uploads_ = (how & 7) == 7;
    const TcpPath down =
        ipv6 ? TcpPath{{true, 0x20010db8'ffff0000, 1}, {true, 0x20010db8'00450000, 2}, 80, port}
             : TcpPath{{false, 0, 0xc0000201}, {false, 0, 0x0a2d0002}, 80, port};
    const TcpPath path = uploads_ ? down.reversed() : down;
    const std::uint32_t base = 0xffffe000u + incarnation * 0x31000000u;
    source_.emplace(source_settings(how), path, base);
    sink_.emplace(sink_settings(ends), path.reversed(), base ^ 0x40000000u);
    sink_->verify(true);
    offer(1 + input.byte());
    const bool source_opens = (how & 0x10) != 0;
    source_opens ? sink_->listen() : source_->listen();
    source_opens ? source_->connect() : sink_->connect();
  }

  // Kilobytes, or hundreds of bytes.
  void offer(unsigned amount) {
    if (closed_) return;
    const std::uint64_t bytes = amount < 200 ? amount * 100u : (amount - 190) * 1000u;
    offered_ += bytes;
    source_->offer(bytes);
  }
  void close() {
    closed_ = true;
    source_->close();
  }
  void read(bool on, Time now) { on ? sink_->resume(now) : sink_->pause(now); }
  // Its ends are switched off: they neither send nor receive any more.
  void vanish() { vanished_ = true; }

  Side side_of_source() const { return uploads_ ? Side::radio : Side::core; }
  bool of_source(Side side) const { return side == side_of_source(); }

  // A frame came to the end at that side.
  void arrive(Side side, Bytes frame, Time now) {
    if (vanished_) return;
    const auto segment = read_tcp(frame.subspan(kEthernet));
    if (!segment || is_spoilt(frame)) return;
    const bool dead = of_source(side) ? source_->failed() : sink_->failed();
    if (dead && !segment->has(TcpView::kRst)) refuse(side, *segment);
    of_source(side) ? source_->on_segment(*segment, now) : void(sink_->on_segment(*segment, now));
  }
  // The next frame of the end at that side; empty when there is none.
  Buffer emit(Side side, Time now) {
    if (vanished_) return {};
    if (auto& refusal = refusals_[index(side)]; !refusal.empty()) return std::exchange(refusal, {});
    const std::size_t n = of_source(side) ? source_->emit(now, memory_) : sink_->emit(now, memory_);
    if (n == 0) return {};
    if (of_source(side)) sent_ = std::max(sent_, source_->last().position + source_->last().payload);
    return framed(n);
  }
  Time next_deadline() const {
    return vanished_ ? kNever : std::min(source_->next_deadline(), sink_->next_deadline());
  }

  bool vanished() const { return vanished_; }
  bool whole() const { return source_->all_acked() && delivered() == offered_; }
  bool ended() const {
    const bool failed = source_->failed() || (sink_->failed() && !source_->established());
    return vanished_ || failed || (closed_ && source_->all_acked());
  }

  // The rule that this connection broke; null if it broke none, or if segments of it were forged.
  const char* fault() const {
    if (forged) return nullptr;
    if (sink_->stats().corrupt != 0) return "an octet other than its source sent";
    return delivered() <= static_cast<std::uint64_t>(sent_) ? nullptr : "octets that its source did not send";
  }

  bool forged = false;     // segments were sent in the name of its ends
  bool disturbed = false;  // a command may have reset it
  unsigned spared = 6;     // segments that the wires may still lose

 private:
  static TcpSenderSettings source_settings(unsigned how) {
    TcpSenderSettings s;
    s.initial_window = how & 0x20 ? 10 : 3;
    s.timestamps = (how & 0x40) != 0;
    s.sack = (how & 0x80) == 0;
    return s;
  }
  static TcpReceiverSettings sink_settings(unsigned how) {
    TcpReceiverSettings s;
    s.mss = how & 1 ? 1460 : 1000;
    s.window = how & 2 ? 6000 : 65'535;
    s.window_scale = how & 4 ? 3 : 0;
    s.sack = (how & 8) == 0;
    s.timestamps = (how & 16) == 0;
    s.ack_every = how & 32 ? 1 : 2;
    s.read_rate = (how & 0xc0) == 0xc0 ? 200'000 : 0;
    return s;
  }

  std::uint64_t delivered() const { return sink_->stats().delivered_bytes; }
  Buffer framed(std::size_t packet) {
    Buffer out = bytes({2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, ipv6_ ? 0x86u : 0x08u, ipv6_ ? 0xddu : 0u});
    out.insert(out.end(), memory_.begin(), memory_.begin() + static_cast<std::ptrdiff_t>(packet));
    return out;
  }
  // RFC 9293 section 3.10.7.1: nothing is there any more.
  void refuse(Side side, const TcpSegment& segment) {
    const TcpConnection& own = of_source(side) ? source_->connection() : sink_->connection();
    const TcpFields reset{.seq = segment.ack, .flags = TcpView::kRst};
    refusals_[index(side)] = framed(write_tcp(memory_, own.path(), 0, reset, 0, 0));
  }

  std::optional<TcpSender> source_;
  std::optional<TcpReceiver> sink_;
  const bool ipv6_;
  bool uploads_ = false, closed_ = false, vanished_ = false;
  std::uint64_t offered_ = 0;
  Offset sent_ = 0;                 // the application's bytes
  std::array<Buffer, 2> refusals_;  // by side
  std::array<std::byte, 2048> memory_;
};

}  // namespace dp::test
