// PDUs of RLC AM as a capture that tshark's heuristic "rlc_udp" reads: IPv4, UDP, and the framing "umts-rlc",
// whose tags say channel, mode, direction, UE and bearer.
#pragma once
#include <cstdint>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/frames.h"
#include "tests/support/pcap.h"

namespace dp::test {

class RlcPcap : public PcapFile {
 public:
  struct Tags {
    bool downlink = true;
    std::uint32_t urnti = 1;
    bool li_15_bits = false;
  };

  // Two PDUs of one SN within five seconds are duplicates to tshark, so a capture of the air needs more time
  // between them than there was.
  RlcPcap(const std::string& name, std::uint32_t seconds_apart)
      : PcapFile(testing::TempDir() + name + "_" + std::to_string(getpid()) + ".pcap", kRawIp),
        apart_(seconds_apart) {}

  void add(Bytes pdu, const Tags& tags) {
    Buffer payload;
    for (const char c : std::string("umts-rlc")) detail::put8(payload, static_cast<unsigned char>(c));
    const auto tag = [&](unsigned name, unsigned value) {
      detail::put8(payload, name);
      detail::put8(payload, value);
    };
    tag(2, 4);  // channel: PS DTCH, whose SDUs are IP packets
    tag(3, 2);  // mode: AM
    tag(4, tags.downlink ? 1 : 0);
    detail::put8(payload, 5);
    detail::put32(payload, tags.urnti);
    tag(6, 5);  // radio bearer
    tag(7, tags.li_15_bits ? 2 : 1);
    detail::put8(payload, 1);
    detail::put(payload, pdu);
    PcapFile::add(time_ += apart_, 0, udp(payload));
  }

 private:
  static Buffer udp(const Buffer& payload) {
    FrameSpec spec{.protocol = 17, .sport = 4711, .dport = 4711, .payload = payload.size()};
    Buffer packet = frame(spec);
    packet.erase(packet.begin(), packet.begin() + 14);
    std::copy(payload.begin(), payload.end(), packet.begin() + 28);
    store16(packet.data() + 26, 0);  // no checksum
    return packet;
  }

  const std::uint32_t apart_;
  std::uint32_t time_ = 0;
};

}  // namespace dp::test
