// A TcpBench's packets as an Ethernet capture, as seen beside the sender: all it wrote, and what came back to
// it, with the bench's times.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "dataplane/packet/ethernet.h"
#include "tests/support/frames.h"
#include "tests/support/pcap.h"
#include "tests/support/tcp_bench.h"

namespace dp::test {

class TcpPcap : public PcapFile {
 public:
  explicit TcpPcap(std::string path) : PcapFile(std::move(path), kEthernet) {}

  void add(Time at, Bytes packet) {
    Buffer frame = bytes({2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0, 0});
    const bool ipv6 = load8(packet.data()) >> 4 == 6;
    store16(frame.data() + 12, ipv6 ? ethertype::kIpv6 : ethertype::kIpv4);
    frame.insert(frame.end(), packet.begin(), packet.end());
    const auto t = static_cast<std::uint64_t>(ns(at));
    PcapFile::add(static_cast<std::uint32_t>(t / 1'000'000'000),
                  static_cast<std::uint32_t>(t % 1'000'000'000), frame);
  }
};

}  // namespace dp::test
