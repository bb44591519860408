// libFuzzer target: TCP segments to the engines. The first byte selects the engine and its settings; then
// come packets as bytes, segments near what the peer would send, and time.
#include <array>
#include <vector>

#include "dataplane/tcp/receiver.h"
#include "dataplane/tcp/sender.h"
#include "tests/fuzz/input.h"

namespace dp::test {
namespace {

constexpr TcpPath kPath{{false, 0, 0xc0000201}, {false, 0, 0x0a2d0002}, 5001, 40000};
constexpr std::uint32_t kOwn = 1000, kPeer = 5000;  // initial sequence numbers

class Session {
 public:
  Session(Input& input, unsigned how) : input_(input), how_(how) {}

 protected:
  // The next segment from the input; null: time passed, or the packet was none.
  const TcpSegment* next(std::uint32_t seq, std::uint32_t ack) {
    const unsigned what = input_.byte();
    if ((what & 7) == 0) {
      now_ += Duration{std::int64_t{1'000'000} << (what >> 3) % 18};
      return nullptr;
    }
    if ((what & 7) == 1) {
      const Bytes packet = input_.take(input_.byte());
      packet_.assign(packet.begin(), packet.end());
      const auto read = read_tcp(packet_);
      if (!read) return nullptr;
      segment_ = *read;
      return &segment_;
    }
    segment_ = {};
    segment_.seq = seq + near();
    segment_.ack = ack + near();
    segment_.flags = what & 8 ? static_cast<std::uint8_t>(input_.byte()) : TcpView::kAck;
    segment_.window = static_cast<std::uint16_t>(input_.word());
    if (what & 0x10) segment_.timestamps = TcpOption::Timestamps{input_.byte(), input_.byte()};
    if (what & 0x20) segment_.sack_permitted = true;
    if (what & 0x20) segment_.window_scale = static_cast<std::uint8_t>(input_.byte() % 15);
    if (what & 0x20) segment_.mss = static_cast<std::uint16_t>(input_.word());
    for (unsigned n = what >> 6; n > 0; --n) segment_.add_block({ack + near(), ack + near()});
    payload_.assign(input_.byte() * 8u, std::byte{});
    segment_.payload = payload_;
    return &segment_;
  }

  Input& input_;
  const unsigned how_;
  Time now_{};

 private:
  // A step of a segment or so, mostly ahead.
  std::uint32_t near() {
    const unsigned v = input_.byte();
    return v < 0xe0 ? v * 100 : 0u - (v - 0xe0) * 1000;
  }

  TcpSegment segment_;
  std::vector<std::byte> payload_, packet_;
};

class SenderSession : public Session {
 public:
  SenderSession(Input& input, unsigned how)
      : Session(input, how), sender_(settings(how, input.byte()), kPath, kOwn) {
    how & 2 ? sender_.listen() : sender_.connect();
    sender_.offer(how & 4 ? 1u << 30 : 20'000);
    if (how & 8) sender_.close();
  }
  void run() {
    std::vector<std::byte> packet(sender_.max_packet());
    while (!input_.empty()) {
      for (unsigned n = 0; sender_.emit(now_, packet) > 0;) expect(++n < 20'000, "a burst has an end");
      const auto acked = static_cast<std::uint32_t>(sender_.stats().acked_bytes);
      const TcpSegment* segment = next(kPeer + (sender_.established() ? 1 : 0), kOwn + 1 + acked);
      if (segment != nullptr) sender_.on_segment(*segment, now_);
      expect(sender_.flight() >= 0, "what is in flight was sent");
      expect(!sender_.established() || sender_.cwnd() >= sender_.mss(), "the window holds a segment");
    }
  }

 private:
  static TcpSenderSettings settings(unsigned how, unsigned congestion) {
    TcpSenderSettings s;
    std::size_t at = 0;
    CongestionList::for_each([&]<class Tag>(Tag) {
      if (at++ == congestion % CongestionList::kSize) s.congestion = typename Tag::type::Config{};
    });
    s.timestamps = (how & 0x10) != 0;
    s.halve_window = (how & 0x20) != 0;
    s.retries = 3;
    return s;
  }

  TcpSender sender_;
};

class ReceiverSession : public Session {
 public:
  ReceiverSession(Input& input, unsigned how)
      : Session(input, how), settings_(settings(how)), receiver_(settings_, kPath, kOwn) {
    how & 2 ? receiver_.listen() : receiver_.connect();
    receiver_.verify(true);
  }
  void run() {
    std::array<std::byte, kMaxTcpHeaders> packet;
    Offset due = 0;
    while (!input_.empty()) {
      for (unsigned n = 0; receiver_.emit(now_, packet) > 0;) expect(++n < 4, "an event wants a few ACKs");
      const TcpSegment* segment = next(kPeer + static_cast<std::uint32_t>(receiver_.next()), kOwn + 1);
      if (segment != nullptr) receiver_.on_segment(*segment, now_);
      expect(receiver_.next() >= due, "the stream does not go back");
      due = receiver_.next();
      expect(receiver_.held().size() <= settings_.max_ranges,
             "no more ranges are held than there is room for");
      expect(receiver_.unread() >= 0 && receiver_.unread() <= Offset{settings_.window},
             "no more is taken than was offered");
    }
  }

 private:
  static TcpReceiverSettings settings(unsigned how) {
    TcpReceiverSettings s;
    s.max_ranges = static_cast<std::uint16_t>(1 + (how >> 2 & 3));
    s.dsack = (how & 0x10) != 0;
    s.read_rate = how & 0x20 ? 100'000 : 0;
    s.window_scale = how & 0x40 ? 7 : 0;
    s.timestamps = (how & 0x80) != 0;
    return s;
  }

  const TcpReceiverSettings settings_;
  TcpReceiver receiver_;
};

}  // namespace
}  // namespace dp::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dp::test;
  Input input(data, size);
  const unsigned how = input.byte();
  if (how & 1) {
    SenderSession(input, how).run();
  } else {
    ReceiverSession(input, how).run();
  }
  return 0;
}
