// Logs changes of bearers' tunnels: the first ones of each second by themselves, the number of the others.
// Belongs to the control thread.
// Tests: tests/unit/control/plane/gtp_u_test.cc
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dataplane/bearer/tunnel_book.h"

namespace control {

// "192.0.2.11 teid 0x00000011"
std::string text_of(const dp::TunnelKey& key);

class TunnelLog {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kMost = 10;  // events a second

  // Takes the changes that the workers have reported. `text_of`: a UE's name.
  void drain(const std::vector<dp::TunnelBook*>& books,
             const std::function<std::string(const dp::UeAddress&)>& text_of, Clock::time_point now);

 private:
  void begin_second(Clock::time_point now);

  Clock::time_point second_{};  // beginning of the present second
  std::uint64_t logged_ = 0, left_out_ = 0;
};

}  // namespace control
