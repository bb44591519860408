// Short flows first under traffic that wants to profit from it, through a whole worker.
#include <map>

#include "tests/support/aqm_bench.h"

namespace dp::test {
namespace {

class SfpHostile : public AqmBench {
 protected:
  // 1 Mbit/s: 125 packets of 1000 bytes a second.
  Bearer& begin(const SfpSpec::Config& sfp) {
    BearerSettings settings = shaped(DropTail::Config{});
    settings.downlink.queue = sfp;
    return add(kUe, settings);
  }
  void send(std::uint16_t port, std::uint8_t protocol = 6) {
    io.offer(Side::core,
             {.dst = Ip("10.45.0.2"), .protocol = protocol, .sport = port, .seq = offered++, .payload = 960});
  }
  void expect_books_close(const Bearer& bearer) {
    run_for(Duration{10'000'000'000});
    const auto& buffer = bearer.downlink.buffer();
    EXPECT_EQ(buffer.sdus(), 0u);
    EXPECT_EQ(buffer.delivered_sdus() + buffer.dropped_sdus(), offered);
    EXPECT_EQ(worker->context().account.buffered, 0u);
  }
  // Frames that came out, by source port.
  std::map<std::uint16_t, int> delivered() const {
    std::map<std::uint16_t, int> count;
    for (const auto& sent : io.sent)
      count[load16(sent.bytes.data() + 34)] += sent.side == Side::radio ? 1 : 0;
    return count;
  }
};

TEST_F(SfpHostile, AThousandNewFlowsASecondDoNotKeepALongFlowOutWhereRecordsAreFewerThanTheBufferHolds) {
  Bearer& bearer = begin({.flows = 8});
  std::uint16_t fresh_port = 1000;
  Rng rng(1);
  for (int i = 0; i < 5'500; ++i) {
    send(rng.chance(100.0 / 1100) ? 1 : fresh_port++, 17);
    run_for(Duration{rng.below(2'000'000)});
  }
  expect_books_close(bearer);
  // One of 11 packets is its, and some 690 leave.
  EXPECT_GT(delivered()[1], 30);
}

TEST_F(SfpHostile, ALongUdpFlowIsNoShortOneAndShortTcpFlowsPassIt) {
  Bearer& bearer = begin({});
  for (int ms = 0; ms < 5'000; ++ms) {
    if (ms % 4 == 0) send(443, 17);
    if (ms % 200 == 0) {
      for (int i = 0; i < 5; ++i) send(static_cast<std::uint16_t>(5'000 + ms / 200));
    }
    run_for(Duration{1'000'000});
  }
  expect_books_close(bearer);
  const auto got = delivered();
  for (std::uint16_t flow = 0; flow < 25; ++flow) EXPECT_EQ(got.at(5'000 + flow), 5) << flow;
  EXPECT_GT(got.at(443), 400) << "it has what is left";
}

TEST_F(SfpHostile, FragmentsAndExtensionHeadersAreServedInTheOrderOfTheirFlow) {
  BearerSettings settings = shaped(DropTail::Config{});
  settings.downlink.queue = SfpSpec::Config{.short_bytes = 3'000, .reset = Duration{20'000'000}, .flows = 4};
  Bearer& bearer = add(*parse_ue("2001:db8:45::/64"), settings);
  const Extension hop_by_hop{0, bytes({0, 0, 1, 4, 0, 0, 0, 0})};
  Rng rng(1);
  for (int step = 0; step < 5'000; ++step) {
    FrameSpec spec{
        .dst = Ip("2001:db8:45::2"), .sport = static_cast<std::uint16_t>(1 + rng.below(6)), .seq = offered};
    spec.extensions = {hop_by_hop};
    spec.payload = rng.below(1'200);
    if (rng.chance(0.2)) {
      spec.fragment_offset = 800;
      spec.ident = offered;
      spec.protocol = 17;
    }
    io.offer(Side::core, spec);
    ++offered;
    run_for(Duration{rng.below(10'000'000)});
  }
  expect_books_close(bearer);
  std::map<std::uint16_t, std::uint32_t> last;
  std::int64_t fragments_seen = 0;
  for (const auto& sent : io.sent) {
    // The base header, and the hop-by-hop options behind it.
    if (std::to_integer<int>(sent.bytes[14 + 40]) != 6) {
      ++fragments_seen;
      continue;
    }
    const std::byte* tcp = sent.bytes.data() + 14 + 40 + 8;
    const std::uint32_t number = load32(tcp + 4);
    const auto [at, first] = last.try_emplace(load16(tcp), number);
    EXPECT_TRUE(first || number > at->second) << number;
    at->second = number;
  }
  EXPECT_EQ(last.size(), 6u);
  EXPECT_GT(fragments_seen, 100);
}

}  // namespace
}  // namespace dp::test
