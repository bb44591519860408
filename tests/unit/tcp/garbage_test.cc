// Segments that no peer should send: the engines must neither crash nor run wild.
#include <random>

#include <gtest/gtest.h>

#include "tests/support/tcp_bench.h"

namespace dp::test {
namespace {

// Fields near what would be right, so that many are taken.
TcpSegment any_segment(std::mt19937& rng, std::uint32_t seq, std::uint32_t ack, Bytes payload) {
  const auto near = [&](std::uint32_t v) {
    return v + static_cast<std::uint32_t>(rng() % 40'000) - (rng() % 4 == 0 ? 20'000 : 0);
  };
  TcpSegment s;
  s.seq = near(seq);
  s.ack = near(ack);
  s.flags = static_cast<std::uint8_t>(rng() % 8 == 0 ? rng() & 0x1b : TcpView::kAck);
  s.window = static_cast<std::uint16_t>(rng() % 3 == 0 ? rng() % 3 : rng());
  if (rng() % 2 == 0)
    s.timestamps =
        TcpOption::Timestamps{static_cast<std::uint32_t>(rng()), static_cast<std::uint32_t>(rng())};
  for (unsigned n = rng() % 5; n > 0; --n) s.add_block({near(ack), near(ack)});
  s.payload = payload.first(rng() % payload.size());
  return s;
}

TEST(TcpGarbage, LeavesTheSenderWithinItsBounds) {
  std::vector<std::byte> buffer(2048), payload(1400);
  CongestionList::for_each([&]<class Tag>(Tag) {
    for (unsigned seed = 0; seed < 40; ++seed) {
      std::mt19937 rng(seed);
      TcpSenderSettings settings;
      settings.congestion = typename Tag::type::Config{};
      settings.timestamps = seed % 2 == 0;
      TcpSender sender(settings, test_path(), 1000);
      ManualClock clock;
      sender.connect();
      sender.offer(seed % 3 == 0 ? 200'000 : 1u << 30);
      if (seed % 5 == 0) sender.close();
      for (int i = 0; i < 400; ++i) {
        int written = 0;
        while (sender.emit(clock.now(), buffer) > 0) ASSERT_LT(++written, 20'000);
        clock.advance(ms(static_cast<double>(rng() % 500)));
        if (i == 0) {
          TcpSegment s;
          s.seq = 5000;
          s.ack = 1001;
          s.flags = TcpView::kSyn | TcpView::kAck;
          s.window = 30'000;
          s.sack_permitted = true;
          s.timestamps = TcpOption::Timestamps{1, 1};
          sender.on_segment(s, clock.now());
        } else {
          sender.on_segment(any_segment(rng, 5001, 1001 + static_cast<std::uint32_t>(i) * 500, payload),
                            clock.now());
        }
        ASSERT_GE(sender.flight(), 0);
        if (!sender.established()) continue;
        ASSERT_GE(sender.cwnd(), sender.mss());
      }
    }
  });
}

TEST(TcpGarbage, LeavesTheReceiverWithinItsBounds) {
  std::vector<std::byte> buffer(kMaxTcpHeaders), payload(1400);
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 rng(seed);
    TcpReceiverSettings settings;
    settings.max_ranges = static_cast<std::uint16_t>(1 + seed % 9);
    settings.dsack = seed % 2 == 0;
    settings.read_rate = seed % 3 == 0 ? 100'000 : 0;
    TcpReceiver receiver(settings, test_path(), 1000);
    ManualClock clock;
    receiver.connect();
    Offset next = 0;
    for (int i = 0; i < 400; ++i) {
      int written = 0;
      while (receiver.emit(clock.now(), buffer) > 0) ASSERT_LT(++written, 3);
      clock.advance(ms(static_cast<double>(rng() % 300)));
      TcpSegment s = any_segment(rng, 5001 + static_cast<std::uint32_t>(i) * 300, 1001, payload);
      if (i == 0) {
        s = {};
        s.seq = 5000;
        s.ack = 1001;
        s.flags = TcpView::kSyn | TcpView::kAck;
      }
      receiver.on_segment(s, clock.now());
      ASSERT_GE(receiver.next(), next);
      next = receiver.next();
      ASSERT_LE(receiver.held().size(), settings.max_ranges);
      ASSERT_GE(receiver.unread(), 0);
      ASSERT_LE(receiver.unread(), Offset{settings.window});
    }
  }
}

}  // namespace
}  // namespace dp::test
