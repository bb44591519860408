// A TcpBench's packets as an Ethernet capture, as seen beside the sender: all it wrote, and what came back to
// it, with the bench's times.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "dataplane/packet/ethernet.h"
#include "tests/support/frames.h"
#include "tests/support/tcp_bench.h"

namespace dp::test {

class TcpPcap {
 public:
  explicit TcpPcap(std::string path) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")) {
    if (file_ == nullptr) fail("cannot write a capture");
    constexpr std::uint32_t kNanoseconds = 0xa1b23c4d, kEthernet = 1;
    const std::uint32_t header[6] = {kNanoseconds, 4u << 16 | 2u, 0, 0, 65535, kEthernet};
    put(header, sizeof header);
  }
  TcpPcap(const TcpPcap&) = delete;
  TcpPcap& operator=(const TcpPcap&) = delete;
  ~TcpPcap() {
    close();
    std::remove(path_.c_str());
  }

  void add(Time at, Bytes packet) {
    Buffer frame = bytes({2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0, 0});
    const bool ipv6 = load8(packet.data()) >> 4 == 6;
    store16(frame.data() + 12, ipv6 ? ethertype::kIpv6 : ethertype::kIpv4);
    frame.insert(frame.end(), packet.begin(), packet.end());
    const auto size = static_cast<std::uint32_t>(frame.size());
    const auto t = static_cast<std::uint64_t>(ns(at));
    const std::uint32_t header[4] = {1'000'000'000 + static_cast<std::uint32_t>(t / 1'000'000'000),
                                     static_cast<std::uint32_t>(t % 1'000'000'000), size, size};
    put(header, sizeof header);
    put(frame.data(), frame.size());
    ++frames_;
  }

  const std::string& path() const { return path_; }
  std::size_t frames() const { return frames_; }
  void close() {
    if (file_ != nullptr) std::fclose(file_);
    file_ = nullptr;
  }

 private:
  void put(const void* data, std::size_t size) {
    if (std::fwrite(data, 1, size, file_) != size) fail("cannot write a capture");
  }

  std::string path_;
  std::FILE* file_;
  std::size_t frames_ = 0;
};

}  // namespace dp::test
