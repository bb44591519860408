// Logs changes of bearers' tunnels. Belongs to the control thread.
// Tests: tests/unit/control/plane/gtp_u_test.cc
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "control/loop/event_limit.h"
#include "dataplane/bearer/tunnel_book.h"

namespace control {

// "192.0.2.11 teid 0x00000011"
std::string text_of(const dp::TunnelKey& key);

class TunnelLog {
 public:
  using Clock = log::EventLimit::Clock;

  // Takes the changes that the workers have reported. `text_of`: a UE's name.
  void drain(const std::vector<dp::TunnelBook*>& books,
             const std::function<std::string(const dp::UeAddress&)>& text_of, Clock::time_point now);

 private:
  log::EventLimit limit_{log::Level::info, Event::tunnel_changed, Event::tunnels_changed};
};

}  // namespace control
