// The verdicts of parsing about frames, and the packets that it finds in tunnels, beside those of tshark.
#pragma once
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/packet/gtp_u.h"
#include "dataplane/packet/parse.h"
#include "dataplane/packet/udp.h"
#include "tests/oracle/gtp_u_read.h"
#include "tests/support/frames.h"
#include "tests/support/pcap.h"
#include "tests/support/tshark.h"

namespace dp::test {

inline constexpr std::array<std::string_view, 10> kVerdicts{
    "bare", "peeled", "message", "version", "length", "chain", "inner", "not_ip", "fragment", "sequence"};
inline std::string_view name_of(GtpUVerdict verdict) { return kVerdicts[static_cast<std::size_t>(verdict)]; }

inline std::vector<Read> read_by_tshark(const char* name, const std::vector<Buffer>& frames) {
  PcapFile pcap(testing::TempDir() + name + ".pcap", PcapFile::kEthernet);
  for (const Buffer& frame : frames) pcap.add(1, 0, frame);
  pcap.close();
  std::vector<Read> read;
  for (const auto& row :
       tshark(pcap.path(), Read::fields(),
              "-o udp.check_checksum:TRUE -o ip.check_checksum:TRUE -o tcp.check_checksum:TRUE "
              "-o ip.defragment:FALSE -o ipv6.defragment:FALSE "
              "-o tcp.desegment_tcp_streams:FALSE -o tcp.analyze_sequence_numbers:FALSE"))
    read.emplace_back(row);
  EXPECT_EQ(read.size(), frames.size());
  read.resize(frames.size(), Read({}));
  return read;
}

// A peeled packet: TEID, QoS flow and the user's addresses.
inline void expect_same_packet(const Sdu& sdu, const Read& read) {
  const std::size_t udp =
      sdu.outer_offset + (read.outer_ipv6() ? 40u : (load8(sdu.data + sdu.outer_offset) & 15u) * 4);
  const Bytes message = sdu.head().subspan(udp + UdpView::kSize);
  char teid[16];
  std::snprintf(teid, sizeof teid, "0x%08x", GtpUView{message.data()}.teid());
  EXPECT_EQ(read.first("gtp.teid"), teid);
  const std::uint8_t qfi = GtpUChain::at(message)->qfi;
  EXPECT_EQ(read.first("gtp.ext_hdr.pdu_ses_con.qos_flow_id"),
            qfi == GtpUChain::kNoQfi ? "" : std::to_string(qfi));
  const IpAddress destination = ue_address(sdu, Direction::downlink),
                  source = ue_address(sdu, Direction::uplink);
  EXPECT_EQ(read.inner("dst"), address_text(destination.ipv6, destination.hi, destination.lo));
  EXPECT_EQ(read.inner("src"), address_text(source.ipv6, source.hi, source.lo));
}

inline GtpUVerdict verdict_and_packet(const Buffer& bytes, const Read& read, const GtpUSettings& settings) {
  TestFrame frame(bytes);
  const GtpUVerdict verdict = parse_any(frame.sdu(), &settings);
  if (verdict == GtpUVerdict::peeled) expect_same_packet(frame.sdu(), read);
  return verdict;
}

}  // namespace dp::test
