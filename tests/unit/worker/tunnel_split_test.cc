// Split connections of a UE whose packets come in tunnels, and settings by which tunnels are no longer
// looked into.
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
};
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
