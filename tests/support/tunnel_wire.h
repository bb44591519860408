// The tests of workers once more, in tunnels: with RNCD_TEST_TUNNELS set in the environment the frames of a
// MemoryIo come in GTP-U, each way with a TEID of the UE's own, and what leaves is checked and recorded as it
// is within its tunnel. A test then finds the same frames as without.
#pragma once
#include <cstdlib>
#include <optional>

#include <gtest/gtest.h>

#include "dataplane/packet/gtp_u.h"
#include "dataplane/packet/ipv4.h"
#include "dataplane/packet/parse.h"
#include "dataplane/packet/udp.h"
#include "tests/support/tunnels.h"

namespace dp::test {

class TunnelWire {
 public:
  // Null without tunnels.
  static const GtpUSettings* settings() {
    static const bool on = std::getenv("RNCD_TEST_TUNNELS") != nullptr;
    static const GtpUSettings tunnels = tunnels_of_tests();
    return on ? &tunnels : nullptr;
  }

  // Puts a whole IP packet of a user into its tunnel. Others stay as they are, since what carries them is not
  // looked into.
  static void wrap(TestFrame& frame, Side side) {
    Sdu& sdu = frame.sdu();
    if (settings() == nullptr || sdu.segments != 1) return;
    parse(sdu);
    if (sdu.kind != FrameKind::ip && sdu.kind != FrameKind::routing) return;
    frame = TestFrame(wrapped(sdu, side), side);
  }

  // The frame as it left by `side`, out of its tunnel.
  static Buffer unwrapped(const Sdu& sent, Side side) {
    const Bytes head = sent.head();
    Buffer out(head.begin(), head.end());
    if (settings() == nullptr || sent.segments != 1) return out;
    TestFrame frame(out, opposite(side));
    Sdu& sdu = frame.sdu();
    if (parse_any(sdu, settings()) == GtpUVerdict::peeled) {
      expect_right(sdu, side);
      out.erase(out.begin() + sdu.outer_offset, out.begin() + sdu.l3_offset);
      store16(out.data() + sdu.outer_offset - 2, sdu.ipv6 ? 0x86dd : 0x0800);
    } else {
      EXPECT_TRUE(sdu.kind != FrameKind::ip) << "a frame left its tunnel";
    }
    return out;
  }

 private:
  static Buffer wrapped(const Sdu& sdu, Side side) {
    const std::uint32_t teid = teid_of(sdu, direction_from(side));
    TunnelSpec spec{.teid = teid};
    if (teid % 2 == 1) spec.src = "2001:db8:1::1", spec.dst = "2001:db8:1::2";
    if (teid % 4 >= 2) spec.qfi = 9;
    spec.checksum = teid % 8 >= 4;
    spec.pdu_type = side == Side::core ? 0 : 1;
    if (side == Side::radio) std::swap(spec.src, spec.dst);
    Buffer out = tunnelled_packet(spec, sdu.head().subspan(sdu.l3_offset));
    out.erase(out.begin(), out.begin() + 14);
    Buffer whole(sdu.data, sdu.data + sdu.l3_offset);
    store16(whole.data() + sdu.l3_offset - 2, spec.src.ipv6 ? 0x86dd : 0x0800);
    whole.insert(whole.end(), out.begin(), out.end());
    return whole;
  }

  // One for each UE and direction.
  static std::uint32_t teid_of(const Sdu& sdu, Direction direction) {
    const IpAddress ue = ue_address(sdu, direction);
    std::uint64_t mixed = (ue.hi * 3 + ue.lo + index(direction)) * 0x9e3779b97f4a7c15u;
    return static_cast<std::uint32_t>(mixed >> 32);
  }

  static void expect_right(const Sdu& sdu, Side side) {
    const bool ipv6 = load8(sdu.data + sdu.outer_offset) >> 4 == 6;
    const std::size_t udp = sdu.outer_offset + (ipv6 ? 40u : 20u), end = udp + load16(sdu.data + udp + 4);
    ASSERT_LE(end, sdu.frame_len);
    if (!ipv6) {
      EXPECT_EQ(internet_checksum({sdu.data + sdu.outer_offset, 20}), 0);
      EXPECT_EQ(load16(sdu.data + sdu.outer_offset + 2), end - sdu.outer_offset);
    } else {
      EXPECT_EQ(load16(sdu.data + sdu.outer_offset + 4), end - udp);
    }
    const GtpUView gtp{sdu.data + udp + UdpView::kSize};
    EXPECT_EQ(udp + UdpView::kSize + GtpUView::kSize + gtp.length(), end);
    const Direction direction = direction_from(opposite(side));
    EXPECT_EQ(gtp.teid(), teid_of(sdu, direction)) << "of another UE or direction";
    const bool has_checksum = load16(sdu.data + udp + 6) != 0;
    EXPECT_EQ(has_checksum, gtp.teid() % 8 >= 4);
    if (!has_checksum) return;
    InternetSum sum;
    const std::size_t addresses = sdu.outer_offset + (ipv6 ? 8u : 12u);
    sum.add({sdu.data + addresses, ipv6 ? 32u : 8u}).add16(17).add16(static_cast<std::uint16_t>(end - udp));
    EXPECT_EQ(sum.add({sdu.data + udp, end - udp}).folded(), 0xffff) << "a wrong UDP checksum";
  }
};

}  // namespace dp::test
