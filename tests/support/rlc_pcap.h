// PDUs of RLC AM as a capture that tshark's heuristic "rlc_udp" reads: IPv4, UDP, and the framing "umts-rlc",
// whose tags say channel, mode, direction, UE and bearer.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/frames.h"

namespace dp::test {

class RlcPcap {
 public:
  struct Tags {
    bool downlink = true;
    std::uint32_t urnti = 1;
    bool li_15_bits = false;
  };

  // Two PDUs of one SN within five seconds are duplicates to tshark, so a capture of the air needs more time
  // between them than there was.
  RlcPcap(const std::string& name, std::uint32_t seconds_apart)
      : path_(testing::TempDir() + name + "_" + std::to_string(getpid()) + ".pcap"),
        file_(std::fopen(path_.c_str(), "wb")),
        apart_(seconds_apart) {
    if (file_ == nullptr) fail("cannot write a capture");
    constexpr std::uint32_t kRawIp = 101;
    const std::uint32_t header[6] = {0xa1b2c3d4, 4u << 16 | 2u, 0, 0, 65535, kRawIp};
    put_raw(header, sizeof header);
  }
  RlcPcap(const RlcPcap&) = delete;
  RlcPcap& operator=(const RlcPcap&) = delete;
  ~RlcPcap() {
    close();
    std::remove(path_.c_str());
  }

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
    const Buffer packet = udp(payload);
    const auto size = static_cast<std::uint32_t>(packet.size());
    const std::uint32_t header[4] = {time_ += apart_, 0, size, size};
    put_raw(header, sizeof header);
    put_raw(packet.data(), packet.size());
    ++frames_;
  }

  const std::string& path() const { return path_; }
  std::size_t frames() const { return frames_; }
  void close() {
    if (file_ != nullptr) std::fclose(file_);
    file_ = nullptr;
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
  void put_raw(const void* data, std::size_t size) {
    if (std::fwrite(data, 1, size, file_) != size) fail("cannot write a capture");
  }

  std::string path_;
  std::FILE* file_;
  const std::uint32_t apart_;
  std::uint32_t time_ = 1'000'000'000;
  std::size_t frames_ = 0;
};

}  // namespace dp::test
