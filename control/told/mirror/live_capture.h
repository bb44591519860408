// Frames that an interface receives and sends, as libpcap captures them: those of a UDP port, and fragments,
// which may be of that port. Owns the capture.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "dataplane/base/result.h"
#include "dataplane/base/time.h"
#include "dataplane/packet/bytes.h"

namespace control::told {

class LiveCapture {
 public:
  struct Frame {
    dp::Time at;      // by the kernel, since 1970; not before that of the frame before it
    dp::Bytes bytes;  // valid until the next call
  };

  // Needs CAP_NET_RAW. An error names the interface, and what is missing.
  static dp::Result<LiveCapture> open(const std::string& interface, std::uint16_t port);

  int fd() const;  // readable when frames wait
  // Does not wait. None if no frame is there, or the interface has gone: failed() then says so.
  std::optional<Frame> next();
  const std::string& failed() const { return failed_; }
  // Frames that the kernel had no room for, since the beginning.
  std::uint64_t lost();

 private:
  struct Closer {
    void operator()(void* handle) const;
  };

  LiveCapture(void* handle, int fd) : handle_(handle), fd_(fd) {}

  std::unique_ptr<void, Closer> handle_;  // libpcap's, whose header defines names of the kernel's anew
  int fd_;
  dp::Time last_ = dp::Time::min();
  std::string failed_;
};

}  // namespace control::told
