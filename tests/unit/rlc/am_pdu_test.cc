// AMD PDUs in bytes: what the specification and a dissector read in them, and that nothing else is believed.
#include "dataplane/rlc/am_pdu.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "tests/support/frames.h"

namespace dp::test {
namespace {

constexpr LiSize k7 = LiSize::bits7, k15 = LiSize::bits15;

Buffer hex(std::string_view text, std::size_t size) {
  Buffer out(size);
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    out.at(i / 2) = static_cast<std::byte>(std::stoul(std::string(text.substr(i, 2)), nullptr, 16));
  }
  return out;
}

Buffer written(std::size_t size, Sn sn, bool poll, LiSize li, std::initializer_list<std::uint16_t> lis) {
  Buffer out(size);
  write_amd_header(out.data(), sn, poll, li, {lis.begin(), lis.size()});
  return out;
}

std::vector<unsigned> ends(const AmdPdu& pdu) { return {pdu.ends.begin(), pdu.ends.begin() + pdu.n_ends}; }

TEST(AmdPdu, OneSduEndsInIt) {
  const Buffer pdu = hex("812928", 42);
  AmdPdu got;
  ASSERT_TRUE(parse_amd(pdu, k7, got));
  EXPECT_EQ(got.sn, 37);
  EXPECT_FALSE(got.poll);
  EXPECT_EQ(ends(got), std::vector<unsigned>{20});
  EXPECT_EQ(got.data.size(), 39u);
  EXPECT_EQ(written(42, 37, false, k7, {20}), pdu);
}

TEST(AmdPdu, TwoSdusEndInIt) {
  const Buffer pdu = hex("80090b46", 42);
  AmdPdu got;
  ASSERT_TRUE(parse_amd(pdu, k7, got));
  EXPECT_EQ(got.sn, 1);
  EXPECT_EQ(ends(got), (std::vector<unsigned>{5, 35}));
  EXPECT_EQ(written(42, 1, false, k7, {5, 35}), pdu);
}

TEST(AmdPdu, PaddingFollowsTheLastSdu) {
  const Buffer pdu = hex("801d23fe", 42);
  AmdPdu got;
  ASSERT_TRUE(parse_amd(pdu, k7, got));
  EXPECT_EQ(got.sn, 3);
  EXPECT_TRUE(got.poll);
  EXPECT_EQ(ends(got), std::vector<unsigned>{17});
  EXPECT_EQ(got.data.size(), 17u);
  EXPECT_EQ(written(42, 3, true, k7, {17, 0x7f}), pdu);
}

TEST(AmdPdu, IsAPieceJustWhenNothingButItsNumberAndPIsInTheHeader) {
  Buffer pdu(42);
  for (unsigned header = 0; header <= 0xffff; ++header) {
    store16(pdu.data(), static_cast<std::uint16_t>(header));
    AmdPdu whole;
    AmdPiece piece;
    const bool is_piece = parse_piece(pdu, piece);
    ASSERT_EQ(is_piece, (header & 0x8000) != 0 && (header & 3) == static_cast<unsigned>(He::data)) << header;
    if (!is_piece) continue;
    ASSERT_TRUE(parse_amd(pdu, k7, whole));
    ASSERT_EQ(piece.sn, whole.sn);
    ASSERT_EQ(piece.poll, whole.poll);
    ASSERT_EQ(piece.data.data(), whole.data.data());
    ASSERT_EQ(piece.data.size(), whole.data.size());
    ASSERT_FALSE(whole.ends_sdu || whole.previous_full || whole.previous_short || whole.n_ends != 0);
  }
  AmdPiece none;
  EXPECT_FALSE(parse_piece(Bytes(pdu).first(kAmdHeader), none));
}

TEST(CopyOctets, TakesAllOctetsAndNoOther) {
  for (std::size_t n = 0; n <= 200; ++n) {
    Buffer from(n), to(n + 2, std::byte{0xee});
    for (std::size_t i = 0; i < n; ++i) from[i] = static_cast<std::byte>(i + 1);
    copy_octets(to.data() + 1, from.data(), n);
    EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin() + 1)) << n;
    EXPECT_EQ(to.front(), std::byte{0xee});
    EXPECT_EQ(to.back(), std::byte{0xee}) << n;
  }
}

TEST(AmdPdu, WithoutLiAllOfItIsData) {
  Buffer pdu(42);
  write_amd_octets(pdu.data(), 4095, true, He::data);
  EXPECT_EQ(load16(pdu.data()), 0xfffc);
  AmdPdu got;
  ASSERT_TRUE(parse_amd(pdu, k7, got));
  EXPECT_EQ(got.sn, 4095);
  EXPECT_EQ(got.data.size(), 40u);
  EXPECT_EQ(got.n_ends, 0);
  EXPECT_FALSE(got.ends_sdu);
}

TEST(AmdPdu, TheHeaderAloneMaySayThatAnSduEnds) {
  Buffer pdu(42);
  write_amd_octets(pdu.data(), 1, false, He::data_ends_sdu);
  AmdPdu got;
  ASSERT_TRUE(parse_amd(pdu, k7, got));
  EXPECT_TRUE(got.ends_sdu);
}

TEST(AmdPdu, FifteenBitLisTakeTwoOctetsEach) {
  const Buffer pdu = written(200, 7, false, k15, {130, 0x7fff});
  AmdPdu got;
  ASSERT_TRUE(parse_amd(pdu, k15, got));
  EXPECT_EQ(ends(got), std::vector<unsigned>{130});
  EXPECT_EQ(got.data.data(), pdu.data() + 6);
  EXPECT_EQ(got.data.size(), 130u);
}

TEST(AmdPdu, TheSizeOfThePduDecidesTheSizeOfItsLis) {
  EXPECT_EQ(li_size_for(126), k7);
  EXPECT_EQ(li_size_for(127), k15);
}

TEST(AmdPdu, ItsFirstLiSaysHowThePduBeforeEnded) {
  AmdPdu got;
  ASSERT_TRUE(parse_amd(written(42, 0, false, k7, {0, 0x7f}), k7, got));
  EXPECT_TRUE(got.previous_full);
  EXPECT_TRUE(got.data.empty());
  ASSERT_TRUE(parse_amd(written(200, 0, false, k15, {0x7ffb}), k15, got));
  EXPECT_TRUE(got.previous_short);
  EXPECT_EQ(got.data.size(), 196u);
}

TEST(AmdPdu, OneOctetBehindTheLastFifteenBitLiIsPadding) {
  AmdPdu got;
  ASSERT_TRUE(parse_amd(written(200, 0, false, k15, {195}), k15, got));
  EXPECT_EQ(got.data.size(), 195u);
  ASSERT_TRUE(parse_amd(written(200, 0, false, k15, {194}), k15, got));
  EXPECT_EQ(got.data.size(), 196u) << "two octets begin the next SDU";
  ASSERT_TRUE(parse_amd(written(42, 0, false, k7, {38}), k7, got));
  EXPECT_EQ(got.data.size(), 39u) << "seven bits would have had room for the LI";
}

TEST(AmdPdu, APiggybackedStatusTakesWhatIsLeft) {
  const Buffer pdu = written(42, 5, false, k7, {10, 0x7e});
  AmdPdu got;
  ASSERT_TRUE(parse_amd(pdu, k7, got));
  EXPECT_EQ(got.data.size(), 10u);
  EXPECT_EQ(got.status.data(), pdu.data() + 4 + 10);
  EXPECT_EQ(got.status.size(), 28u);
}

TEST(AmdPdu, WhatContradictsItselfIsRefused) {
  AmdPdu got;
  const auto refused = [&](const Buffer& pdu, LiSize size) { return !parse_amd(pdu, size, got); };
  EXPECT_TRUE(refused(hex("", 0), k7));
  EXPECT_TRUE(refused(hex("8000", 2), k7)) << "no data";
  EXPECT_TRUE(refused(hex("0204d0", 42), k7)) << "a STATUS";
  EXPECT_TRUE(refused(hex("8003", 42), k7)) << "reserved header extension";
  EXPECT_TRUE(refused(written(42, 0, false, k7, {40}), k7)) << "an SDU that ends behind the PDU";
  EXPECT_TRUE(refused(written(42, 0, false, k7, {20, 10}), k7)) << "ends that go back";
  EXPECT_TRUE(refused(written(42, 0, false, k7, {20, 20}), k7)) << "an SDU of no bytes";
  EXPECT_TRUE(refused(written(42, 0, false, k7, {20, 0}), k7)) << "the PDU before, named too late";
  EXPECT_TRUE(refused(written(42, 0, false, k7, {0, 0}), k7)) << "the PDU before, named twice";
  EXPECT_TRUE(refused(written(42, 0, false, k7, {0x7f, 20}), k7)) << "padding before data";
  EXPECT_TRUE(refused(written(42, 0, false, k7, {0x7e, 0x7f}), k7)) << "STATUS before padding";
  EXPECT_TRUE(refused(written(126, 0, false, k7, {0x7c}), k7)) << "an LI of unacknowledged mode";
  EXPECT_TRUE(refused(written(200, 0, false, k15, {0x7ffc}), k15)) << "an LI of unacknowledged mode";
  EXPECT_TRUE(refused(Buffer(20, std::byte{0xff}), k7));
}

TEST(AmdPdu, HasAtMostFifteenLis) {
  std::vector<std::uint16_t> lis;
  for (std::uint16_t i = 1; i <= 15; ++i) lis.push_back(i);
  Buffer pdu(42);
  AmdPdu got;
  write_amd_header(pdu.data(), 0, false, k7, lis);
  ASSERT_TRUE(parse_amd(pdu, k7, got));
  EXPECT_EQ(got.n_ends, 15);
  lis.push_back(16);
  write_amd_header(pdu.data(), 0, false, k7, lis);
  EXPECT_FALSE(parse_amd(pdu, k7, got));
}

TEST(AmdPdu, AnyLisThatAreWrittenAreRead) {
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    const bool wide = random() % 2 == 0;
    const std::size_t size = wide ? 127 + random() % 400 : 40 + random() % 87;
    const LiSize li = li_size_for(size);
    std::vector<std::uint16_t> lis;
    const bool full = random() % 3 == 0, padded = random() % 2 == 0;
    if (full) lis.push_back(0);
    unsigned at = 0;
    const unsigned n = 1 + random() % 10;
    const std::size_t space = size - kAmdHeader - octets(li) * (n + 2);
    for (unsigned i = 0; i < n && at + 1 < space; ++i) {
      at += 1 + random() % (static_cast<unsigned>(space) / n);
      lis.push_back(static_cast<std::uint16_t>(at));
    }
    if (padded) lis.push_back(special_lis(li).padding);
    const auto sn = static_cast<Sn>(random() & kSnMask);
    Buffer pdu(size);
    const std::byte* data = write_amd_header(pdu.data(), sn, round % 2 == 0, li, lis);
    AmdPdu got;
    ASSERT_TRUE(parse_amd(pdu, li, got));
    EXPECT_EQ(got.sn, sn);
    EXPECT_EQ(got.poll, round % 2 == 0);
    EXPECT_EQ(got.previous_full, full);
    EXPECT_EQ(got.data.data(), data);
    std::vector<unsigned> expected;
    for (auto v : lis) {
      if (v != 0 && v != special_lis(li).padding) expected.push_back(v);
    }
    EXPECT_EQ(ends(got), expected);
    if (padded) {
      EXPECT_EQ(got.data.size(), at);
    }
  }
}

TEST(AmdPdu, AnyBytesAreReadWithinTheirBounds) {
  std::mt19937 random(2);
  for (int round = 0; round < 200'000; ++round) {
    const std::size_t size = random() % 70;
    const auto bytes =
        std::make_unique<std::byte[]>(size);  // exactly, so that a sanitizer sees a read beyond
    for (std::size_t i = 0; i < size; ++i) {
      bytes[i] = static_cast<std::byte>(i == 0 ? random() | 0x80 : i < 6 ? random() | 1 : random());
    }
    const Bytes pdu(bytes.get(), size);
    AmdPdu got;
    if (!parse_amd(pdu, round % 2 == 0 ? k7 : k15, got)) continue;
    EXPECT_GE(got.data.data(), pdu.data() + kAmdHeader);
    EXPECT_LE(got.data.data() + got.data.size() + got.status.size(), pdu.data() + size);
    std::size_t last = 0;
    for (const unsigned end : ends(got)) {
      EXPECT_GT(end, last);
      last = end;
    }
    EXPECT_LE(last, got.data.size());
  }
}

}  // namespace
}  // namespace dp::test
