// Points of time of rncd-told: now, and those that are reckoned from a datagram's, whose time a capture may
// have written.
#pragma once
#include <chrono>

#include "dataplane/base/time.h"

namespace control::told {

inline dp::Time steady_now() {
  return dp::time_ns(std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

// The time `wait` after `from`; kNever instead of an overflow. Requires: wait >= 0.
constexpr dp::Time after(dp::Time from, dp::Duration wait) noexcept {
  return from > dp::kNever - wait ? dp::kNever : from + wait;
}

}  // namespace control::told
