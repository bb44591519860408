// Logs the actions of the wire's XDP program without the workers: those while no rncd ran, and each time that
// it goes around a worker.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "dataplane/base/wire.h"

namespace control {

class WireLog {
 public:
  // To be called when the ports are fed, when rncd has started, and once a second from then on; nothing if
  // the ports have no wire. The actions of the wire until rncd had started are logged by begin() alone.
  void begin(const std::optional<dp::WireReport>& wire);
  void started(const std::optional<dp::WireReport>& wire);
  void sample(const std::optional<dp::WireReport>& wire);

 private:
  std::array<std::uint64_t, 2> failovers_{};  // the counts logged last, by Side
};

}  // namespace control
