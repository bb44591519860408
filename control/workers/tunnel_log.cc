#include "control/workers/tunnel_log.h"

#include <fmt/core.h>

namespace control {

std::string text_of(const dp::TunnelKey& key) {
  return fmt::format("{} teid {:#010x}", dp::address_text(key.ipv6, key.hi, key.lo), key.teid);
}

void TunnelLog::drain(const std::vector<dp::TunnelBook*>& books,
                      const std::function<std::string(const dp::UeAddress&)>& text_of,
                      Clock::time_point now) {
  limit_.tick(now);
  for (dp::TunnelBook* book : books) {
    for (dp::TunnelChange change; book->changes().pop(change);) {
      limit_.write(now, [&] {
        return log::Fields{{"ue", text_of(change.ue)},
                           {"direction", dp::name(change.direction)},
                           {"before", control::text_of(change.before)},
                           {"after", control::text_of(change.after)}};
      });
    }
  }
}

}  // namespace control
