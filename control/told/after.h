// Points of time that are reckoned from a datagram's, whose time a capture may have written.
#pragma once
#include "dataplane/base/time.h"

namespace control::told {

// The time `wait` after `from`; kNever instead of an overflow. Requires: wait >= 0.
constexpr dp::Time after(dp::Time from, dp::Duration wait) noexcept {
  return from > dp::kNever - wait ? dp::kNever : from + wait;
}

}  // namespace control::told
