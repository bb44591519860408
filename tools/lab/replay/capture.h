// A capture file as frames with their times, for `rnclab replay`: pcap or pcapng, of Ethernet. Owns the
// bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/packet/bytes.h"

namespace lab {

class Capture {
 public:
  struct Frame {
    std::int64_t at;  // ns since 1970
    std::size_t offset, size;
  };

  // Throws std::runtime_error that says what was found, what was expected and how to mend it.
  static Capture read(const std::string& path);

  // In order of time; those of the same time as in the file.
  const std::vector<Frame>& frames() const { return frames_; }
  dp::Bytes bytes(const Frame& frame) const { return {data_.data() + frame.offset, frame.size}; }
  // Frames that stood behind a later one in the file.
  std::size_t unordered() const { return unordered_; }

 private:
  void sort();

  std::vector<Frame> frames_;
  std::vector<std::byte> data_;
  std::size_t unordered_ = 0;
};

}  // namespace lab
