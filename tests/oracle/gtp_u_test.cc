// The packets that parsing finds in tunnels, and its other verdicts, beside those of tshark.
#include "dataplane/packet/gtp_u.h"

#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/packet/ecn.h"
#include "dataplane/packet/outer_header.h"
#include "tests/oracle/gtp_u_compare.h"
#include "tests/oracle/gtp_u_vectors.h"
#include "tests/support/tunnel_draws.h"

namespace dp::test {
namespace {

// A message that tshark does not know.
bool unknown_to_tshark(const Buffer& frame) {
  return contains({reinterpret_cast<const char*>(frame.data()), frame.size()}, "\x30\xfd");
}

Buffer decoded(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  Buffer out;
  unsigned bits = 0, have = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(kDigits.find(c));
    if ((have += 6) >= 8) out.push_back(static_cast<std::byte>(bits >> (have -= 8)));
  }
  return out;
}

TEST(GtpUOracle, TsharkReadsTheVectorsOfScapyAsParsingDoes) {
  std::vector<Buffer> frames;
  for (const GtpUVector& vector : kGtpUVectors) frames.push_back(decoded(vector.base64));
  const std::vector<Read> read = read_by_tshark("gtp_u_vectors", frames);
  std::printf("  %-42s %-10s %s\n", "VECTOR", "PARSING", "TSHARK");
  for (std::size_t i = 0; i < frames.size(); ++i) {
    SCOPED_TRACE(kGtpUVectors[i].name);
    const GtpUVerdict own = verdict_and_packet(frames[i], read[i], tunnels_of_tests());
    const auto other = read[i].verdict(true);
    std::printf("  %-42s %-10s %s\n", kGtpUVectors[i].name, name_of(own).data(),
                other ? name_of(*other).data() : "-");
    EXPECT_EQ(own, kGtpUVectors[i].verdict);
    if (other || !unknown_to_tshark(frames[i])) {
      ASSERT_TRUE(other.has_value());
      EXPECT_EQ(name_of(own), name_of(*other));
    }
  }
}

TEST(GtpUOracle, AMarkGivesTheFrameThatScapyMakes) {
  for (const GtpUMark& mark : kGtpUMarks) {
    TestFrame frame(decoded(mark.before));
    const GtpUSettings settings = tunnels_of_tests();
    ASSERT_EQ(parse_any(frame.sdu(), &settings), GtpUVerdict::peeled) << mark.name;
    write_ecn(frame.sdu(), kCe);
    const auto head = frame.sdu().head();
    EXPECT_EQ(Buffer(head.begin(), head.end()), decoded(mark.after)) << mark.name;
  }
}

// Damages lengths, the message's type, the extension headers or the packet, or nothing.
Buffer drawn_form(std::mt19937& draws) {
  TunnelSpec tunnel = drawn_tunnel(draws);
  FrameSpec user = drawn_packet(draws);
  user.ip_options.resize(user.ip_options.size() + 4 * (draws() % 8), std::byte{1});
  constexpr std::array<std::uint8_t, 6> kMessages{1, 2, 26, 31, 254, 255};
  if (draws() % 8 == 0) tunnel.message = kMessages[draws() % kMessages.size()];
  if (draws() % 16 == 0) tunnel.src = tunnel.src.ipv6 ? Ip("2001:db8:2::1") : Ip("198.51.100.9");
  if (draws() % 16 == 0) tunnel.dport = 40000;
  Buffer frame = tunnelled(tunnel, user);
  const std::size_t ip = 14 + 4 * tunnel.vlans.size(), udp = ip + (tunnel.src.ipv6 ? 40 : 20), gtp = udp + 8,
                    message = gtp_u_header(tunnel, 0).size();
  const auto shift = [&](std::size_t at, int by) {
    store16(frame.data() + at, static_cast<std::uint16_t>(load16(frame.data() + at) + by));
  };
  switch (draws() % 12) {
    case 0:
      shift(gtp + 2, static_cast<int>(draws() % 41) - 20);
      break;
    case 1:
      shift(udp + 4, 1 + static_cast<int>(draws() % 40));
      break;
    case 2:
      shift(gtp + message + (user.dst->ipv6 ? 4 : 2), static_cast<int>(draws() % 60));
      break;
    case 3:
      if (message > 12) frame[gtp + 12] = draws() % 2 == 0 ? std::byte{0} : std::byte{250};
      break;
    case 4:
      frame[gtp] = static_cast<std::byte>(draws() % 8 << 5 | (load8(frame.data() + gtp) & 0x1f));
      break;
    case 5:
      frame[gtp + message] = std::byte{0x01};
      break;
    default:
      break;
  }
  return frame;
}

TEST(GtpUOracle, TsharkReadsThousandsOfFormsAsParsingDoes) {
  std::mt19937 draws(42);
  std::vector<Buffer> frames(4000);
  for (Buffer& frame : frames) frame = drawn_form(draws);
  const std::vector<Read> read = read_by_tshark("gtp_u_forms", frames);
  std::map<GtpUVerdict, std::size_t> found;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    SCOPED_TRACE("frame " + std::to_string(i + 1) + ": " + read[i].of("frame.protocols") + " " +
                 read[i].of("_ws.expert.message"));
    for (const bool observe : {true, false}) {
      const GtpUVerdict own =
          verdict_and_packet(frames[i], read[i], observe ? tunnels_of_tests() : tunnels_ignoring_sequence());
      const auto other = read[i].verdict(observe);
      ++found[own];
      // tshark takes most versions for no GTP.
      EXPECT_EQ(name_of(own), name_of(other.value_or(GtpUVerdict::version)));
    }
    if (HasFailure()) break;
  }
  for (const GtpUVerdict verdict :
       {GtpUVerdict::bare, GtpUVerdict::message, GtpUVerdict::version, GtpUVerdict::length,
        GtpUVerdict::chain, GtpUVerdict::inner, GtpUVerdict::not_ip, GtpUVerdict::sequence})
    EXPECT_GT(found[verdict], 40u) << name_of(verdict);
  EXPECT_GT(found[GtpUVerdict::peeled], 1500u);
}

// "1": right; over IPv4 "3": there is none.
TEST(GtpUOracle, TsharkFindsAllChecksumsRightAfterMarks) {
  std::mt19937 draws(43);
  const GtpUSettings settings = tunnels_ignoring_sequence();
  std::vector<Buffer> frames;
  for (int i = 0; i < 1000; ++i) {
    const TunnelSpec tunnel = drawn_tunnel(draws);
    TestFrame frame(tunnelled(tunnel, drawn_packet(draws)));
    ASSERT_EQ(parse_any(frame.sdu(), &settings), GtpUVerdict::peeled);
    write_ecn(frame.sdu(), kCe);
    const auto head = frame.sdu().head();
    frames.emplace_back(head.begin(), head.end());
  }
  for (const Read& read : read_by_tshark("gtp_u_marks", frames)) {
    const std::string udp = read.first("udp.checksum.status");
    EXPECT_TRUE(udp == "1" || udp == (read.outer_ipv6() ? "4" : "3")) << udp;
    EXPECT_EQ(read.of("tcp.checksum.status"), "1");
    for (const std::string& status : split(read.of("ip.checksum.status"), ';'))
      EXPECT_TRUE(status == "1" || status.empty());
  }
}

}  // namespace
}  // namespace dp::test
