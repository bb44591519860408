// Frames of an interface, as datagrams for a source that reads a mirror.
#pragma once
#include <cstdint>
#include <string>

#include "control/told/mirror/live_capture.h"
#include "control/told/mirror/mirror.h"
#include "control/told/source.h"

namespace control::told {

class MirrorFeed {
 public:
  // Throws std::runtime_error if the interface cannot be captured. The source outlives this.
  MirrorFeed(const std::string& interface, std::uint16_t port, Source& source);

  int fd() const { return capture_.fd(); }
  // Gives the source at most kAtOnce frames. Throws std::runtime_error when the interface has gone. `now`: by
  // the source's clock.
  void receive(dp::Time now);
  // Frames and fragments that could not be read.
  std::uint64_t dropped() const { return dropped_; }
  // Asks the kernel for its losses.
  void tick();

 private:
  static constexpr int kAtOnce = 512;

  const std::string interface_;
  LiveCapture capture_;
  Mirror mirror_;
  Source& source_;
  dp::Time last_ = dp::Time::min();
  std::uint64_t dropped_ = 0;
};

}  // namespace control::told
