// Frames of a capture file (pcap or pcapng, as libpcap reads them) in their order, for a mirror without an
// interface. Owns the file.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "dataplane/base/result.h"
#include "dataplane/base/time.h"
#include "dataplane/packet/bytes.h"

namespace control::told {

class CaptureFile {
 public:
  struct Frame {
    dp::Time at;      // by the capture, since 1970; not before that of the frame before it
    dp::Bytes bytes;  // as many as were captured; valid until the next call
  };

  // An error if it is no capture of Ethernet frames.
  static dp::Result<CaptureFile> open(const std::string& path);

  // None at the end, and where the file is damaged: damaged() then says how.
  std::optional<Frame> next();
  const std::string& damaged() const { return damaged_; }

 private:
  struct Closer {
    void operator()(void* handle) const;
  };

  explicit CaptureFile(void* handle) : handle_(handle) {}

  std::unique_ptr<void, Closer> handle_;  // libpcap's, whose header defines names of the kernel's anew
  dp::Time last_ = dp::Time::min();
  std::string damaged_;
};

}  // namespace control::told
