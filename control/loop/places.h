// Admission to a control socket, and eviction: pure functions of the present connections. A user's
// connections never displace those of a user with fewer, and the owner's places are reserved
// (dataplane/decisions/033).
#pragma once
#include <chrono>
#include <optional>
#include <span>
#include <string>

#include <sys/types.h>

#include "control/loop/socket_limits.h"

namespace control {

// The relevant state of a connection.
struct Place {
  int fd;
  uid_t uid;
  bool owner;
  bool evictable;                               // waits only for its client
  std::chrono::steady_clock::time_point since;  // start of the wait
  std::size_t memory = 0;                       // bytes in its buffers
  bool lately = false;                          // recently answered, so that it is in use
};

struct Admission {
  bool admitted = true;
  std::optional<int> evicted;  // connection to evict
  std::string refusal;         // reason for a refusal, and the remedy
};
Admission admit(uid_t uid, bool owner, std::span<const Place> places, const ServerLimits& limits);

// The connection to drop if all buffers together are too large: one of the user with the largest total; the
// owner's only if all others are small. None if all are in use.
std::optional<int> heaviest(std::span<const Place> places);

}  // namespace control
