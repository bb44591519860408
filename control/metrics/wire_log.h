// Tells the log what the wire's XDP program has done without the workers: what it did while no rncd ran, and
// each time that it goes around a worker.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "dataplane/base/wire.h"

namespace control {

class WireLog {
 public:
  // When the ports are fed, when rncd has started, and once a second from then on; nothing where the ports
  // have no wire. What the wire did until rncd had started is told by begin() alone.
  void begin(const std::optional<dp::WireReport>& wire);
  void started(const std::optional<dp::WireReport>& wire);
  void sample(const std::optional<dp::WireReport>& wire);

 private:
  std::array<std::uint64_t, 2> failovers_{};  // told, by Side
};

}  // namespace control
