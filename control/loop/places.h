// Who gets a place on a control socket, and who must give one up: pure, from who is there. One user's
// connections never cost another user theirs while that one has fewer, and the owner's places are the
// owner's (dataplane/decisions/033).
#pragma once
#include <chrono>
#include <optional>
#include <span>
#include <string>

#include <sys/types.h>

#include "control/loop/socket_limits.h"

namespace control {

// A connection, as far as it matters here.
struct Place {
  int fd;
  uid_t uid;
  bool owner;
  bool evictable;                               // waits for its client, and for nothing else
  std::chrono::steady_clock::time_point since;  // when it began to wait
  std::size_t memory = 0;                       // bytes in its buffers
  bool lately = false;                          // it was answered a moment ago: somebody uses it
};

struct Admission {
  bool admitted = true;
  std::optional<int> evicted;  // who goes to make room
  std::string refusal;         // why there is no place, and what to do
};
Admission admit(uid_t uid, bool owner, std::span<const Place> places, const ServerLimits& limits);

// Whose buffers to give up when all together hold too much: of the user that holds most, and of the owner
// only when nobody else holds much. None: everything is in use.
std::optional<int> heaviest(std::span<const Place> places);

}  // namespace control
