#include "dataplane/ack/stages/window.h"

#include <gtest/gtest.h>

#include "dataplane/packet/parse.h"
#include "dataplane/tcp/segment.h"
#include "tests/support/frames.h"

namespace dp {
namespace {

using namespace test;

// An uplink ACK of a flow whose ends have both offered to scale.
class WindowTest : public testing::Test {
 protected:
  WindowTest() {
    scale(0);
    flow.arrived = flow.dequeued = 100'000;
  }

  void scale(std::uint8_t shift, std::uint16_t mss = 1460) {
    flow.syn[0] = {.seen = true, .scale = 0, .mss = 1460};
    flow.syn[1] = {.seen = true, .scale = shift, .mss = mss};
  }
  static FrameSpec spec() {
    return {.src = "10.45.0.2", .dst = "192.0.2.1", .seq = 77, .ack = 5'000, .payload = 0};
  }
  Ack ack(const FrameSpec& of, AckKind kind = AckKind::advance) {
    frame_.emplace(of, Side::radio);
    parse(frame_->sdu());
    const auto segment = flow_segment(frame_->sdu(), Direction::uplink);
    return {frame_->sdu(), flow, segment.value(), kind, Offset{of.ack}, 0};
  }
  Buffer written() { return Buffer(frame_->bytes().begin(), frame_->bytes().end()); }
  std::uint16_t field(Offset window, Offset edge = 0, std::uint16_t own = 65'535) const {
    return window_field(flow, 5'000, window, edge, own);
  }
  // The packet behind Ethernet and `tags`.
  Bytes packet(std::size_t tags = 0) { return frame_->sdu().head().subspan(14 + 4 * tags); }

  Flow flow{};

 private:
  std::optional<TestFrame> frame_;
};

TEST_F(WindowTest, UnitsBelowTheMssRoundUpAndFromTheMssOnDown) {
  const std::uint16_t of_10000[] = {10'000, 5'000, 2'500, 1'250, 625, 313, 157, 79, 40, 20, 10, 4, 2, 1, 1};
  for (std::uint8_t shift = 0; shift <= 14; ++shift) {
    scale(shift);
    EXPECT_EQ(field(10'000), of_10000[shift]) << unsigned{shift};
  }
  scale(10, 1'024);
  EXPECT_EQ(field(10'000), 9) << "a unit of the MSS";
  scale(10, 1'025);
  EXPECT_EQ(field(10'000), 10);
}

TEST_F(WindowTest, NothingIsScaledUnlessBothEndsOfferedIt) {
  scale(7);
  flow.syn[0].scale.reset();
  EXPECT_EQ(field(10'000), 10'000);
}

TEST_F(WindowTest, TheUesOwnIsNeverExceeded) {
  EXPECT_EQ(field(10'000, 0, 9'999), 9'999);
  scale(7);
  EXPECT_EQ(field(10'000, 0, 78), 78);
  EXPECT_EQ(field(Offset{1} << 40), 65'535);
}

TEST_F(WindowTest, TheRightEdgeNeverMovesBack) {
  EXPECT_EQ(field(3'000, 5'000 + 8'000), 8'000);
  scale(7);
  EXPECT_EQ(field(3'000, 5'000 + 8'000), 63) << "8000 bytes are 62.5 units";
  scale(14);
  EXPECT_EQ(field(3'000, 5'000 + 32'768), 2);
  EXPECT_EQ(field(3'000, 5'000 + 32'769), 3) << "rounded down it would move back";
}

TEST_F(WindowTest, AUeThatTakesItsWindowBackWins) {
  EXPECT_EQ(field(3'000, 5'000 + 8'000, 2'000), 2'000);
  EXPECT_EQ(field(3'000, 5'000 + 8'000, 0), 0);
}

TEST_F(WindowTest, AnOpenWindowIsNotClosed) {
  scale(14);
  EXPECT_EQ(field(3'000), 1) << "less than a unit";
  EXPECT_EQ(field(-1), 1);
  EXPECT_EQ(field(3'000, 0, 0), 0) << "the UE's own is closed";
}

TEST_F(WindowTest, AUeThatAcknowledgesWhatItCannotHaveFindsItClosed) {
  flow.dequeued = 4'999;
  for (const std::uint8_t shift : {0, 14}) {
    scale(shift);
    EXPECT_EQ(field(0), 0);
    EXPECT_EQ(field(-3'000), 0);
    EXPECT_EQ(field(-3'000, 6'000), flow.units_up(1'000)) << "what was told stands";
    EXPECT_EQ(field(1), 1);
  }
}

TEST_F(WindowTest, EditedFrameIsTheFrameThatHadThatWindowFromTheStart) {
  for (std::uint32_t window = 0; window < 65'536; window += 7) {
    const Ack a = ack(spec());
    FrameSpec wanted = spec();
    wanted.window = static_cast<std::uint16_t>(window);
    EXPECT_EQ(write_window(a, wanted.window), window != spec().window);
    ASSERT_EQ(written(), frame(wanted)) << window;
  }
}

TEST_F(WindowTest, ChecksumsAreRightForEveryScaleFamilyTagAndOptionLayout) {
  const Buffer layouts[] = {{},
                            bytes({1, 1, 8, 10, 0, 0, 0, 9, 0, 0, 0, 7}),
                            bytes({8, 10, 0, 0, 0, 9, 0, 0, 0, 7, 1, 0}),
                            bytes({1, 5, 10, 0, 0, 0, 9, 0, 0, 0, 17, 0}),
                            bytes({254, 3, 7, 1, 253, 5, 1, 2, 3, 0, 0, 0}),
                            bytes({0, 99, 99, 99})};
  for (std::uint8_t shift = 0; shift <= 14; ++shift) {
    for (const Buffer& options : layouts) {
      for (const bool ipv6 : {false, true}) {
        for (std::size_t tags = 0; tags <= 2; ++tags) {
          scale(shift);
          FrameSpec s = spec();
          if (ipv6) s.src = "2001:db8:45::2", s.dst = "2001:db8:ffff::1";
          s.vlans.resize(tags);
          s.tcp_options = options;
          const Ack a = ack(s);
          s.window = field(12'345);
          write_window(a, s.window);
          ASSERT_TRUE(tcp_checksums_right(packet(tags)));
          ASSERT_EQ(written(), frame(s));
        }
      }
    }
  }
}

TEST_F(WindowTest, EthernetPaddingAndIpOptionsStayAsTheyAre) {
  FrameSpec s = spec();
  s.ip_options = bytes({148, 4, 0, 0});
  s.padding = 9;
  const Ack a = ack(s);
  s.window = 300;
  write_window(a, 300);
  EXPECT_EQ(written(), frame(s));
}

TEST_F(WindowTest, WrongChecksumStaysAsWrongAsItWas) {
  const Ack a = ack(spec());
  std::byte* const tcp = a.sdu.data + a.sdu.l4_offset;
  store16(tcp + 16, static_cast<std::uint16_t>(load16(tcp + 16) ^ 0x0100));
  write_window(a, 300);
  EXPECT_FALSE(tcp_checksums_right(packet()));
  write_window(a, spec().window);
  store16(tcp + 16, static_cast<std::uint16_t>(load16(tcp + 16) ^ 0x0100));
  EXPECT_EQ(written(), frame(spec()));
}

// A source with an advertised window of 20000 bytes from 5000 on.
class AdvertisedWindowTest : public WindowTest {
 protected:
  AdvertisedWindowTest() {
    flow.forwarded_ack = 5'000;
    flow.advertised_edge = 25'000;
    flow.ack_forwarded = true;
    advertised.meet(flow);
  }
  Ack at(std::uint32_t number, AckKind kind = AckKind::advance, std::uint16_t own = 65'535) {
    FrameSpec s = spec();
    s.ack = number;
    s.window = own;
    return ack(s, kind);
  }
  std::uint16_t advertise(const Ack& a, Offset window) {
    advertised.advertise(a, window);
    return a.segment.tcp.window();
  }
  AdvertisedWindow advertised;
};

TEST_F(AdvertisedWindowTest, DuplicatesKeepTheWindowThatTheSourceSawLast) {
  EXPECT_EQ(advertise(at(5'000, AckKind::duplicate), 30'000), 20'000) << "told before this stage came";
  EXPECT_EQ(advertise(at(8'000), 30'000), 30'000);
  EXPECT_EQ(advertise(at(8'000, AckKind::duplicate), 50'000), 30'000);
  EXPECT_EQ(advertise(at(8'000, AckKind::sack), 50'000), 30'000);
  EXPECT_EQ(advertise(at(9'000, AckKind::sack), 50'000), 50'000) << "no duplicate";
  EXPECT_EQ(advertise(at(9'000, AckKind::window_update), 55'000), 55'000);
  EXPECT_EQ(advertise(at(9'000, AckKind::duplicate, 40'000), 60'000), 40'000) << "the UE takes back";
}

TEST_F(AdvertisedWindowTest, ALateAckOpensNothing) {
  EXPECT_EQ(advertise(at(8'000), 30'000), 30'000);
  EXPECT_EQ(advertise(at(6'000, AckKind::old), 60'000), 32'000);
  EXPECT_EQ(advertised.number, 8'000);
  EXPECT_EQ(advertised.edge, 38'000);
}

TEST_F(AdvertisedWindowTest, ALateAckTakesNothingBackWhateverTheUnit) {
  for (std::uint8_t shift = 0; shift <= 14; ++shift) {
    scale(shift);
    Offset edge = flow.advertised_edge;
    for (const std::uint32_t number : {8'000u, 6'000u, 7'001u, 8'001u, 6'000u}) {
      const bool late = number < advertised.number;
      const Offset now = number + Offset{flow.window_of(advertise(at(number), 1))};
      EXPECT_GE(now, edge) << number << " at " << unsigned{shift};
      EXPECT_LT(now, edge + (Offset{1} << shift)) << number << " at " << unsigned{shift};
      if (!late) edge = now;
    }
    EXPECT_EQ(advertise(at(6'000, AckKind::old, 0), 1), 0) << "the UE's own is never exceeded";
    advertised = {};
    advertised.meet(flow);
  }
}

TEST_F(AdvertisedWindowTest, OldAcksInTurnDoNotMoveTheEdge) {
  scale(14);
  const Offset edge = 8'000 + Offset{flow.window_of(advertise(at(8'000), 1))};
  for (int i = 0; i < 1'000; ++i) {
    const std::uint32_t number = i % 2 == 0 ? 6'000 : 7'001;
    EXPECT_GE(number + Offset{flow.window_of(advertise(at(number), 1))}, edge);
    EXPECT_EQ(advertised.edge, edge);
  }
  EXPECT_EQ(advertise(at(9'000), 90'000), 5);
}

TEST_F(AdvertisedWindowTest, WhatCannotBeMeantOpensNothingAndTakesNothingBack) {
  EXPECT_EQ(advertise(at(8'000), 30'000), 30'000);
  const Ack far = at(39'000);
  EXPECT_FALSE(advertised.limit(far));
  EXPECT_EQ(far.segment.tcp.window(), 65'535) << "of what the source has not sent";
  const Ack within = at(9'000);
  EXPECT_TRUE(advertised.limit(within));
  EXPECT_EQ(within.segment.tcp.window(), 29'000);
  EXPECT_FALSE(advertised.limit(at(9'000, AckKind::fin, 100)));
  EXPECT_EQ(advertised.number, 8'000);
  EXPECT_EQ(advertised.edge, 38'000);
}

TEST_F(AdvertisedWindowTest, AnAckAheadOfWhatCameIsNotGoneBy) {
  EXPECT_EQ(advertise(at(8'000), 200'000), 65'535);
  flow.arrived = flow.dequeued = 20'000;
  EXPECT_EQ(advertise(at(50'000), -1), 8'000 + 65'535 - 50'000) << "what was told stands";
  EXPECT_EQ(advertised.number, 8'000);
  EXPECT_EQ(advertise(at(100'000), -1), 0);
  EXPECT_EQ(advertised.edge, 8'000 + 65'535);
  EXPECT_EQ(advertise(at(9'000), 70'000), 65'535) << "the next that can be believed";
}

TEST_F(AdvertisedWindowTest, EdgeOfAnAckThatALaterStageHoldsStillCounts) {
  EXPECT_EQ(advertise(at(8'000), 30'000), 30'000);
  ASSERT_EQ(flow.advertised_edge, 25'000) << "the source has not seen it yet";
  EXPECT_EQ(advertise(at(9'000), 1'000), 29'000);
}

TEST_F(AdvertisedWindowTest, WindowThatLeftUneditedIsNotTakenBack) {
  EXPECT_EQ(advertise(at(8'000), 20'000), 20'000);
  flow.advertised_edge = 70'000;
  EXPECT_EQ(advertise(at(9'000), 20'000), 61'000);
}

TEST_F(AdvertisedWindowTest, UeThatTookItsWindowBackGetsNoMoreThanItGives) {
  EXPECT_EQ(advertise(at(8'000), 20'000), 20'000);
  EXPECT_EQ(advertise(at(9'000, AckKind::advance, 4'000), 20'000), 4'000);
  EXPECT_EQ(advertise(at(9'500, AckKind::advance, 30'000), 1'000), 18'500) << "what it was told once stands";
}

TEST_F(AdvertisedWindowTest, UnchangedAckIsNotCountedAsEdited) {
  EXPECT_FALSE(advertised.advertise(at(8'000, AckKind::advance, 20'000), 30'000));
  EXPECT_TRUE(advertised.advertise(at(9'000, AckKind::advance, 40'000), 30'000));
}

}  // namespace
}  // namespace dp
