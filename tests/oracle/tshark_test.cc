// Segments that our hosts send, judged by tshark's TCP analysis.
#include "tests/support/tshark.h"

#include <random>

#include "tests/support/tcp_pcap.h"
#include "tests/support/tcp_runs.h"

namespace dp::test {
namespace {

enum Column {
  kLength,
  kSeq,
  kAck,
  kWindow,
  kTcpSum,
  kIpSum,
  kStamp,
  kSackBlocks,
  kRepeat,
  kDisorder,
  kExpert,
  kMalformed
};
const std::vector<std::string> kFields{"tcp.len",
                                       "tcp.seq_raw",
                                       "tcp.ack_raw",
                                       "tcp.window_size_value",
                                       "tcp.checksum.status",
                                       "ip.checksum.status",
                                       "tcp.options.timestamp.tsval",
                                       "tcp.options.sack_le",
                                       "tcp.analysis.retransmission",
                                       "tcp.analysis.out_of_order",
                                       "_ws.expert.severity",
                                       "_ws.malformed"};
constexpr const char* kGood = "1";         // the status of a checksum
constexpr const char* kError = "8388608";  // severity of an expert's finding

struct Transfer {
  const char* name;
  CongestionConfig kind;
  bool ipv6, timestamps, sack;
  double loss;
};

BenchSpec spec_of(const Transfer& t) {
  BenchSpec spec = bench_of({.kind = t.kind, .queue = 25});
  spec.ipv6 = t.ipv6;
  spec.sender.timestamps = t.timestamps;
  spec.sender.sack = t.sack;
  spec.receiver.dsack = t.sack;
  spec.sender_seq = 0xffff8000;  // wraps on the way
  return spec;
}

// Frame by frame what tshark read, against what was written.
void expect_same(const std::vector<std::vector<std::string>>& rows, const std::vector<TcpBench::Packet>& seen,
                 bool ipv6) {
  ASSERT_EQ(rows.size(), seen.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& row = rows[i];
    const TcpSegment s = *read_tcp(seen[i].bytes);
    ASSERT_EQ(row.size(), kFields.size());
    EXPECT_EQ(row[kLength], std::to_string(s.payload.size())) << "frame " << i + 1;
    EXPECT_EQ(row[kSeq], std::to_string(s.seq)) << "frame " << i + 1;
    EXPECT_EQ(row[kAck], std::to_string(s.ack)) << "frame " << i + 1;
    EXPECT_EQ(row[kWindow], std::to_string(s.window)) << "frame " << i + 1;
    EXPECT_EQ(row[kTcpSum], kGood) << "frame " << i + 1;
    EXPECT_EQ(row[kIpSum], ipv6 ? "" : kGood) << "frame " << i + 1;
    EXPECT_EQ(row[kStamp], s.timestamps ? std::to_string(s.timestamps->value) : "") << "frame " << i + 1;
    std::string blocks;
    for (std::size_t b = 0; b < s.block_count; ++b)
      blocks += (b > 0 ? ";" : "") + std::to_string(s.blocks[b].left);
    EXPECT_EQ(row[kSackBlocks], blocks) << "frame " << i + 1;
    EXPECT_EQ(row[kExpert].find(kError), std::string::npos) << "frame " << i + 1;
    EXPECT_EQ(row[kMalformed], "") << "frame " << i + 1;
  }
}

class Tshark : public ::testing::TestWithParam<Transfer> {};

TEST_P(Tshark, ReadsATransferWithLossesAsItWasMeant) {
  const Transfer& t = GetParam();
  TcpBench bench(spec_of(t));
  std::mt19937 rng(7);
  std::bernoulli_distribution lost(t.loss);
  bench.lose_data([&](std::size_t, const auto&) { return lost(rng); });
  bench.lose_acks([&](std::size_t, const auto&) { return lost(rng); });
  TcpPcap pcap(testing::TempDir() + "tcp_" + t.name + ".pcap");
  std::vector<TcpBench::Packet> seen;
  bench.beside_sender = [&](const TcpBench::Packet& p) {
    pcap.add(bench.clock.now(), p.bytes);
    seen.push_back(p);
  };
  bench.sender.offer(600'000);
  bench.sender.close();
  bench.run_until(at_ms(200'000));
  ASSERT_TRUE(bench.sender.all_acked());
  ASSERT_GT(bench.sender.stats().retransmitted, 10u);
  pcap.close();
  const auto rows =
      tshark(pcap.path(), kFields,
             "-o tcp.check_checksum:TRUE -o ip.check_checksum:TRUE -o tcp.relative_sequence_numbers:FALSE");
  expect_same(rows, seen, t.ipv6);
  // Its analysis sees a repeat where there was one; it calls some that came soon out of order.
  std::uint64_t repeats = 0;
  for (const auto& row : rows) repeats += !row.at(kRepeat).empty() || !row.at(kDisorder).empty();
  EXPECT_EQ(repeats, bench.sender.stats().retransmitted);
}

INSTANTIATE_TEST_SUITE_P(Transfers, Tshark,
                         ::testing::Values(Transfer{"Reno", Reno::Config{}, false, false, false, 0.03},
                                           Transfer{"SackStamps", SackReno::Config{}, false, true, true,
                                                    0.05},
                                           Transfer{"CubicIpv6", Cubic::Config{}, true, true, true, 0.05}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace dp::test
