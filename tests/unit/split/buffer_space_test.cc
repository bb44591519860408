// A proxy refills its bearer's buffer as soon as there is room, and what it does not send finds a place there
// all the same.
#include "tests/unit/split/words_bench.h"

namespace dp::test {
namespace {

class SplitBufferSpace : public SplitWords {
 protected:
  // The proxy has 20 segments for a UE whose buffer takes less, and whose ACKs are slow.
  void begin_full(const BufferLimit& limit) {
    BearerSettings settings = bearer_at(1'000'000, limit.sdus);
    settings.downlink.buffer.bytes = limit.bytes;
    settings.proxy = SplitConfig{.initial_window = 20, .window = 32'768};
    bearer = &add(ue_ipv4(0x0a2d0002), settings);
    open();
    for (std::uint32_t n = 0; n < 20; ++n) server({.seq = 1 + n * kMss, .payload = kMss});
    seen();
  }
  // The SYN-ACK of another connection, from the core.
  void answer_another(std::uint16_t port) {
    FrameSpec spec{.src = Ip("192.0.2.1"), .dst = Ip("10.45.0.2"), .sport = 80, .dport = port};
    spec.tcp_flags = kSyn | kAck;
    spec.payload = 0;
    offer(Side::core, frame(spec));
  }
};

TEST_F(SplitBufferSpace, TheSynAckOfTheUesNextConnectionIsTakenHoweverMuchTheProxyHas) {
  for (const BufferLimit& limit : {BufferLimit{5, 1u << 20}, BufferLimit{200, 6000}}) {
    begin_full(limit);
    const std::uint64_t before = dropped(DropReason::buffer_sdus) + dropped(DropReason::buffer_bytes);
    for (std::uint16_t n = 0; n < 8; ++n) {
      EXPECT_GT(bearer->downlink.buffer().sdus(), 2u) << "else it shows nothing";
      answer_another(static_cast<std::uint16_t>(41'000 + n));
      EXPECT_EQ(dropped(DropReason::buffer_sdus) + dropped(DropReason::buffer_bytes), before) << n;
      run_for(12ms);
    }
    run_for(1s);
    std::size_t synacks = 0;
    for (const Seen& s : at(Side::radio)) synacks += s.segment.has(kSyn) ? 1 : 0;
    EXPECT_EQ(synacks, 8u);
    command(RemoveBearer{bearer});
  }
}

TEST_F(SplitBufferSpace, ABufferOfOneSduIsUsed) {
  begin_full({1, 1u << 20});
  run_for(1s);
  EXPECT_GT(at(Side::radio).size(), 5u);
}

}  // namespace
}  // namespace dp::test
