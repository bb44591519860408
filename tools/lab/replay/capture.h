// The frames of a capture file with their times, for `rnclab replay`: pcap or pcapng, of Ethernet. Owns the
// bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/packet/bytes.h"
#include "tools/lab/replay/pcapng_ports.h"

namespace lab {

class Capture {
 public:
  struct Frame {
    std::int64_t at;  // ns since 1970
    std::size_t offset, size;
    SeenAt seen = SeenAt::neither;  // if names_ports()
  };

  // Throws std::runtime_error that states what was found, what was expected and how to mend it.
  static Capture read(const std::string& path);

  // In order of time; frames of equal time in the file's order.
  const std::vector<Frame>& frames() const { return frames_; }
  dp::Bytes bytes(const Frame& frame) const { return {data_.data() + frame.offset, frame.size}; }
  // Number of frames that follow a later one in the file.
  std::size_t unordered() const { return unordered_; }
  // True for a file of `rncctl capture`.
  bool names_ports() const { return names_ports_; }
  // The frames that crossed the port. Requires: names_ports().
  Capture at_port(SeenAt port) const;

 private:
  void sort();

  std::vector<Frame> frames_;
  std::vector<std::byte> data_;
  std::size_t unordered_ = 0;
  bool names_ports_ = false;
};

}  // namespace lab
