// A capture file while a test looks at it: written record by record, removed in the end.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "tests/support/frames.h"

namespace dp::test {

class PcapFile {
 public:
  enum LinkType : std::uint32_t { kEthernet = 1, kRawIp = 101 };

  PcapFile(std::string path, LinkType type) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")) {
    if (file_ == nullptr) fail("cannot write a capture");
    constexpr std::uint32_t kNanoseconds = 0xa1b23c4d;
    const std::uint32_t header[6] = {kNanoseconds, 4u << 16 | 2u, 0, 0, 65535, type};
    put(header, sizeof header);
  }
  PcapFile(const PcapFile&) = delete;
  PcapFile& operator=(const PcapFile&) = delete;
  ~PcapFile() {
    close();
    std::remove(path_.c_str());
  }

  void add(std::uint32_t seconds, std::uint32_t nanoseconds, Bytes packet) {
    const auto size = static_cast<std::uint32_t>(packet.size());
    const std::uint32_t header[4] = {1'000'000'000 + seconds, nanoseconds, size, size};
    put(header, sizeof header);
    put(packet.data(), packet.size());
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
