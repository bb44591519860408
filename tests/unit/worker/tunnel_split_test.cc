// Split connections of a UE whose packets come in tunnels: messages that a packet is too big
// (dataplane/packet/too_big.h), and settings by which tunnels are no longer looked into.
#include <algorithm>

#include "tests/support/one_connection.h"
#include "tests/unit/worker/tunnels_bench.h"

namespace dp::test {
namespace {

constexpr std::uint32_t kServer = 0xc6336407;  // 198.51.100.7

class TunnelSplitTest : public TunnelsTest {
 protected:
  void SetUp() override {
    TunnelsTest::SetUp();
    BearerSettings with_proxy = bearer_at(100'000'000, 500);
    with_proxy.proxy = SplitConfig{.window = 32'768};
    add(kTunnelUe, with_proxy);
    say(Side::radio, TcpView::kSyn, 100, 0);
    say(Side::core, TcpView::kSyn | TcpView::kAck, 1000, 0);
    say(Side::radio, TcpView::kAck, 101, 0);
    for (const std::uint32_t at : {1001u, 2001u}) say(Side::core, TcpView::kAck, at, 1000);
  }
  static TunnelSpec tunnel_from(Side side) {
    if (side == Side::core) return old_tunnel();
    return {.src = kOldCell, .dst = "192.0.2.1", .teid = kUplinkTeid};
  }
  void say(Side side, std::uint8_t flags, std::uint32_t seq, std::size_t payload) {
    offer_frame(side, tunnelled(tunnel_from(side),
                                segment_from(side, Ip("10.45.0.2"), Ip(kServer), flags, seq, payload)));
    run_for(2);
  }
  std::size_t connections() const { return bearers.front()->proxy->split(); }

  // A router's message that quotes `octets` of a packet; the router is at `from`, and serves its sender.
  static FrameSpec error_of(Ip from, Bytes packet, std::size_t octets) {
    return {
        .src = from, .dst = Ip(load32(packet.data() + 12)), .protocol = 1, .icmp_type = 3, .payload = octets};
  }
  static Buffer too_big_quoting(Ip from, Bytes packet, std::size_t octets, std::uint16_t mtu) {
    constexpr std::size_t kIcmp = EthernetView::kSize + Ipv4View::kMinSize;
    Buffer out = frame(error_of(from, packet, octets));
    out[kIcmp + 1] = std::byte{4};
    store16(out.data() + kIcmp + 6, mtu);
    std::copy_n(packet.begin(), octets, out.begin() + kIcmp + IcmpView::kSize);
    return out;
  }
  // The first data segment for the UE, as it left: from its outer IP header on.
  static Bytes outer_packet(const Buffer& frame) { return Bytes(frame).subspan(EthernetView::kSize); }
  Buffer lost() const {
    for (const auto& sent : io.sent) {
      if (sent.side == Side::radio && sent.bytes.size() > 500) return sent.bytes;
    }
    ADD_FAILURE() << "no segment has left";
    return {};
  }
  // The largest user's packet that leaves for the UE from here on.
  std::size_t largest_after(Side side, const Buffer& error) {
    io.sent.clear();
    offer_frame(side, error);
    run_for(5'000);
    std::size_t largest = 0;
    for (const auto& sent : io.sent) {
      TestFrame copy(sent.bytes, Side::core);
      if (sent.side != Side::radio || parse_any(copy.sdu(), &settings) != GtpUVerdict::peeled) continue;
      largest = std::max<std::size_t>(largest, copy.sdu().ip_len);
    }
    return largest;
  }
};

constexpr std::size_t kOverhead = 20 + 8 + 8;  // IPv4, UDP, GTP-U

TEST_F(TunnelSplitTest, ATooBigMessageOfTheOuterPathNamesTheConnectionThatItsGpduCarries) {
  ASSERT_EQ(connections(), 1u);
  const Buffer packet = lost();
  const std::size_t largest =
      largest_after(Side::radio, too_big_quoting("203.0.113.9", outer_packet(packet), kOverhead + 48, 476));
  EXPECT_EQ(largest, 476 - kOverhead);
}

TEST_F(TunnelSplitTest, ATooBigMessageWithinATunnelNamesTheConnection) {
  const Buffer packet = lost();
  const Bytes inner = outer_packet(packet).subspan(kOverhead);
  Buffer error = too_big_quoting("10.99.0.1", inner, 48, 476);
  TestFrame made(error, Side::radio);
  FrameSpec user = error_of("10.99.0.1", inner, 48);
  Buffer in_tunnel = tunnelled(tunnel_from(Side::radio), user);
  std::copy(error.begin() + EthernetView::kSize, error.end(),
            in_tunnel.begin() + EthernetView::kSize + kOverhead);
  EXPECT_EQ(largest_after(Side::radio, in_tunnel), 476u);
}

TEST_F(TunnelSplitTest, AMessageThatQuotesTooLittleOrAnotherTunnelIsOnlyForwarded) {
  const Buffer packet = lost();
  Buffer elsewhere = packet;
  elsewhere[EthernetView::kSize + 16] = std::byte{203};  // to an address that is no peer
  for (const Buffer& error :
       {too_big_quoting("203.0.113.9", outer_packet(packet), kOverhead + 8, 476),
        too_big_quoting("203.0.113.9", outer_packet(packet), 28, 476),
        too_big_quoting("203.0.113.9", outer_packet(packet), kOverhead + 48, kOverhead - 1),
        too_big_quoting("203.0.113.9", outer_packet(elsewhere), kOverhead + 48, 476)}) {
    io.sent.clear();
    offer_frame(Side::radio, error);
    run_for(2);
    ASSERT_FALSE(io.sent.empty());
    EXPECT_TRUE(std::ranges::any_of(io.sent, [&](const auto& sent) { return sent.bytes == error; }));
    EXPECT_EQ(connections(), 1u);
  }
  io.sent.clear();
  run_for(5'000);
  std::size_t largest = 0;
  for (const auto& sent : io.sent) largest = std::max(largest, sent.bytes.size());
  EXPECT_EQ(largest, packet.size()) << "repeats are as long as before";
}

TEST_F(TunnelSplitTest, ConnectionsEndWithThePeersOfTheirTunnel) {
  ASSERT_EQ(connections(), 1u);
  GtpUSettings more = settings;
  more.peers.push_back({*parse_prefix("203.0.113.0/24"), kNoNetwork});
  command(SetGtpU{&more, {}});
  EXPECT_EQ(connections(), 1u) << "its peers stay";
  GtpUSettings others = more;
  others.peers.erase(others.peers.begin());
  command(SetGtpU{&others, {}});
  EXPECT_EQ(connections(), 0u);
  command(SetGtpU{&settings, {}});
}

TEST_F(TunnelSplitTest, ConnectionsEndWhenTheirTunnelsAreOfAnotherNetworkOrNotLookedInto) {
  GtpUSettings named = settings;
  for (GtpUPeer& peer : named.peers) peer.network = NetworkId{1};
  command(SetGtpU{&named, {}});
  EXPECT_EQ(connections(), 0u);
  command(SetGtpU{nullptr, {}});
  command(SetGtpU{&settings, {}});
}

}  // namespace
}  // namespace dp::test
