#include "dataplane/tcp/segment.h"

#include <array>

#include <gtest/gtest.h>

#include "dataplane/packet/checksum.h"
#include "dataplane/packet/ipv4.h"
#include "tests/support/frames.h"

namespace dp {
namespace {

constexpr TcpPath kIpv4{{false, 0, 0xc0000201}, {false, 0, 0x0a2d0002}, 40000, 5001};
constexpr TcpPath kIpv6{{true, 0x20010db8ffff0000, 1}, {true, 0x20010db800450000, 2}, 40000, 5001};

TcpFields all_options() {
  TcpFields f;
  f.seq = 0xfffffff0;
  f.ack = 77;
  f.flags = TcpView::kAck | TcpView::kPsh;
  f.window = 4096;
  f.timestamps = TcpOption::Timestamps{0x01020304, 0x05060708};
  f.add_block({10, 20});
  f.add_block({30, 40});
  f.add_block({50, 60});
  return f;
}

TcpFields syn_options() {
  TcpFields f;
  f.flags = TcpView::kSyn;
  f.mss = 1460;
  f.window_scale = 7;
  f.sack_permitted = true;
  f.timestamps = TcpOption::Timestamps{1, 0};
  return f;
}

std::vector<std::byte> packet(const TcpPath& path, const TcpFields& fields, std::size_t payload) {
  std::vector<std::byte> out(tcp_headers_size(path, fields) + payload);
  for (std::size_t i = 0; i < payload; ++i) out[out.size() - payload + i] = static_cast<std::byte>(i);
  const auto sum = InternetSum{}.add(Bytes(out).last(payload)).folded();
  EXPECT_EQ(write_tcp(out, path, 9, fields, payload, sum), out.size());
  return out;
}

// tests/support/frames.h builds packets by itself.
TEST(TcpSegment, IsByteForByteWhatAnotherBuilderMakes) {
  TcpFields f;
  f.seq = 1;
  f.ack = 1;
  f.flags = TcpView::kAck;
  f.window = 65'535;
  for (const std::size_t payload : {0u, 1u, 100u, 1459u, 1460u}) {
    auto v4 = test::frame({.ident = 9, .payload = payload});
    std::byte* ip = v4.data() + 14;
    store16(ip + 6, 0x4000);
    store16(ip + 10, checksum_update16(load16(ip + 10), 0, 0x4000));
    EXPECT_EQ(packet(kIpv4, f, payload), test::Buffer(v4.begin() + 14, v4.end())) << payload;
    const auto v6 = test::frame({.src = "2001:db8:ffff::1", .dst = "2001:db8:45::2", .payload = payload});
    EXPECT_EQ(packet(kIpv6, f, payload), test::Buffer(v6.begin() + 14, v6.end())) << payload;
  }
}

TEST(TcpSegment, ReadsBackWhatWasWritten) {
  for (const auto& path : {kIpv4, kIpv6}) {
    const auto bytes = packet(path, all_options(), 500);
    const auto s = read_tcp(bytes);
    ASSERT_TRUE(s);
    EXPECT_EQ(s->source_port, 40000);
    EXPECT_EQ(s->destination_port, 5001);
    EXPECT_EQ(s->seq, 0xfffffff0u);
    EXPECT_EQ(s->ack, 77u);
    EXPECT_EQ(s->flags, TcpView::kAck | TcpView::kPsh);
    EXPECT_EQ(s->window, 4096);
    EXPECT_EQ(s->timestamps->value, 0x01020304u);
    EXPECT_EQ(s->timestamps->echo, 0x05060708u);
    ASSERT_EQ(s->block_count, 3);
    EXPECT_EQ(s->blocks[2].left, 50u);
    EXPECT_EQ(s->blocks[2].right, 60u);
    EXPECT_FALSE(s->mss || s->window_scale || s->sack_permitted);
    EXPECT_EQ(s->payload.size(), 500u);
    EXPECT_EQ(s->payload.data(), bytes.data() + bytes.size() - 500);
  }
}

TEST(TcpSegment, OfASynReadsItsOptionsBack) {
  const auto bytes = packet(kIpv4, syn_options(), 0);
  const auto s = read_tcp(bytes);
  ASSERT_TRUE(s);
  EXPECT_EQ(s->mss, 1460);
  EXPECT_EQ(s->window_scale, 7);
  EXPECT_TRUE(s->sack_permitted);
  EXPECT_EQ(s->timestamps->value, 1u);
}

TEST(TcpSegment, HasFourBlocksAtMost) {
  TcpFields f;
  for (std::uint32_t i = 0; i < 9; ++i) f.add_block({i * 10, i * 10 + 5});
  const auto s = read_tcp(packet(kIpv4, f, 0));
  ASSERT_TRUE(s);
  EXPECT_EQ(s->block_count, 4);
  EXPECT_EQ(s->blocks[3].left, 30u);
}

TEST(TcpSegment, HasChecksumsThatTellEveryBitThatIsWrong) {
  for (const auto& path : {kIpv4, kIpv6}) {
    auto bytes = packet(path, all_options(), 41);
    EXPECT_TRUE(tcp_checksums_right(bytes));
    for (std::size_t i = 0; i < bytes.size() * 8; ++i) {
      bytes[i / 8] ^= std::byte(1 << i % 8);
      // IPv6 protects neither class and label nor the hop limit.
      const bool unprotected = path.source.ipv6 && (i < 4 * 8 || i / 8 == 7);
      EXPECT_EQ(tcp_checksums_right(bytes), unprotected && load8(bytes.data()) >> 4 == 6) << i;
      bytes[i / 8] ^= std::byte(1 << i % 8);
    }
  }
}

TEST(TcpSegment, WhosePayloadsSumIsKnownHasRightChecksumsByTheRestOfItsBytes) {
  for (const auto& path : {kIpv4, kIpv6}) {
    auto bytes = packet(path, all_options(), 41);
    const auto sum = InternetSum{}.add(Bytes(bytes).last(41)).folded();
    EXPECT_TRUE(tcp_checksums_right(bytes, sum));
    EXPECT_FALSE(tcp_checksums_right(bytes, static_cast<std::uint16_t>(sum + 1)));
    bytes.back() ^= std::byte{1};  // not read
    EXPECT_TRUE(tcp_checksums_right(bytes, sum));
    for (std::size_t i = 0; i < (bytes.size() - 41) * 8; ++i) {
      bytes[i / 8] ^= std::byte(1 << i % 8);
      const bool unprotected = path.source.ipv6 && (i < 4 * 8 || i / 8 == 7);
      EXPECT_EQ(tcp_checksums_right(bytes, sum), unprotected && load8(bytes.data()) >> 4 == 6) << i;
      bytes[i / 8] ^= std::byte(1 << i % 8);
    }
  }
}

TEST(TcpSegment, WhoseWindowIsRewrittenByDifferenceStaysRight) {
  auto bytes = packet(kIpv4, all_options(), 41);
  std::byte* tcp = bytes.data() + 20;
  store16(tcp + 16, checksum_update16(load16(tcp + 16), load16(tcp + 14), 1234));
  store16(tcp + 14, 1234);
  EXPECT_TRUE(tcp_checksums_right(bytes));
  EXPECT_EQ(read_tcp(bytes)->window, 1234);
}

TEST(TcpSegment, CutShortIsNone) {
  for (const auto& path : {kIpv4, kIpv6}) {
    const auto bytes = packet(path, all_options(), 3);
    for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(read_tcp(Bytes(bytes).first(n))) << n;
  }
}

TEST(TcpSegment, BehindWhichTheFrameIsPaddedEndsWhereIpSays) {
  auto bytes = packet(kIpv4, TcpFields{}, 2);
  bytes.resize(60);
  EXPECT_EQ(read_tcp(bytes)->payload.size(), 2u);
  EXPECT_TRUE(tcp_checksums_right(bytes));
}

TEST(TcpSegment, IsNeitherAFragmentNorAnotherProtocol) {
  const auto ip = [](const test::FrameSpec& spec) {
    const auto f = test::frame(spec);
    return test::Buffer(f.begin() + 14, f.end());
  };
  EXPECT_FALSE(read_tcp(ip({.more_fragments = true})));
  EXPECT_FALSE(read_tcp(ip({.fragment_offset = 1480})));
  EXPECT_FALSE(read_tcp(ip({.protocol = 17})));
  EXPECT_FALSE(read_tcp(ip({.dst = "2001:db8::1", .more_fragments = true})));
  EXPECT_FALSE(read_tcp(ip({.dst = "2001:db8::1", .protocol = 17})));
}

TEST(TcpPath, ReversedIsTheOtherEnds) {
  const TcpPath back = kIpv4.reversed();
  EXPECT_EQ(back.source.lo, kIpv4.destination.lo);
  EXPECT_EQ(back.destination_port, kIpv4.source_port);
}

}  // namespace
}  // namespace dp
