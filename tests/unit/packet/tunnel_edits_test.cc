// Edits of a user's packet in a tunnel: the bytes that each changes, and the checksums that stay right.
#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "dataplane/ack/stages/rewrite.h"
#include "dataplane/ack/stages/window.h"
#include "dataplane/flow/key.h"
#include "dataplane/packet/ecn.h"
#include "dataplane/packet/parse.h"
#include "tests/support/tunnel_draws.h"

namespace dp {
namespace {

using test::Buffer;
using test::TestFrame;
using Draws = std::mt19937;

Buffer drawn(Draws& draws) {
  const test::TunnelSpec tunnel = test::drawn_tunnel(draws);
  return test::tunnelled(tunnel, test::drawn_packet(draws));
}

enum class Sum { none, right, wrong };

// The checksum in the UDP or TCP header at `at`, whose packet begins at `ip` and ends at `end`.
Sum sum_of(Bytes frame, std::size_t ip, std::size_t at, std::size_t end, std::uint8_t protocol) {
  const bool ipv6 = load8(frame.data() + ip) >> 4 == 6;
  if (protocol == ip_protocol::kUdp && load16(frame.data() + at + 6) == 0) return Sum::none;
  InternetSum sum;
  sum.add(frame.subspan(ip + (ipv6 ? 8 : 12), ipv6 ? 32 : 8)).add16(protocol);
  sum.add32(static_cast<std::uint32_t>(end - at)).add(frame.subspan(at, end - at));
  return sum.folded() == 0xffff ? Sum::right : Sum::wrong;
}

struct Sums {
  Sum outer, ip, tcp;
  friend bool operator==(const Sums&, const Sums&) = default;
};

std::size_t udp_at(const Sdu& sdu) {
  return sdu.outer_offset + (load8(sdu.data + sdu.outer_offset) >> 4 == 6 ? 40u : 20u);
}

Sums sums_of(const Sdu& sdu) {
  const Bytes frame = sdu.head();
  const std::size_t udp = udp_at(sdu);
  const bool ip_right = sdu.ipv6 || internet_checksum(frame.subspan(
                                        sdu.l3_offset, load8(frame.data() + sdu.l3_offset) % 16u * 4)) == 0;
  return {sum_of(frame, sdu.outer_offset, udp, udp + load16(frame.data() + udp + 4), ip_protocol::kUdp),
          ip_right ? Sum::right : Sum::wrong,
          sum_of(frame, sdu.l3_offset, sdu.l4_offset, sdu.l3_offset + sdu.ip_len, ip_protocol::kTcp)};
}

// An edit, and the bytes that it may change.
struct Edit {
  std::function<void(Sdu&)> apply;
  std::function<bool(const Sdu&, std::size_t)> may_change;
};

bool is_outer_sum(const Sdu& sdu, std::size_t at) { return at / 2 == (udp_at(sdu) + 6) / 2; }
bool is_tcp_sum(const Sdu& sdu, std::size_t at) { return at / 2 == (sdu.l4_offset + 16u) / 2; }

FlowSegment segment_of(const Sdu& sdu) { return *flow_segment(sdu, Direction::downlink); }

Edit mark() {
  return {[](Sdu& sdu) { write_ecn(sdu, kCe); },
          [](const Sdu& sdu, std::size_t at) {
            if (at == sdu.l3_offset + 1u) return true;
            return sdu.ipv6 ? is_outer_sum(sdu, at) : at / 2 == (sdu.l3_offset + 10u) / 2;
          }};
}

Edit set_window(std::uint16_t field) {
  return {[field](Sdu& sdu) {
            Flow flow{};
            write_window({sdu, flow, segment_of(sdu), AckKind::advance, 0, 0}, field);
          },
          [](const Sdu& sdu, std::size_t at) {
            return at / 2 == (sdu.l4_offset + 14u) / 2 || is_tcp_sum(sdu, at);
          }};
}

Edit remove_options() {
  return {[](Sdu& sdu) {
            take_out_options(sdu, segment_of(sdu).tcp, [](const TcpOption& option) {
              return option.kind == TcpOption::kSack || option.kind == TcpOption::kTimestamps;
            });
          },
          [](const Sdu& sdu, std::size_t at) {
            return is_tcp_sum(sdu, at) ||
                   (at >= sdu.l4_offset + 20u && at < sdu.l4_offset + segment_of(sdu).tcp.header_size());
          }};
}

Edit set_flags() {
  return {[](Sdu& sdu) { set_tcp_flags(sdu, segment_of(sdu).tcp, TcpView::kPsh | TcpView::kFin); },
          [](const Sdu& sdu, std::size_t at) { return at == sdu.l4_offset + 13u || is_tcp_sum(sdu, at); }};
}

// Random G-PDUs, of which some have a wrong checksum before; returns the number of edits that changed bytes.
std::size_t expect_kept(unsigned seed, const std::function<Edit(Draws&)>& drawn_edit) {
  const GtpUSettings settings = test::tunnels_ignoring_sequence();
  Draws draws(seed);
  std::size_t changed = 0;
  for (int round = 0; round < 20'000; ++round) {
    TestFrame frame(drawn(draws));
    Sdu& sdu = frame.sdu();
    EXPECT_EQ(parse_any(sdu, &settings), GtpUVerdict::peeled);
    if (draws() % 8 == 0) sdu.data[sdu.l4_offset + 16] ^= std::byte{0x40};
    const Sums before = sums_of(sdu);
    const Buffer was(sdu.data, sdu.data + sdu.frame_len);
    const Edit edit = drawn_edit(draws);
    edit.apply(sdu);
    EXPECT_EQ(sums_of(sdu), before) << "round " << round;
    std::size_t different = 0;
    for (std::size_t at = 0; at < was.size(); ++at) {
      constexpr std::size_t kBlock = 16;
      const std::size_t block = std::min(kBlock, was.size() - at);
      if (at % kBlock == 0 && std::memcmp(&was[at], sdu.data + at, block) == 0) {
        at += block - 1;
        continue;
      }
      if (was[at] == sdu.data[at]) continue;
      ++different;
      EXPECT_TRUE(edit.may_change(sdu, at)) << "byte " << at << " in round " << round;
    }
    changed += different != 0;
    if (::testing::Test::HasFailure()) return 0;
  }
  return changed;
}

TEST(TunnelEdits, AMarkKeepsAllChecksumsAndChangesItsFieldAlone) {
  EXPECT_EQ(expect_kept(1, [](Draws&) { return mark(); }), 20'000u);
}

TEST(TunnelEdits, AWindowKeepsAllChecksumsAndChangesItsFieldAlone) {
  EXPECT_GT(expect_kept(2, [](Draws& draws) { return set_window(static_cast<std::uint16_t>(draws())); }),
            19'900u);
}

TEST(TunnelEdits, OptionsThatAreTakenOutKeepAllChecksums) {
  EXPECT_EQ(expect_kept(3, [](Draws&) { return remove_options(); }), 20'000u);
}

TEST(TunnelEdits, FlagsKeepAllChecksums) {
  EXPECT_EQ(expect_kept(4, [](Draws&) { return set_flags(); }), 20'000u);
}

}  // namespace
}  // namespace dp
