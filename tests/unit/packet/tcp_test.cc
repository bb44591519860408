#include "dataplane/packet/tcp.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/fuzz/seeds.h"

namespace dp {
namespace {

using test::bytes;

test::Buffer segment(const test::FrameSpec& spec) {
  const auto f = test::frame(spec);
  return {f.begin() + 34, f.end()};
}

std::vector<unsigned> kinds(const test::Buffer& options) {
  std::vector<unsigned> out;
  for (const TcpOption o : TcpOptions(options)) out.push_back(o.kind);
  return out;
}

using Kinds = std::vector<unsigned>;

TEST(Tcp, FieldsAreReadWhereRfc9293PutsThem) {
  const auto s = segment({.sport = 443,
                          .dport = 50000,
                          .seq = 0x01020304,
                          .ack = 0xa0b0c0d0,
                          .tcp_flags = 0x52,
                          .window = 0x7210});
  const auto v = TcpView::at(s);
  ASSERT_TRUE(v);
  EXPECT_EQ(v->source_port(), 443);
  EXPECT_EQ(v->destination_port(), 50000);
  EXPECT_EQ(v->seq(), 0x01020304u);
  EXPECT_EQ(v->ack(), 0xa0b0c0d0u);
  EXPECT_EQ(v->header_size(), 20u);
  EXPECT_EQ(v->window(), 0x7210);
  EXPECT_TRUE(v->has(TcpView::kSyn) && v->has(TcpView::kAck) && v->has(TcpView::kEce));
  EXPECT_FALSE(v->has(TcpView::kFin) || v->has(TcpView::kRst) || v->has(TcpView::kCwr));
  EXPECT_TRUE(v->options().begin() == v->options().end());
}

TEST(Tcp, HeaderLongerThanItsBytesIsRefused) {
  const auto s = segment({.tcp_options = test::Buffer(40), .payload = 0});
  ASSERT_EQ(s.size(), 60u);
  EXPECT_TRUE(TcpView::at(s));
  for (std::size_t n = 0; n < 60; ++n) EXPECT_FALSE(TcpView::at(Bytes(s).first(n))) << n;
}

TEST(Tcp, DataOffsetBelowFiveWordsIsRefused) {
  auto s = segment({});
  for (unsigned words = 0; words < 5; ++words) {
    s[12] = static_cast<std::byte>(words << 4);
    EXPECT_FALSE(TcpView::at(s)) << words;
  }
}

TEST(TcpOptions, OfASynAreReadInOrder) {
  const auto s = segment({.tcp_flags = 2, .tcp_options = test::syn_options()});
  std::optional<std::uint16_t> mss;
  std::optional<std::uint8_t> scale;
  std::optional<TcpOption::Timestamps> stamps;
  bool sack = false;
  for (const TcpOption o : TcpView::at(s)->options()) {
    if (o.mss()) mss = o.mss();
    if (o.window_scale()) scale = o.window_scale();
    if (o.timestamps()) stamps = o.timestamps();
    sack = sack || o.sack_permitted();
  }
  EXPECT_EQ(mss, 1460);
  EXPECT_EQ(scale, 7);
  EXPECT_TRUE(sack);
  ASSERT_TRUE(stamps);
  EXPECT_EQ(stamps->value, 1u);
  EXPECT_EQ(stamps->echo, 0u);
}

TEST(TcpOptions, SackBlocksAreReadEdgeByEdge) {
  const auto options = test::sack_options();
  EXPECT_EQ(kinds(options), (Kinds{8, 5}));
  for (const TcpOption o : TcpOptions(options)) {
    if (o.kind != TcpOption::kSack) {
      EXPECT_EQ(o.blocks(), 0u);
      continue;
    }
    ASSERT_EQ(o.blocks(), 2u);
    EXPECT_EQ(o.block(0).left, 10u);
    EXPECT_EQ(o.block(0).right, 20u);
    EXPECT_EQ(o.block(1).left, 30u);
    EXPECT_EQ(o.block(1).right, 40u);
  }
}

TEST(TcpOptions, EndAtTheEndMark) { EXPECT_EQ(kinds(bytes({4, 2, 0, 4, 2, 4, 2})), (Kinds{4})); }

TEST(TcpOptions, OfPaddingAloneAreNone) {
  EXPECT_EQ(kinds(bytes({1, 1, 1, 1})), Kinds{});
  EXPECT_EQ(kinds(bytes({0, 0, 0, 0})), Kinds{});
}

TEST(TcpOptions, OfUnknownKindAreSteppedOver) {
  EXPECT_EQ(kinds(bytes({253, 4, 9, 9, 2, 4, 5, 180})), (Kinds{253, 2}));
}

TEST(TcpOptions, EndBeforeAnOptionOfImpossibleLength) {
  EXPECT_EQ(kinds(bytes({4, 2, 2, 0, 5, 180})), (Kinds{4}));
  EXPECT_EQ(kinds(bytes({4, 2, 2, 1, 5, 180})), (Kinds{4}));
  EXPECT_EQ(kinds(bytes({4, 2, 2, 5, 5, 180})), (Kinds{4}));
  EXPECT_EQ(kinds(bytes({4, 2, 2})), (Kinds{4}));
}

TEST(TcpOptions, OfWrongSizeForTheirKindGiveNoValue) {
  const auto options = bytes({2, 3, 5, 3, 2, 4, 3, 0, 8, 3, 0, 5, 6, 0, 0, 0, 0});
  EXPECT_EQ(kinds(options), (Kinds{2, 3, 4, 8, 5}));
  for (const TcpOption o : TcpOptions(options)) {
    EXPECT_FALSE(o.mss() || o.window_scale() || o.sack_permitted() || o.timestamps()) << unsigned{o.kind};
    EXPECT_EQ(o.blocks(), 0u);
  }
}

TEST(TcpOptions, WindowScaleAbove14IsTakenAs14) {
  const auto options = bytes({3, 3, 15});
  EXPECT_EQ((*TcpOptions(options).begin()).window_scale(), 14);
}

}  // namespace
}  // namespace dp
