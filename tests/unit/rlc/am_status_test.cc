// Control PDUs in bytes: vectors that a dissector has read, every SUFI there and back, and hostile bytes.
#include "dataplane/rlc/am_status.h"

#include <random>

#include <gtest/gtest.h>

#include "dataplane/rlc/am_pdu.h"
#include "tests/support/frames.h"

namespace dp::test {
namespace {

Buffer hex(std::string_view text) {
  Buffer out;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    out.push_back(static_cast<std::byte>(std::stoul(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return out;
}

struct Reading {
  std::vector<Sufi> sufis;
  StatusReader::Next end;
};

Reading reading(const Buffer& pdu) {
  StatusReader in(pdu);
  Reading out{};
  Sufi sufi{};
  while ((out.end = in.next(sufi)) == StatusReader::Next::sufi) out.sufis.push_back(sufi);
  return out;
}

std::vector<Sufi> read(const Buffer& pdu) {
  const Reading r = reading(pdu);
  EXPECT_EQ(r.end, StatusReader::Next::end);
  return r.sufis;
}

bool malformed(std::string_view text) { return reading(hex(text)).end == StatusReader::Next::malformed; }

using Runs = std::vector<std::pair<unsigned, unsigned>>;
Runs missing(const Sufi& sufi) {
  Runs out;
  EXPECT_TRUE(for_each_missing(sufi, [&](Sn sn, unsigned n) { out.emplace_back(sn, n); }));
  return out;
}

// The octets that `write` writes; the vector's size is the number of octets.
template <class Write>
Buffer written(std::size_t size, Write&& write) {
  Buffer out(size, std::byte{0xff});
  StatusWriter status(out);
  write(status);
  status.finish();
  return out;
}

TEST(Status, AckNamesTheFirstThatIsNotAcknowledged) {
  const Buffer pdu = hex("0204d0");
  const auto sufis = read(pdu);
  ASSERT_EQ(sufis.size(), 1u);
  EXPECT_EQ(sufis[0].type, SufiType::ack);
  EXPECT_EQ(sufis[0].sn, 77);
  EXPECT_EQ(written(3, [](StatusWriter& s) { s.ack(77); }), pdu);
}

TEST(Status, ListNamesAnSnAndThoseThatFollow) {
  const Buffer pdu = hex("031004120080");
  const auto sufis = read(pdu);
  ASSERT_EQ(sufis.size(), 2u);
  EXPECT_EQ(missing(sufis[0]), (Runs{{4, 2}}));
  EXPECT_EQ(sufis[1].sn, 8);
  const ListItem item{4, 1};
  EXPECT_EQ(written(6,
                    [&](StatusWriter& s) {
                      s.list({&item, 1});
                      s.ack(8);
                    }),
            pdu);
}

TEST(Status, BitmapHasAZeroForWhatIsMissing) {
  const Buffer pdu = hex("04000ab92012");
  const auto sufis = read(pdu);
  ASSERT_EQ(sufis.size(), 2u);
  EXPECT_EQ(missing(sufis[0]), (Runs{{11, 1}, {15, 2}}));
  EXPECT_EQ(sufis[1].sn, 18);
  const std::uint8_t octet = 0xb9;
  EXPECT_EQ(written(6,
                    [&](StatusWriter& s) {
                      s.bitmap(10, {&octet, 1});
                      s.ack(18);
                    }),
            pdu);
}

TEST(Status, RlistBuildsItsNumbersFromTheLeastSignificantCodeword) {
  const Buffer pdu = hex("0550047154320280");
  const auto sufis = read(pdu);
  ASSERT_EQ(sufis.size(), 2u);
  EXPECT_EQ(missing(sufis[0]), (Runs{{4, 1}, {7, 1}, {8, 2}, {19, 1}}));
  EXPECT_EQ(sufis[1].sn, 40);
  RlistCodewords codewords;
  EXPECT_TRUE(codewords.distance(3) && codewords.burst(2) && codewords.distance(10));
  EXPECT_EQ(written(8,
                    [&](StatusWriter& s) {
                      s.rlist(4, codewords.codewords());
                      s.ack(40);
                    }),
            pdu);
}

TEST(Status, WindowSetsTheWindow) {
  const Buffer pdu = hex("012000");
  const auto sufis = read(pdu);
  ASSERT_EQ(sufis.size(), 1u);
  EXPECT_EQ(sufis[0].type, SufiType::window);
  EXPECT_EQ(sufis[0].sn, 512);
  EXPECT_EQ(written(3, [](StatusWriter& s) { s.window(512); }), pdu);
}

TEST(Status, MrwNamesAPduAndAnLiInIt) {
  const Buffer pdu = hex("06102610");
  const auto sufis = read(pdu);
  ASSERT_EQ(sufis.size(), 1u);
  EXPECT_EQ(sufis[0].type, SufiType::mrw);
  EXPECT_EQ(sufis[0].count, 1);
  EXPECT_EQ(sufis[0].sn_mrw[0], 38);
  EXPECT_EQ(sufis[0].n, 1);
  EXPECT_FALSE(sufis[0].beyond);
  const Sn sn = 38;
  EXPECT_EQ(written(4, [&](StatusWriter& s) { s.mrw({&sn, 1}, 1, false); }), pdu);
}

TEST(Status, MrwOfLengthZeroHasOneSnBeyondTheWindow) {
  const Sn sn = 1024;
  const Buffer pdu = written(4, [&](StatusWriter& s) { s.mrw({&sn, 1}, 0, true); });
  EXPECT_EQ(pdu, hex("06040000"));
  const auto sufis = read(pdu);
  ASSERT_EQ(sufis.size(), 1u);
  EXPECT_TRUE(sufis[0].beyond);
  EXPECT_EQ(sufis[0].count, 1);
  EXPECT_EQ(sufis[0].sn_mrw[0], 1024);
}

TEST(Status, MrwAckComesWithAnAck) {
  const Buffer pdu = hex("0710262028");
  const auto sufis = read(pdu);
  ASSERT_EQ(sufis.size(), 2u);
  EXPECT_EQ(sufis[0].type, SufiType::mrw_ack);
  EXPECT_EQ(sufis[0].n, 1);
  EXPECT_EQ(sufis[0].sn, 38);
  EXPECT_EQ(sufis[1].sn, 40);
  EXPECT_EQ(written(5,
                    [](StatusWriter& s) {
                      s.mrw_ack(1, 38);
                      s.ack(40);
                    }),
            pdu);
}

TEST(Status, ResetAndItsAnswer) {
  const auto both_ways = [](std::string_view text, const ResetPdu& expected) {
    ResetPdu got{};
    EXPECT_TRUE(parse_reset(hex(text), got));
    EXPECT_EQ(got, expected);
    Buffer out(4, std::byte{0xff});
    write_reset(out, expected);
    EXPECT_EQ(out, hex(text));
  };
  both_ways("10000010", {false, 0, 1});
  both_ways("20000050", {true, 0, 5});
  both_ways("18fffff0", {false, 1, 0xfffff});
  ResetPdu got{};
  EXPECT_FALSE(parse_reset(hex("11000010"), got)) << "reserved bits";
  EXPECT_FALSE(parse_reset(hex("100000"), got)) << "cut";
  EXPECT_FALSE(parse_reset(hex("30000010"), got)) << "another type";
}

TEST(Status, PduTypesAreToldByTheFirstOctet) {
  EXPECT_EQ(pdu_type(hex("80")), PduType::amd);
  EXPECT_EQ(pdu_type(hex("00")), PduType::status);
  EXPECT_EQ(pdu_type(hex("10")), PduType::reset);
  EXPECT_EQ(pdu_type(hex("20")), PduType::reset_ack);
  EXPECT_EQ(pdu_type(hex("30")), PduType::unknown);
  EXPECT_EQ(pdu_type({}), PduType::unknown);
}

TEST(Status, NothingIsWrittenWhereThereIsNoRoom) {
  Buffer out(4);
  StatusWriter status(out);
  const std::array<ListItem, 2> items{{{1, 0}, {3, 0}}};
  EXPECT_FALSE(status.list(items));
  EXPECT_EQ(status.space(), 7u);
  EXPECT_TRUE(status.ack(9));
  EXPECT_FALSE(status.ack(9));
  status.finish();
  EXPECT_EQ(out, hex("02009000"));
}

TEST(Status, MalformedOnesAreRefused) {
  EXPECT_TRUE(malformed("03")) << "LIST without length";
  EXPECT_TRUE(malformed("0300")) << "LIST of nothing";
  EXPECT_TRUE(malformed("03200410")) << "LIST cut";
  EXPECT_TRUE(malformed("0204")) << "ACK cut";
  EXPECT_TRUE(malformed("041004ff")) << "BITMAP cut";
  EXPECT_TRUE(malformed("06200400")) << "MRW cut";
  EXPECT_TRUE(malformed("0900")) << "unknown SUFI";
  EXPECT_TRUE(malformed("0510044000")) << "RLIST that ends within a number";
  EXPECT_TRUE(malformed("0510041000")) << "RLIST that ends with a burst of nothing";
  EXPECT_TRUE(malformed("0570040000001000")) << "RLIST with a number beyond all SNs";
}

TEST(Status, AnEmptyOneSaysNothing) {
  EXPECT_TRUE(read(hex("00")).empty());
  EXPECT_TRUE(read({}).empty());
}

TEST(Status, RlistTellsAnyRunsThatFit) {
  std::mt19937 random(3);
  for (int round = 0; round < 20'000; ++round) {
    unsigned sn = random() & kSnMask;
    const auto first = static_cast<Sn>(sn);
    std::vector<unsigned> expected{sn};
    RlistCodewords codewords;
    const auto add = [&](unsigned n) { expected.push_back(sn = (sn + n) & kSnMask); };
    for (unsigned i = 0; i < 6; ++i) {
      if (random() % 2 == 0) {
        const unsigned n = 1 + random() % (random() % 4 == 0 ? 600 : 20);
        if (codewords.burst(n)) {
          for (unsigned k = 0; k < n; ++k) add(1);
        }
      }
      const unsigned n = 2 + random() % (random() % 4 == 0 ? 600 : 20);
      if (codewords.distance(n)) add(n);
    }
    Buffer out(12);
    StatusWriter status(out);
    ASSERT_TRUE(status.rlist(first, codewords.codewords()));
    status.finish();
    const auto sufis = read(out);
    ASSERT_EQ(sufis.size(), 1u);
    std::vector<unsigned> got;
    for (const auto& [from, n] : missing(sufis[0])) {
      for (unsigned k = 0; k < n; ++k) got.push_back((from + k) & kSnMask);
    }
    ASSERT_EQ(got, expected);
  }
}

TEST(Status, AnyBytesAreReadWithinTheirBounds) {
  std::mt19937 random(4);
  for (int round = 0; round < 200'000; ++round) {
    const std::size_t size = random() % 60;
    const auto bytes =
        std::make_unique<std::byte[]>(size);  // exactly, so that a sanitizer sees a read beyond
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(random());
    StatusReader in({bytes.get(), size});
    Sufi sufi{};
    std::size_t n = 0;
    while (in.next(sufi) == StatusReader::Next::sufi) {
      ASSERT_LE(++n, size * 2);
      for_each_missing(sufi, [](Sn sn, unsigned count) {
        EXPECT_LE(sn, kSnMask);
        EXPECT_GT(count, 0u);
      });
    }
  }
}

}  // namespace
}  // namespace dp::test
