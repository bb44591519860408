#include "control/workers/tunnel_log.h"

#include <fmt/core.h>

#include "control/loop/log.h"

namespace control {

std::string text_of(const dp::TunnelKey& key) {
  return fmt::format("{} teid {:#010x}", dp::address_text(key.ipv6, key.hi, key.lo), key.teid);
}

void TunnelLog::drain(const std::vector<dp::TunnelBook*>& books,
                      const std::function<std::string(const dp::UeAddress&)>& text_of,
                      Clock::time_point now) {
  if (now - second_ >= std::chrono::seconds(1)) begin_second(now);
  for (dp::TunnelBook* book : books) {
    for (dp::TunnelChange change; book->changes().pop(change);) {
      if (++logged_ > kMost) {
        ++left_out_;
        continue;
      }
      log::info("tunnel_changed", {{"ue", text_of(change.ue)},
                                   {"direction", dp::name(change.direction)},
                                   {"before", control::text_of(change.before)},
                                   {"after", control::text_of(change.after)}});
    }
  }
}

void TunnelLog::begin_second(Clock::time_point now) {
  if (left_out_ != 0) log::info("tunnels_changed", {{"more", left_out_}});
  second_ = now;
  logged_ = left_out_ = 0;
}

}  // namespace control
